#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/anchors.h"
#include "engine/model/layers.h"
#include "engine/model/losses.h"
#include "engine/structures/ground_truth.h"

/// Letters: N images, A anchors of all levels, P maximum number of proposals per image.
namespace lockstep::model {

/// The outputs of the RPN head for every anchor.
struct RpnOutput {
  at::Tensor objectness;                  ///< [N,A] logits
  at::Tensor deltas;                      ///< [N,A,4]
  at::Tensor anchors;                     ///< [A,4] xyxy px
  std::vector<std::int64_t> levelCounts;  ///< number of anchors per level; the sum is A
};

/// The proposals of all images, padded to the same number.
struct Proposals {
  at::Tensor boxes;  ///< [N,P,4] xyxy px; 0 for padding
  at::Tensor valid;  ///< [N,P] bool; the valid ones come first
};

/// Region proposal network (Faster R-CNN) with torchvision's semantics.
class Rpn : public torch::nn::Module {
 public:
  Rpn(const config::RpnConfig& config, const config::AnchorConfig& anchors, std::int64_t channels);

  /// features: five FPN levels, finest first -> [N, locations of all levels, 5 * anchors per
  /// location]: for each location the logits of its anchors, then their deltas.
  at::Tensor head(const std::vector<at::Tensor>& features) const;
  /// Splits the head's outputs into logits and deltas and adds the anchors; levels: sizes of the
  /// feature maps; padded: padded size of the batch.
  RpnOutput read(const at::Tensor& outputs, const std::vector<base::ImageSize>& levels,
                 const base::ImageSize& padded) const;

  /// The proposals of each image by falling score: the top pre_nms_top_n of each level, clipped to
  /// the image, NMS per level, then the top post_nms_top_n over all levels. Detached from the
  /// autograd graph. limits as for ops::decodeBoxes; forTraining: use the training or the test
  /// numbers. anchors: also set to the anchor that each is of, [N,P] int64.
  Proposals proposals(const RpnOutput& output, const at::Tensor& limits, bool forTraining,
                      at::Tensor* anchors = nullptr) const;

  /// The object that each anchor has to propose, as ops::matchBoxes: [N,A] int64.
  at::Tensor matches(const RpnOutput& output, const structures::GtBatch& groundTruth) const;

  /// loss_objectness and loss_rpn_box_reg over the anchors that are sampled by samplingKeys (one
  /// per image), divided by their number.
  Losses losses(const RpnOutput& output, const structures::GtBatch& groundTruth,
                const std::vector<std::uint64_t>& samplingKeys) const;

 private:
  /// outputs [N,H,W,5 * anchors per location] of one level: logits, then deltas.
  void reportLevel(const at::Tensor& outputs) const;

  config::RpnConfig config_;
  mutable AnchorCache anchors_;
  std::shared_ptr<ConvBlock> conv_;
  std::shared_ptr<Conv2d> logits_, deltas_;
};

}  // namespace lockstep::model
