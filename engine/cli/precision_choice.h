#pragma once

#include <string>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/supervisor/devices.h"

namespace lockstep::cli {

struct PrecisionChoice {
  config::Precision precision;
  std::string why;  ///< of `auto`, part of a line; empty where the experiment says which
};

/// What `runtime.precision: auto` becomes: bf16 where the device computes in it, else fp32.
/// Devices: of the ranks; none: they are on the CPU. One that does not tell its compute capability
/// counts as one that does not.
PrecisionChoice choosePrecision(const config::RuntimeConfig& runtime,
                                const std::vector<supervisor::GpuDevice>& devices);

}  // namespace lockstep::cli
