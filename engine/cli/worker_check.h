#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/config/load.h"

namespace lockstep::cli {

/// Images with the same fault.
struct FaultyImages {
  std::int64_t count = 0;
  std::vector<std::int64_t> firstIds;
  std::string first;  ///< what is wrong with the first of them, and its file
};

/// What a worker found of some images of a part.
struct ImagesCheck {
  std::int64_t lookedAt = 0, all = 0;
  FaultyImages unusable;
  FaultyImages dark;  ///< 16-bit files that come out nearly black
};

/// What only a worker can look at.
struct WorkerCheck {
  std::optional<Error> weights;  ///< why training cannot start from model.weights
  ImagesCheck train, val;
};

struct WorkerCheckRequest {
  int imagesPerPart = 0;               ///< most that are looked at
  std::filesystem::path checkpoint{};  ///< folder whose weights stand for model.weights
};

/// Looks whether the weights fit, and at the pixels of some images, evenly spread: always the same
/// ones. Throws Error when the worker fails.
WorkerCheck askWorkerCheck(const config::Experiment& experiment,
                           const std::filesystem::path& workerProgram,
                           const WorkerCheckRequest& request);

/// The same as issues, without their places: `config check --data`. `summary` gets words for what
/// was looked at.
std::vector<config::ConfigIssue> issuesOf(const WorkerCheck& check, std::string& summary);

}  // namespace lockstep::cli
