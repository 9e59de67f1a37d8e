#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "engine/ops/group_norm.h"

namespace lockstep::ops {

/// An in-place all-reduce (sum) over the ranks.
using SumOverRanks = std::function<void(at::Tensor&)>;

/// torch.nn.SyncBatchNorm in training: weight * (x - mean) / deviation + bias with statistics over
/// all ranks. x [N,C,H,W], weight and bias [C], differentiable in all three; the gradient of x is
/// that of the sum of all ranks' losses. Every rank must call it at the same point and run the same
/// number of backward passes through it. N, H and W may differ between ranks. Statistics are summed
/// in double.
at::Tensor syncBatchNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                         const RunningStatistics& running, double epsilon,
                         const SumOverRanks& sumOverRanks);

}  // namespace lockstep::ops
