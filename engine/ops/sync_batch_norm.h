#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "engine/ops/group_norm.h"

namespace lockstep::ops {

/// Replaces a tensor by its sum over the ranks that train together, in place.
using SumOverRanks = std::function<void(at::Tensor&)>;

/// Batch norm in training with the statistics of the images of all ranks: weight * (x - mean) /
/// deviation + bias. x [N,C,H,W], weight and bias [C], differentiable in all three; the gradient of
/// x is that of the sum of all ranks' losses. Every rank calls it at the same point, and runs as
/// many backward passes through it. N, H and W may differ between ranks. Statistics are summed in
/// double.
at::Tensor syncBatchNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                         const RunningStatistics& running, double epsilon,
                         const SumOverRanks& sumOverRanks);

}  // namespace lockstep::ops
