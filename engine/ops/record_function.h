#pragma once

#include <ATen/record_function.h>

#include <vector>

namespace lockstep::ops {

/// Inputs of our operators for profilers: tensors, tensor lists, sizes.
template <typename... Inputs>
std::vector<c10::IValue> recordedInputs(const Inputs&... inputs) {
  return {c10::IValue(inputs)...};
}

}  // namespace lockstep::ops

/// RECORD_FUNCTION for our operators: profilers show this name, such as `lockstep::nms`, and the
/// inputs, which are only collected while a profiler is active.
#define LOCKSTEP_RECORD_FUNCTION(name, ...) \
  RECORD_FUNCTION("lockstep::" name, ::lockstep::ops::recordedInputs(__VA_ARGS__))
