#pragma once

#include <filesystem>

#include "engine/protocol/jobs.h"
#include "engine/supervisor/devices.h"

namespace lockstep::cli {

/// Starts a lockstep-worker and asks it about LibTorch, which only it links; takes as long as
/// LibTorch to load. Throws Error when that fails.
protocol::InfoResult askWorkerInfo(const std::filesystem::path& workerProgram);

supervisor::GpuSupport gpuSupport(const protocol::InfoResult& info);

}  // namespace lockstep::cli
