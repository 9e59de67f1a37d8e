#include "engine/config/backbones.h"
#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

constexpr double kMaxProposals = 1000000;

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
               "Side of the square anchor on each of the five FPN levels, finest first. Choose "
               "values near the object sizes after resizing.")
      .listSize = static_cast<int>(kPyramidLevels);
  anchors.numbers("aspect_ratios", &AnchorConfig::aspectRatios, above(0), "",
                  "Height / width of the anchors at each location, usually 0.5, 1 and 2. Choose "
                  "values near those of the objects.");
}

void addRpnFields(FieldTable& table) {
  SectionRows rpn(
      table, "model.rpn", "Region proposal network (RPN).",
      [](auto& e) -> auto& { return e.model.rpn; });
  const Range count = between(1, kMaxProposals);
  rpn.integer("pre_nms_top_n_train", &RpnConfig::preNmsTopNTrain, count, "proposals",
              "Highest-scoring proposals per FPN level that are kept before NMS in training, "
              "usually 2000.");
  rpn.integer(
      "pre_nms_top_n_test", &RpnConfig::preNmsTopNTest, count, "proposals",
      "Highest-scoring proposals per FPN level that are kept before NMS in inference, usually "
      "1000.");
  rpn.integer("post_nms_top_n_train", &RpnConfig::postNmsTopNTrain, count, "proposals",
              "Proposals per image that are kept after NMS in training, usually 1000 … 2000.");
  rpn.integer("post_nms_top_n_test", &RpnConfig::postNmsTopNTest, count, "proposals",
              "Proposals per image that are kept after NMS in inference, usually 1000. Fewer are "
              "faster but can miss objects.");
  rpn.number("nms_threshold", &RpnConfig::nmsThreshold, between(0, 1), "IoU",
             "NMS drops the lower-scoring of two proposals whose IoU is above this, usually 0.7.");
  rpn.number(
      "fg_iou", &RpnConfig::fgIou, between(0, 1), "IoU",
      "An anchor whose IoU with a ground-truth box is at least this is positive (foreground), and "
      "so is the anchor with the highest IoU for each box; usually 0.7.");
  rpn.number("bg_iou", &RpnConfig::bgIou, between(0, 1), "IoU",
             "An anchor whose IoU with every ground-truth box is below this is negative "
             "(background), unless it is the best anchor of a box; usually 0.3. Anchors between "
             "bg_iou and fg_iou are ignored.");
  rpn.integer("batch_size_per_image", &RpnConfig::batchSizePerImage, count, "anchors",
              "Anchors per image that are sampled for the RPN losses, usually 256; 1000000: all.");
  rpn.number("positive_fraction", &RpnConfig::positiveFraction, between(0, 1), "",
             "Upper limit of the fraction of positive anchors among those sampled, usually 0.5.");
}

