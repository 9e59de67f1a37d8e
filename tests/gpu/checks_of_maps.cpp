#include <torch/torch.h>

#include "engine/ops/epilogue.h"
#include "engine/ops/group_norm.h"
#include "engine/ops/max_pool.h"
#include "tests/gpu/check.h"

namespace lockstep::gpu {
namespace {

/// Of packs of channels, and of channels that do not fill them.
constexpr std::int64_t kChannelCounts[] = {64, 20};

at::Tensor randomMap(std::int64_t channels) {
  return at::randn({2, channels, 37, 50}).contiguous(at::MemoryFormat::ChannelsLast);
}

/// The same values as a leaf on a device.
at::Tensor leafOn(const at::Device& device, at::ScalarType type, const at::Tensor& values) {
  return values.to(device, type, false, true).requires_grad_();
}

Finding maxPoolIsTheSame(const at::Device& device) {
  torch::manual_seed(8);
  Finding finding{true, ""};
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const std::int64_t channels : kChannelCounts) {
      // Few different values, so that there are ties.
      const at::Tensor map = (randomMap(channels) * 3).round().relu();
      const at::Tensor here = leafOn(at::kCPU, at::kFloat, map), there = leafOn(device, type, map);
      const at::Tensor expected = ops::maxPool3x3(here), got = ops::maxPool3x3(there);
      const at::Tensor gradOut = at::randint(-4, 5, expected.sizes()).to(at::kFloat);
      expected.backward(gradOut);
      got.backward(gradOut.to(device, type));
      finding = both(finding, within("values", relativeDifference(got, expected), 0));
      finding =
          both(finding, within("gradients", relativeDifference(there.grad(), here.grad()), 0));
    }
  }
  return {finding.pass, finding.pass ? "three types, the same bits" : finding.figures};
}

struct NormCase {
  at::Tensor x, weight, bias, residual;

  NormCase on(const at::Device& device, at::ScalarType type, at::ScalarType ofWeight) const {
    return {leafOn(device, type, x), leafOn(device, ofWeight, weight),
            leafOn(device, ofWeight, bias),
            residual.defined() ? leafOn(device, type, residual) : residual};
  }
  std::vector<at::Tensor> leaves() const {
    std::vector<at::Tensor> all{x, weight, bias};
    if (residual.defined()) all.push_back(residual);
    return all;
  }
};

/// Difference of the result and of all gradients.
double groupNormDifference(const at::Device& device, at::ScalarType type, const NormCase& one,
                           const ops::GroupNormOptions& options) {
  const bool isHalf = type == at::kBFloat16 || type == at::kHalf;
  const NormCase here = one.on(at::kCPU, at::kDouble, at::kDouble),
                 there = one.on(device, type, isHalf ? at::kFloat : type);
  const auto run = [&](const NormCase& on) {
    const auto residual = on.residual.defined() ? std::optional(on.residual) : std::nullopt;
    return ops::groupNorm(on.x, on.weight, on.bias, residual, options);
  };
  const at::Tensor expected = run(here), got = run(there);
  const at::Tensor gradOut = at::randn(expected.sizes());
  expected.backward(gradOut.to(at::kDouble));
  got.backward(gradOut.to(device, type));
  double most = relativeDifference(got, expected);
  for (std::size_t i = 0; i < here.leaves().size(); ++i) {
    most = std::max(most, relativeDifference(there.leaves()[i].grad(), here.leaves()[i].grad()));
  }
  return most;
}

Finding groupNormIsTheSame(const at::Device& device) {
  torch::manual_seed(9);
  Finding finding{true, ""};
  for (const auto& [type, limit] : {std::pair{at::kDouble, 1e-10},
                                    {at::kFloat, 1e-5},
                                    {at::kBFloat16, 2e-2},
                                    {at::kHalf, 4e-3}}) {
    double most = 0;
    for (const std::int64_t channels : kChannelCounts) {
      for (const bool hasResidual : {false, true}) {
        // Rounded to half precision, so that the reference normalises the same values.
        const auto map = [&] { return randomMap(channels).to(at::kBFloat16).to(at::kFloat); };
        const NormCase one{map(), at::randn({channels}), at::randn({channels}),
                           hasResidual ? map() : at::Tensor()};
        most = std::max(most,
                        groupNormDifference(device, type, one, {4, 1e-5, /*hasRelu=*/hasResidual}));
      }
    }
    finding = both(finding, within(c10::toString(type), most, limit));
  }
  return finding;
}

Finding epilogueIsTheSame(const at::Device& device) {
  torch::manual_seed(10);
  Finding finding{true, ""};
  for (const auto& [type, limit] : {std::pair{at::kFloat, 1e-6}, {at::kBFloat16, 1e-2}}) {
    double most = 0;
    for (const std::int64_t channels : kChannelCounts) {
      const at::Tensor map = randomMap(channels), bias = at::randn({channels}),
                       residual = randomMap(channels);
      const auto finished = [&](const at::Device& where, at::ScalarType as) {
        return ops::applyEpilogue(map.to(where, as, false, true),
                                  {bias.to(where), residual.to(where, as), true});
      };
      most = std::max(most,
                      relativeDifference(finished(device, type), finished(at::kCPU, at::kFloat)));
    }
    finding = both(finding, within(c10::toString(type), most, limit));
  }
  return finding;
}

}  // namespace

std::vector<Check> mapChecks() {
  return {{"max-pool", maxPoolIsTheSame},
          {"group norm", groupNormIsTheSame},
          {"bias, residual and ReLU", epilogueIsTheSame}};
}

}  // namespace lockstep::gpu
