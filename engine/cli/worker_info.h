#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/supervisor/devices.h"

namespace lockstep::cli {

/// What lockstep-worker says of itself: it alone links LibTorch.
struct WorkerInfo {
  std::vector<std::pair<std::string, std::string>> facts{};  ///< names and values, in its order
  supervisor::GpuSupport gpus{};
};

/// Starts the worker, which takes as long as LibTorch to load. Throws Error where that fails.
WorkerInfo askWorkerInfo(const std::filesystem::path& workerProgram);

}  // namespace lockstep::cli
