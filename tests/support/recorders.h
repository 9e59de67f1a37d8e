#pragma once

#include "engine/model/recorded_function.h"

namespace lockstep::tests {

/// What a device does with recorded work, on a CPU: the work again, its results into the same
/// memory. Lives as long as what it recorded.
struct PlainRecorder {
  int recorded = 0, repeated = 0;
  model::Recorder recorder();
};

/// Nearer to a device: the operators that the work called are called again, each on the memory that
/// it read and into that which it wrote; no line of the work runs a second time. For work of which
/// an OperatorWatch sees everything: in float64.
model::Recorder tapeRecorder();

/// `recorder`, counting in `count` what it records.
model::Recorder counted(int& count, model::Recorder recorder);

}  // namespace lockstep::tests