void addBoxHeadFields(FieldTable& table) {
  SectionRows head(
      table, "model.box_head", "Box head: classifies proposals (RoIs) and refines their boxes.",
      [](auto& e) -> auto& { return e.model.boxHead; });
  head.integer("roi_resolution", &BoxHeadConfig::roiResolution, between(1, 64), "cells",
               "Side of RoIAlign's output, usually 7.");
  head.integer("sampling_ratio", &BoxHeadConfig::samplingRatio, between(1, 16), "samples",
               "RoIAlign's sampling points along each side of a cell, usually 2.");
  head.integer("fc_dim", &BoxHeadConfig::fcDim, between(1, 65536), "channels",
               "Width of the two fully connected layers, usually 1024; fewer are faster.");
  head.integer(
      "batch_size_per_image", &BoxHeadConfig::batchSizePerImage, between(1, kMaxProposals), "RoIs",
      "RoIs per image that are sampled for the head's losses, usually 512; 1000000: all. Fewer "
      "save memory.");
  head.number("positive_fraction", &BoxHeadConfig::positiveFraction, between(0, 1), "",
              "Upper limit of the fraction of positive RoIs among those sampled, usually 0.25.");
  head.number("fg_iou", &BoxHeadConfig::fgIou, between(0, 1), "IoU",
              "An RoI whose IoU with a ground-truth box is at least this is positive (foreground); "
              "usually 0.5.");
  head.number(
      "bg_iou", &BoxHeadConfig::bgIou, between(0, 1), "IoU",
      "An RoI whose IoU with every ground-truth box is below this is negative (background); "
      "usually 0.5.");
  head.numbers("regression_weights", &BoxHeadConfig::regressionWeights, above(0), "",
               "Weights of the box regression targets dx, dy, dw and dh; usually [10, 10, 5, 5].")
      .listSize = 4;
  head.number("score_threshold", &BoxHeadConfig::scoreThreshold, between(0, 1), "",
              "Score threshold: detections with a lower score are dropped. Usually 0.05 for AP, "
              "which counts low-scoring detections too.");
  head.number("nms_threshold", &BoxHeadConfig::nmsThreshold, between(0, 1), "IoU",
              "NMS drops the lower-scoring of two detections of a class whose IoU is above this, "
              "usually 0.5. Raise it where objects of a class overlap.");
  head.integer("detections_per_image", &BoxHeadConfig::detectionsPerImage, between(1, 100000),
               "detections",
               "Upper limit of the detections per image, usually 100. Raise it for crowded images, "
               "although COCO's AP counts at most 100 of a class.");
}

void addMaskHeadFields(FieldTable& table) {
  SectionRows head(
      table, "model.mask_head", "Mask head: predicts a mask for each detection.",
      [](auto& e) -> auto& { return e.model.maskHead; });
  head.integer("roi_resolution", &MaskHeadConfig::roiResolution, between(1, 64), "cells",
               "Side of RoIAlign's output, usually 14; predicted masks have twice this side.");
  head.integer("sampling_ratio", &MaskHeadConfig::samplingRatio, between(1, 16), "samples",
               "RoIAlign's sampling points along each side of a cell, usually 2.");
  head.integer("convs", &MaskHeadConfig::convs, between(1, 16), "layers",
               "Number of 3 x 3 convolutions before the mask is upsampled, usually 4.");
  head.integer("channels", &MaskHeadConfig::channels, between(1, 4096), "channels",
               "Channels of these convolutions, usually 256; fewer are faster.");
}

}  // namespace

void addModelFields(FieldTable& table) {
  SectionRows model(
      table, "model", "The network: Mask R-CNN with a ResNet-FPN backbone.",
      [](auto& e) -> auto& { return e.model; });
  model.choice("backbone", &ModelConfig::backbone, backboneNames(),
               "Backbone: a deeper ResNet is more accurate but slower and takes more memory.");
  model.choice("norm", &ModelConfig::norm, "Normalization layers of the backbone.",
               "frozen_batch with weights, else group");
  model.number("norm_epsilon", &ModelConfig::normEpsilon, between(0, 1), "",
               "Epsilon that normalization layers add to the variance, usually 1e-5; torchvision's "
               "COCO_V1 weights need 0.");
  model.integerOrAuto(
      "freeze_stages", &ModelConfig::freezeStages, between(0, 5), "stages",
      "Frozen (not trained) stages of the backbone: 0 none, 1 the stem, 2 stem and first stage, … "
      "5 all; auto: 2 with weights, else 0. Freeze more when fine-tuning on little data.");
  model.integer("fpn_channels", &ModelConfig::fpnChannels, between(1, 4096), "channels",
                "Channels of each level of the feature pyramid network (FPN), usually 256; fewer "
                "are faster.");
  model.flag("masks", &ModelConfig::masks,
             "Whether the model has a mask head. false: a box detector (Faster R-CNN), for which "
             "annotations with boxes alone are enough; evaluation.best_metric is then bbox/AP "
             "unless it is given.");
  model.path("weights", &ModelConfig::weights,
             "Pretrained weights to start from: a safetensors file of a whole Mask R-CNN or of a "
             "backbone, with torchvision's parameter names; null: random initialization.");
  addAnchorFields(table);
  addRpnFields(table);
  addBoxHeadFields(table);
  addMaskHeadFields(table);
}

}  // namespace lockstep::config
