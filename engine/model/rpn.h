#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/anchors.h"
#include "engine/model/layers.h"
#include "engine/model/losses.h"
#include "engine/structures/ground_truth.h"

/// Letters: N images, A anchors of all levels, P most proposals of an image.
namespace lockstep::model {

/// What the RPN's head says of every anchor.
struct RpnOutput {
  at::Tensor objectness;                  ///< [N,A] logits
  at::Tensor deltas;                      ///< [N,A,4]
  at::Tensor anchors;                     ///< [A,4] xyxy px
  std::vector<std::int64_t> levelCounts;  ///< anchors of each level, whose sum is A
};

/// Boxes of all images that may hold an object.
struct Proposals {
  at::Tensor boxes;  ///< [N,P,4] xyxy px; 0 where there is none
  at::Tensor valid;  ///< [N,P] bool; the valid ones come first
};

/// Region proposal network (Faster R-CNN), torchvision's semantics.
class Rpn : public torch::nn::Module {
 public:
  Rpn(const config::RpnConfig& config, const config::AnchorConfig& anchors, std::int64_t channels);

  /// features: five levels, finest first -> [N, places of all levels, 5 * anchors of a place]: of
  /// each place the logits of its anchors, then their deltas.
  at::Tensor head(const std::vector<at::Tensor>& features) const;
  /// What the head's outputs say; levels: sizes of the features; padded: size of the batch.
  RpnOutput read(const at::Tensor& outputs, const std::vector<base::ImageSize>& levels,
                 const base::ImageSize& padded) const;

  /// The best of each image, best first: per level the best few, clipped, NMS inside a level, then
  /// the best of all. Never part of the graph. limits as for ops::decodeBoxes; forTraining: which
  /// of the configured numbers.
  Proposals proposals(const RpnOutput& output, const at::Tensor& limits, bool forTraining) const;

  /// loss_objectness and loss_rpn_box_reg over the anchors that samplingKeys (one per image)
  /// choose, divided by their number.
  Losses losses(const RpnOutput& output, const structures::GtBatch& groundTruth,
                const std::vector<std::uint64_t>& samplingKeys) const;

 private:
  /// outputs [N,H,W,5 * anchors of a place] of one level: logits, then deltas.
  void reportLevel(const at::Tensor& outputs) const;

  config::RpnConfig config_;
  mutable AnchorCache anchors_;
  std::shared_ptr<ConvBlock> conv_;
  std::shared_ptr<Conv2d> logits_, deltas_;
};

}  // namespace lockstep::model
