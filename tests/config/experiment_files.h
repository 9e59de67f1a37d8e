#pragma once

#include <QTemporaryDir>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/fields.h"
#include "engine/config/load.h"

namespace lockstep::tests {

/// A folder for the experiment files of one test.
class ExperimentFolder {
 public:
  std::filesystem::path path(const std::string& name = "") const;
  /// Writes a file and creates its folders.
  std::filesystem::path write(const std::string& name, const std::string& text) const;

 private:
  QTemporaryDir folder_;
};

/// Name and content of a file.
using NamedText = std::pair<const char*, std::string>;
/// Files as people write them, whose comments and spaces must survive edits.
const std::vector<NamedText>& handwrittenFiles();

/// The formatted issues, one per line, without the folder's path.
std::string issueLines(const config::LoadedExperiment& loaded, const std::string& folder = "");

/// A pseudorandom number; advances the seed.
std::uint64_t nextRandom(std::uint64_t& seed);

/// YAML text of a random valid value of the field.
std::string randomValue(const config::Field& field, std::uint64_t& seed);

/// Every key at a random valid value; cross-checks may fail.
config::Experiment randomExperiment(std::uint64_t seed);

}  // namespace lockstep::tests
