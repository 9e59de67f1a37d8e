#pragma once

#include <ATen/record_function.h>

/// At the beginning of an operator of ours: profilers see it under this name, `lockstep::nms`.
#define LOCKSTEP_RECORD_OP(name) \
  RECORD_FUNCTION("lockstep::" name, c10::ArrayRef<const c10::IValue>{})
