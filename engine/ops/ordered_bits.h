#pragma once

#include <cstdint>
#include <cstring>

#include "engine/ops/host_device.h"

namespace lockstep::ops {

/// A number for each float, smaller for a higher one; 0 and -0 have the same.
LOCKSTEP_HOST_DEVICE inline std::uint32_t descendingBits(float value) {
  const float unsignedZero = value + 0.0f;
  std::uint32_t bits;
  std::memcpy(&bits, &unsignedZero, sizeof bits);
  const std::uint32_t isNegative = bits >> 31;
  return isNegative != 0 ? bits : ~bits & 0x7fffffffU;
}

}  // namespace lockstep::ops
