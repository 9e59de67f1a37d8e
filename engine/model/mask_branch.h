#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/layers.h"

namespace lockstep::model {

/// The mask head: some 3 x 3 convolutions (mask_head.N.0).
class MaskHead : public Numbered {
 public:
  MaskHead(const config::MaskHeadConfig& config, std::int64_t inChannels);
  at::Tensor forward(at::Tensor x) const;

 private:
  std::vector<std::shared_ptr<ConvBlock>> convs_;
};

/// Doubles the resolution and gives a mask per class (mask_predictor.conv5_mask,
/// mask_predictor.mask_fcn_logits).
class MaskPredictor : public torch::nn::Module {
 public:
  MaskPredictor(std::int64_t channels, std::int64_t classCount);

  /// x [K,C,M,M], classes [K] int64 -> logits [K,2M,2M] of the class of each region. The masks of
  /// the other classes, which no loss and no detection looks at, are not made.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& classes) const;

 private:
  std::shared_ptr<UpConv2d> up_;
  std::shared_ptr<Conv2d> logits_;
};

}  // namespace lockstep::model
