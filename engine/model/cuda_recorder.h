#pragma once

#include "engine/model/recorded_function.h"

namespace lockstep::model {

/// Records work as CUDA graphs that share one pool of memory, so they are to run one after the
/// other: of each shape forward, then backward. Records on the current stream, which must not be
/// the default one, and must be the current one since before the parameters had gradients: autograd
/// adds a gradient to a parameter on the stream where that was first asked for, and would draw it
/// into the recording. Only in programs built with LOCKSTEP_CUDA.
Recorder cudaRecorder();

}  // namespace lockstep::model
