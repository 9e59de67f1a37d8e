#include "engine/config/backbones.h"
#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

constexpr double kMostProposals = 1000000;

std::vector<std::string> backboneNames() {
  std::vector<std::string> names;
  for (const Backbone& backbone : backbones()) names.emplace_back(backbone.name);
  return names;
}

void addAnchorFields(FieldTable& table) {
  SectionRows anchors(
      table, "model.anchors", "Anchors of the RPN.",
      [](auto& e) -> auto& { return e.model.anchors; });
  anchors
      .numbers("sizes", &AnchorConfig::sizes, above(0), "px",
               "Side of the square anchor on each of the five FPN levels, finest first: near the "
               "sizes of your objects after resizing.")
      .listSize = static_cast<int>(kPyramidLevels);
  anchors.numbers("aspect_ratios", &AnchorConfig::aspectRatios, above(0), "",
                  "Height over width of the anchors at each location: near those of your objects.");
}

void addRpnFields(FieldTable& table) {
  SectionRows rpn(
      table, "model.rpn", "Region proposal network (RPN).",
      [](auto& e) -> auto& { return e.model.rpn; });
  const Range count = between(1, kMostProposals);
  rpn.integer("pre_nms_top_n_train", &RpnConfig::preNmsTopNTrain, count, "proposals",
              "Highest-scoring proposals of each FPN level that are kept before NMS, in training.");
  rpn.integer(
      "pre_nms_top_n_test", &RpnConfig::preNmsTopNTest, count, "proposals",
      "Highest-scoring proposals of each FPN level that are kept before NMS, in inference.");
  rpn.integer("post_nms_top_n_train", &RpnConfig::postNmsTopNTrain, count, "proposals",
              "Proposals of an image that are kept after NMS, in training.");
  rpn.integer("post_nms_top_n_test", &RpnConfig::postNmsTopNTest, count, "proposals",
              "Proposals of an image that are kept after NMS, in inference; fewer are faster and "
              "find less.");
  rpn.number("nms_threshold", &RpnConfig::nmsThreshold, between(0, 1), "IoU",
             "NMS drops the lower-scoring of two proposals whose IoU is above this.");
  rpn.number(
      "fg_iou", &RpnConfig::fgIou, between(0, 1), "IoU",
      "An anchor whose IoU with a ground-truth box is at least this is positive (foreground).");
  rpn.number("bg_iou", &RpnConfig::bgIou, between(0, 1), "IoU",
             "An anchor whose IoU with every ground-truth box is below this is negative "
             "(background); those between are ignored.");
  rpn.integer("batch_size_per_image", &RpnConfig::batchSizePerImage, count, "anchors",
              "Anchors of an image that are sampled for the RPN losses; 1000000: all.");
  rpn.number("positive_fraction", &RpnConfig::positiveFraction, between(0, 1), "",
             "Largest fraction of the sampled anchors that are positive.");
}

void addBoxHeadFields(FieldTable& table) {
  SectionRows head(
      table, "model.box_head", "Box head: classifies proposals (RoIs) and refines their boxes.",
      [](auto& e) -> auto& { return e.model.boxHead; });
  head.integer("roi_resolution", &BoxHeadConfig::roiResolution, between(1, 64), "cells",
               "Side of RoIAlign's output.");
  head.integer("sampling_ratio", &BoxHeadConfig::samplingRatio, between(1, 16), "samples",
               "Sampling points of RoIAlign along each side of a cell.");
  head.integer("fc_dim", &BoxHeadConfig::fcDim, between(1, 65536), "channels",
               "Width of the two fully connected layers.");
  head.integer(
      "batch_size_per_image", &BoxHeadConfig::batchSizePerImage, between(1, kMostProposals), "RoIs",
      "RoIs of an image that are sampled for the head's losses; 1000000: all. Fewer save memory.");
  head.number("positive_fraction", &BoxHeadConfig::positiveFraction, between(0, 1), "",
              "Largest fraction of the sampled RoIs that are positive.");
  head.number(
      "fg_iou", &BoxHeadConfig::fgIou, between(0, 1), "IoU",
      "An RoI whose IoU with a ground-truth box is at least this is positive (foreground).");
  head.number(
      "bg_iou", &BoxHeadConfig::bgIou, between(0, 1), "IoU",
      "An RoI whose IoU with every ground-truth box is below this is negative (background).");
  head.numbers("regression_weights", &BoxHeadConfig::regressionWeights, above(0), "",
               "Weights of the regression targets dx, dy, dw and dh.")
      .listSize = 4;
  head.number("score_threshold", &BoxHeadConfig::scoreThreshold, between(0, 1), "",
              "Detections with a lower score are dropped.");
  head.number("nms_threshold", &BoxHeadConfig::nmsThreshold, between(0, 1), "IoU",
              "NMS drops the lower-scoring of two detections of a class whose IoU is above this; "
              "higher where objects of a class overlap.");
  head.integer("detections_per_image", &BoxHeadConfig::detectionsPerImage, between(1, 100000),
               "detections",
               "Most detections of an image; more for crowded ones, though COCO's AP counts 100 of "
               "a class.");
}

void addMaskHeadFields(FieldTable& table) {
  SectionRows head(
      table, "model.mask_head", "Mask head.", [](auto& e) -> auto& { return e.model.maskHead; });
  head.integer("roi_resolution", &MaskHeadConfig::roiResolution, between(1, 64), "cells",
               "Side of RoIAlign's output; predicted masks have twice this side.");
  head.integer("sampling_ratio", &MaskHeadConfig::samplingRatio, between(1, 16), "samples",
               "Sampling points of RoIAlign along each side of a cell.");
  head.integer("convs", &MaskHeadConfig::convs, between(1, 16), "layers",
               "3 x 3 convolutions before the mask is upsampled.");
  head.integer("channels", &MaskHeadConfig::channels, between(1, 4096), "channels",
               "Channels of these convolutions.");
}

}  // namespace

void addModelFields(FieldTable& table) {
  SectionRows model(
      table, "model", "The network: Mask R-CNN with a ResNet and a feature pyramid.",
      [](auto& e) -> auto& { return e.model; });
  model.choice("backbone", &ModelConfig::backbone, backboneNames(),
               "Backbone network: a deeper one is more accurate, slower and takes more memory.");
  model.choice("norm", &ModelConfig::norm, "Normalisation layers of the backbone.",
               "frozen_batch with weights, else group");
  model.number("norm_epsilon", &ModelConfig::normEpsilon, between(0, 1), "",
               "Epsilon that normalisation layers add to the variance; torchvision's COCO_V1 "
               "weights need 0.");
  model.integerOrAuto(
      "freeze_stages", &ModelConfig::freezeStages, between(0, 5), "stages",
      "Stages of the backbone that are not trained: 0 none, 1 the stem, 2 stem and first stage, … "
      "5 all; auto: 2 with weights, else 0. Freeze more to fine-tune on little data.");
  model.integer("fpn_channels", &ModelConfig::fpnChannels, between(1, 4096), "channels",
                "Channels of each level of the feature pyramid network (FPN); fewer are faster.");
  model
      .flag("masks", &ModelConfig::masks,
            "Whether there is a mask head; false: a box detector (Faster R-CNN), for annotations "
            "without masks.")
      .isBuilt = false;
  model.path("weights", &ModelConfig::weights,
             "Pretrained weights to start from, of a whole Mask R-CNN or of a backbone: a "
             "safetensors file under torchvision's names; null: random initialisation.");
  addAnchorFields(table);
  addRpnFields(table);
  addBoxHeadFields(table);
  addMaskHeadFields(table);
}

}  // namespace lockstep::config
