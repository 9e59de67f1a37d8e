#include "engine/model/mask_branch.h"

#include <torch/types.h>

#include <cmath>

namespace lockstep::model {

MaskHead::MaskHead(const config::MaskHeadConfig& config, std::int64_t inChannels) {
  std::int64_t in = inChannels;
  for (int i = 0; i < config.convs; ++i) {
    const Conv2dShape shape{in, config.channels, 3};
    convs_.push_back(add(std::make_shared<ConvBlock>(shape, Conv2dStart::kaimingFanOut(shape))));
    in = config.channels;
  }
}

at::Tensor MaskHead::forward(at::Tensor x) const {
  for (const auto& conv : convs_) x = conv->forward(x, /*hasRelu=*/true);
  return x;
}

MaskPredictor::MaskPredictor(std::int64_t channels, std::int64_t classCount) {
  const Conv2dShape shape{channels, classCount, 1};
  Conv2dStart start = Conv2dStart::kaimingFanOut(shape);
  start.bias = Initialiser::uniform(1.0 / std::sqrt(static_cast<double>(channels)));
  up_ = register_module("conv5_mask", std::make_shared<UpConv2d>(channels, channels));
  logits_ = register_module("mask_fcn_logits", std::make_shared<Conv2d>(shape, start));
}

at::Tensor MaskPredictor::forward(const at::Tensor& x, const at::Tensor& classes) const {
  const at::Tensor hidden = up_->forward(x);
  const std::int64_t count = x.size(0), channels = hidden.size(2), height = x.size(2),
                     width = x.size(3);
  // A product, not a gather: on a GPU the gradient of a gather adds up in any order.
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

}  // namespace lockstep::model
