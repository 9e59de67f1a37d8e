#pragma once

#include <cstdint>
#include <cstring>

#include "engine/ops/host_device.h"

namespace lockstep::ops {

/// Maps floats to integers in reverse order: smaller for a higher float; equal for 0 and -0.
LOCKSTEP_HOST_DEVICE inline std::uint32_t descendingBits(float value) {
  const float unsignedZero = value + 0.0f;
  std::uint32_t bits;
  std::memcpy(&bits, &unsignedZero, sizeof bits);
  const std::uint32_t isNegative = bits >> 31;
  return isNegative != 0 ? bits : ~bits & 0x7fffffffU;
}

}  // namespace lockstep::ops
