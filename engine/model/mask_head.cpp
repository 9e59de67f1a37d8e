#include "engine/model/mask_head.h"

#include <torch/types.h>

#include <cmath>

namespace lockstep::model {

MaskHead::MaskHead(torch::nn::Module& parent, const config::MaskHeadConfig& config,
                   std::int64_t inChannels, std::int64_t classCount)
    : config_(config) {
  const auto convs = parent.register_module("mask_head", std::make_shared<ModuleList>());
  std::int64_t channels = inChannels;
  for (int i = 0; i < config.convs; ++i) {
    const Conv2dOptions options{channels, config.channels, 3};
    convs_.push_back(
        convs->append(std::make_shared<ConvBlock>(options, Conv2dInit::kaimingNormal(options))));
    channels = config.channels;
  }
  const auto predictor =
      parent.register_module("mask_predictor", std::make_shared<torch::nn::Module>());
  const Conv2dOptions options{channels, classCount, 1};
  Conv2dInit init = Conv2dInit::kaimingNormal(options);
  init.bias = Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(channels)));
  upsample_ = predictor->register_module("conv5_mask",
                                         std::make_shared<ConvTranspose2d>(channels, channels));
  logits_ = predictor->register_module("mask_fcn_logits", std::make_shared<Conv2d>(options, init));
}

ops::RoiAlignShape MaskHead::poolShape() const {
  return {config_.roiResolution, config_.roiResolution, config_.samplingRatio};
}

at::Tensor MaskHead::forward(const at::Tensor& pooled, const at::Tensor& classes) const {
  at::Tensor x = pooled;
  for (const auto& conv : convs_) x = conv->forward(x, /*hasRelu=*/true);
  const at::Tensor hidden = upsample_->forward(x);
  const std::int64_t count = x.size(0), channels = hidden.size(2), height = x.size(2),
                     width = x.size(3);
  // A product, not a gather: on a GPU the backward pass of gather is not deterministic.
  const at::Tensor all = at::arange(logits_->bias().size(0), classes.options());
  const at::Tensor chosen = (classes.unsqueeze(1) == all).to(hidden.scalar_type());
  const at::Tensor weights = chosen.mm(logits_->weightFor(hidden).reshape({-1, channels}));
  const at::Tensor biases = chosen.mv(logits_->biasFor(hidden));
  const at::Tensor logits = at::baddbmm(biases.view({count, 1, 1}), hidden, weights.unsqueeze(2));
  at::Tensor maps = logits.view({count, height, width, 2, 2})
                        .permute({0, 1, 3, 2, 4})
                        .reshape({count, 2 * height, 2 * width});
  logits_->report(maps);
  return maps;
}

Losses MaskHead::losses(const at::Tensor& logits, const structures::GtMasks& masks,
                        const ops::MaskRegions& regions, const at::Tensor& weights) const {
  const at::Tensor targets = ops::maskTargets(masks, regions, 2 * config_.roiResolution);
  Losses losses;
  losses[config::Loss::Mask] = binaryLoss(logits, targets, weights);
  const at::Tensor isCorrect = (logits > 0) == (targets >= 0.5);
  losses.counts[DetectorCount::CorrectMaskPixels] = (weights * isCorrect.flatten(1).sum(1)).sum();
  losses.counts[DetectorCount::MaskPixels] =
      weights.sum() * static_cast<double>(targets.size(1) * targets.size(2));
  return losses;
}

at::Tensor MaskHead::lossesPerRoi(const at::Tensor& logits, const structures::GtMasks& masks,
                                  const ops::MaskRegions& regions) const {
  const at::NoGradGuard noGradient;
  return binaryLosses(logits, ops::maskTargets(masks, regions, 2 * config_.roiResolution))
      .flatten(1)
      .mean(1);
}

at::Tensor MaskHead::inference(const at::Tensor& pooled, const at::Tensor& classes) const {
  return upcast(forward(pooled, classes)).sigmoid();
}

}  // namespace lockstep::model
