#pragma once

#include "engine/ops/epilogue.h"

namespace lockstep::ops {

/// finish() of a CUDA map that is channels_last, residual likewise, without gradients; only in
/// programs built with LOCKSTEP_CUDA. bias contiguous.
void finishCuda(at::Tensor& map, const Epilogue& epilogue);

}  // namespace lockstep::ops
