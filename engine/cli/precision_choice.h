#pragma once

#include <string>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/supervisor/devices.h"

namespace lockstep::cli {

struct PrecisionChoice {
  config::Precision precision;
  std::string why;  ///< for the log, where it is `auto`; else empty
};

/// Resolves `runtime.precision: auto`: bf16 where the hardware supports it, else fp32.
/// `devices`: the ranks' GPUs; empty: they run on the CPU. A GPU of unknown compute capability
/// counts as one without bf16.
PrecisionChoice choosePrecision(const config::RuntimeConfig& runtime,
                                const std::vector<supervisor::GpuDevice>& devices);

}  // namespace lockstep::cli
