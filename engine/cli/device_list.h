#pragma once

#include <string>
#include <vector>

#include "engine/supervisor/devices.h"

namespace lockstep::cli {

/// The overrides that `--devices LIST` stands for: of runtime.device and runtime.devices, and of
/// runtime.workers unless `hasWorkers`. LIST is `cpu`, or GPUs by index (that of runtime.devices)
/// or by (the beginning of) their UUID, separated by commas. Throws UserError.
std::vector<std::string> overridesOfDevices(const std::string& list, bool hasWorkers,
                                            const supervisor::Gpus& gpus);

}  // namespace lockstep::cli
