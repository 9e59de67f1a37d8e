#pragma once

namespace lockstep::ops {

/// Intersection over union of two boxes (x1, y1, x2, y2), rounded after every operation as on the
/// CPU, so that both give the same result at a threshold.
__device__ inline float boxIou(const float4& a, const float4& b) {
  const float width = fmaxf(__fsub_rn(fminf(a.z, b.z), fmaxf(a.x, b.x)), 0.0f);
  const float height = fmaxf(__fsub_rn(fminf(a.w, b.w), fmaxf(a.y, b.y)), 0.0f);
  const float intersection = __fmul_rn(width, height);
  const float areaA = __fmul_rn(__fsub_rn(a.z, a.x), __fsub_rn(a.w, a.y));
  const float areaB = __fmul_rn(__fsub_rn(b.z, b.x), __fsub_rn(b.w, b.y));
  return __fdiv_rn(intersection, __fsub_rn(__fadd_rn(areaA, areaB), intersection));
}

}  // namespace lockstep::ops
