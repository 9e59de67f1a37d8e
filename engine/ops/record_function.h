#pragma once

#include <ATen/record_function.h>

#include <vector>

namespace lockstep::ops {

/// What an operator of ours takes, for those who watch: tensors, lists of them, sizes.
template <typename... Inputs>
std::vector<c10::IValue> recordedInputs(const Inputs&... inputs) {
  return {c10::IValue(inputs)...};
}

}  // namespace lockstep::ops

/// At the beginning of an operator of ours: profilers see it under this name, `lockstep::nms`, and
/// the inputs that follow the name, which are made only where somebody watches.
#define LOCKSTEP_RECORD_FUNCTION(name, ...) \
  RECORD_FUNCTION("lockstep::" name, ::lockstep::ops::recordedInputs(__VA_ARGS__))
