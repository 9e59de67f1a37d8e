#pragma once

#include "engine/model/cuda_graph.h"

namespace lockstep::tests {

/// What a device does with captured work, on a CPU: the work again, its outputs into the same
/// memory. Lives as long as what it captured.
struct EagerCapture {
  int captured = 0, replayed = 0;
  model::CudaGraphCapture capture();
};

/// Nearer to a device: the operators that the work called are called again, each on the memory that
/// it read and into that which it wrote; no line of the work runs a second time. For work of which
/// an OperatorWatch sees everything: in float64.
model::CudaGraphCapture tapeCapture();

/// `capture`, counting in `count` what it captures.
model::CudaGraphCapture counted(int& count, model::CudaGraphCapture capture);

}  // namespace lockstep::tests
