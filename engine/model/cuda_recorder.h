#pragma once

#include "engine/model/recorded_function.h"

namespace lockstep::model {

/// Records work as CUDA graphs that share one pool of memory, so they are to run one after the
/// other: of each shape forward, then backward. Only in programs built with LOCKSTEP_CUDA.
Recorder cudaRecorder();

}  // namespace lockstep::model
