#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/layers.h"
#include "engine/model/losses.h"
#include "engine/ops/mask_targets.h"
#include "engine/ops/roi_align.h"

/// Letters: K RoIs, M side of a pooled RoI.
namespace lockstep::model {

/// Masks of pooled RoIs: torchvision's MaskRCNNHeads and MaskRCNNPredictor.
class MaskHead {
 public:
  /// Registers its layers under `parent`: mask_head.N.0, mask_predictor.conv5_mask,
  /// mask_predictor.mask_fcn_logits.
  MaskHead(torch::nn::Module& parent, const config::MaskHeadConfig& config, std::int64_t inChannels,
           std::int64_t classCount);

  ops::RoiAlignShape poolShape() const;

  /// pooled [K,channels,M,M] with the size poolShape(), classes [K] int64 -> logits [K,2M,2M] for
  /// the class of each RoI. Masks of other classes are not computed, as neither the loss nor
  /// inference uses them.
  at::Tensor forward(const at::Tensor& pooled, const at::Tensor& classes) const;

  /// loss_mask of the RoIs' logits. weights [K] float32, 1 for valid RoIs, 0 for padding.
  Losses losses(const at::Tensor& logits, const structures::GtMasks& masks,
                const ops::MaskRegions& regions, const at::Tensor& weights) const;

  /// Mean loss_mask over the pixels of each RoI: [K] float32.
  at::Tensor lossesPerRoi(const at::Tensor& logits, const structures::GtMasks& masks,
                          const ops::MaskRegions& regions) const;

  /// forward() as probabilities, float32.
  at::Tensor inference(const at::Tensor& pooled, const at::Tensor& classes) const;

 private:
  config::MaskHeadConfig config_;
  std::vector<std::shared_ptr<ConvBlock>> convs_;
  std::shared_ptr<ConvTranspose2d> upsample_;
  std::shared_ptr<Conv2d> logits_;
};

}  // namespace lockstep::model
