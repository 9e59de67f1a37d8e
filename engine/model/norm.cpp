#include "engine/model/norm.h"

#include <torch/types.h>

#include "engine/ops/group_norm.h"

namespace lockstep::model {
namespace {

constexpr std::int64_t kGroups = 32;
constexpr double kBatchMomentum = 0.1;  // torch.nn.BatchNorm2d's default

}  // namespace

Norm::Norm(const NormChoice& choice, std::int64_t channels) : choice_(choice) {
  if (choice.kind == config::Norm::FrozenBatch) {
    weight_ = register_buffer("weight", at::ones({channels}));
    bias_ = register_buffer("bias", at::zeros({channels}));
  } else {
    weight_ = addParameter("weight", {channels}, Initialiser::constant(1));
    bias_ = addParameter("bias", {channels}, Initialiser::constant(0));
  }
  if (choice.kind == config::Norm::Group) return;
  runningMean_ = register_buffer("running_mean", at::zeros({channels}));
  runningVar_ = register_buffer("running_var", at::ones({channels}));
  if (hasBatchStatistics()) {
    batchesTracked_ = register_buffer("num_batches_tracked", at::zeros({}, at::kLong));
  }
}

at::Tensor Norm::forwardAfter(const Conv2d& conv, const at::Tensor& x, bool hasRelu,
                              const std::optional<at::Tensor>& residual) {
  at::Tensor out = outputAfter(conv, x, hasRelu, residual);
  report(out);
  return out;
}

at::Tensor Norm::outputAfter(const Conv2d& conv, const at::Tensor& x, bool hasRelu,
                             const std::optional<at::Tensor>& residual) {
  const auto convolved = [&] { return conv.forwardWith(x, conv.weightFor(x), {}); };
  if (choice_.kind == config::Norm::Group) {
    return ops::groupNorm(convolved(), weight_, bias_, residual,
                          {kGroups, choice_.epsilon, hasRelu});
  }
  if (hasBatchStatistics() && is_training()) {
    batchesTracked_.add_(1);
    const ops::RunningStatistics running{runningMean_, runningVar_, kBatchMomentum};
    if (choice_.kind == config::Norm::Batch) {
      return ops::batchNorm(convolved(), weight_, bias_, residual, running,
                            {choice_.epsilon, hasRelu});
    }
    at::Tensor out = ops::syncBatchNorm(convolved(), weight_, bias_, running, choice_.epsilon,
                                        choice_.sumOverRanks);
    if (residual) out = out + *residual;
    return hasRelu ? out.relu() : out;
  }
  return foldedInto(conv, x, {residual, hasRelu});
}

at::Tensor Norm::foldedInto(const Conv2d& conv, const at::Tensor& x, const AfterNorm& after) {
  // Most norms and the first convolutions are frozen, so that this is usually cached.
  std::vector<at::Tensor> sources{weight_, bias_, runningMean_, runningVar_};
  // Not every kernel that updates the running statistics bumps their version counters, but
  // num_batches_tracked always changes.
  if (batchesTracked_.defined()) sources.push_back(batchesTracked_);
  const std::vector<at::Tensor> affine = affine_.get(sources, [&] {
    const at::Tensor scale = weight_ * (runningVar_ + choice_.epsilon).rsqrt();
    return std::vector<at::Tensor>{scale, bias_ - runningMean_ * scale};
  });
  const at::Tensor& scale = affine[0];
  // A trainable one changes in every pass.
  const at::Tensor weight = weight_.requires_grad()
                                ? (conv.weight() * scale.view({-1, 1, 1, 1})).to(x.scalar_type())
                                : conv.weightFor(x, scale);
  return conv.forwardWith(x, weight, {affine[1], after.residual, after.hasRelu});
}

}  // namespace lockstep::model
