#pragma once

#include <QTemporaryDir>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/config/fields.h"
#include "engine/config/load.h"

namespace lockstep::tests {

/// A folder for the experiment files of one test.
class ExperimentFolder {
 public:
  std::filesystem::path path(const std::string& name = "") const;
  /// Writes a file, and the folders it lies in.
  std::filesystem::path write(const std::string& name, const std::string& text) const;

 private:
  QTemporaryDir folder_;
};

/// Every issue's line, joined by newlines, with the folder's path taken away.
std::string issueLines(const config::LoadedExperiment& loaded, const std::string& folder = "");

/// A number that is the same for the same seed; each call changes the seed.
std::uint64_t nextRandom(std::uint64_t& seed);

/// YAML text of some value that the field takes.
std::string randomValue(const config::Field& field, std::uint64_t& seed);

/// Every key at some valid value. What is checked across keys need not hold.
config::Experiment randomExperiment(std::uint64_t seed);

}  // namespace lockstep::tests
