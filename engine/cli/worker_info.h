#pragma once

#include <filesystem>

#include "engine/protocol/jobs.h"
#include "engine/supervisor/devices.h"

namespace lockstep::cli {

/// What lockstep-worker says of itself: it alone links LibTorch. Starts it, which takes as long as
/// LibTorch to load. Throws Error where that fails.
protocol::InfoResult askWorkerInfo(const std::filesystem::path& workerProgram);

supervisor::GpuSupport gpuSupport(const protocol::InfoResult& info);

}  // namespace lockstep::cli
