#include "engine/config/field_rows.h"

namespace lockstep::config {
namespace {

constexpr double kMostProposals = 1000000;

void addAnchorFields(FieldTable& table) {
  SectionRows anchors(
      table, "model.anchors", "Boxes that proposals start from.",
      [](auto& e) -> auto& { return e.model.anchors; });
  anchors
      .numbers("sizes", &AnchorConfig::sizes, above(0), "px",
               "Side of the square anchor of each of the five pyramid levels, finest first.")
      .listSize = 5;
  anchors.numbers("aspect_ratios", &AnchorConfig::aspectRatios, above(0), "",
                  "Height over width of the anchors at every place.");
}

void addRpnFields(FieldTable& table) {
  SectionRows rpn(
      table, "model.rpn", "The region proposal network.",
      [](auto& e) -> auto& { return e.model.rpn; });
  const Range count = between(1, kMostProposals);
  rpn.integer("pre_nms_top_n_train", &RpnConfig::preNmsTopNTrain, count, "proposals",
              "Best proposals of each level that go into suppression, in training.");
  rpn.integer("pre_nms_top_n_test", &RpnConfig::preNmsTopNTest, count, "proposals",
              "Best proposals of each level that go into suppression, in evaluation.");
  rpn.integer("post_nms_top_n_train", &RpnConfig::postNmsTopNTrain, count, "proposals",
              "Proposals of an image that are kept after suppression, in training.");
  rpn.integer("post_nms_top_n_test", &RpnConfig::postNmsTopNTest, count, "proposals",
              "Proposals of an image that are kept after suppression, in evaluation.");
  rpn.number("nms_threshold", &RpnConfig::nmsThreshold, between(0, 1), "IoU",
             "Of two proposals that overlap more than this the worse is dropped.");
  rpn.number("fg_iou", &RpnConfig::fgIou, between(0, 1), "IoU",
             "An anchor that overlaps an object at least this much is an object.");
  rpn.number("bg_iou", &RpnConfig::bgIou, between(0, 1), "IoU",
             "An anchor that overlaps every object less than this is background.");
  rpn.integer("batch_size_per_image", &RpnConfig::batchSizePerImage, count, "anchors",
              "Anchors of an image that the loss is taken of; 1000000: all.");
  rpn.number("positive_fraction", &RpnConfig::positiveFraction, between(0, 1), "",
             "Largest part of them that are objects.");
}

void addBoxHeadFields(FieldTable& table) {
  SectionRows head(
      table, "model.box_head", "The head that names and refines boxes.",
      [](auto& e) -> auto& { return e.model.boxHead; });
  head.integer("roi_resolution", &BoxHeadConfig::roiResolution, between(1, 64), "cells",
               "Side of the grid that RoIAlign samples from each box.");
  head.integer("sampling_ratio", &BoxHeadConfig::samplingRatio, between(1, 16), "samples",
               "Samples of RoIAlign along each side of a cell.");
  head.integer("fc_dim", &BoxHeadConfig::fcDim, between(1, 65536), "channels",
               "Width of the two fully connected layers.");
  head.integer("batch_size_per_image", &BoxHeadConfig::batchSizePerImage,
               between(1, kMostProposals), "boxes",
               "Boxes of an image that the loss is taken of; 1000000: all.");
  head.number("positive_fraction", &BoxHeadConfig::positiveFraction, between(0, 1), "",
              "Largest part of them that are objects.");
  head.number("fg_iou", &BoxHeadConfig::fgIou, between(0, 1), "IoU",
              "A box that overlaps an object at least this much is an object.");
  head.number("bg_iou", &BoxHeadConfig::bgIou, between(0, 1), "IoU",
              "A box that overlaps every object less than this is background.");
  head.numbers("regression_weights", &BoxHeadConfig::regressionWeights, above(0), "",
               "Factors on the deltas of x, y, width and height.")
      .listSize = 4;
  head.number("score_threshold", &BoxHeadConfig::scoreThreshold, between(0, 1), "",
              "Detections below this score are dropped.");
  head.number("nms_threshold", &BoxHeadConfig::nmsThreshold, between(0, 1), "IoU",
              "Of two detections of a class that overlap more than this the worse is dropped.");
  head.integer("detections_per_image", &BoxHeadConfig::detectionsPerImage, between(1, 100000),
               "detections", "Most detections of an image.");
}

void addMaskHeadFields(FieldTable& table) {
  SectionRows head(
      table, "model.mask_head", "The head that draws masks.",
      [](auto& e) -> auto& { return e.model.maskHead; });
  head.integer("roi_resolution", &MaskHeadConfig::roiResolution, between(1, 64), "cells",
               "Side of the grid that RoIAlign samples from each box; masks have twice this side.");
  head.integer("sampling_ratio", &MaskHeadConfig::samplingRatio, between(1, 16), "samples",
               "Samples of RoIAlign along each side of a cell.");
  head.integer("convs", &MaskHeadConfig::convs, between(1, 16), "layers",
               "Convolutions before the mask is enlarged.");
  head.integer("channels", &MaskHeadConfig::channels, between(1, 4096), "channels",
               "Channels of these convolutions.");
}

}  // namespace

void addModelFields(FieldTable& table) {
  SectionRows model(
      table, "model", "The network.", [](auto& e) -> auto& { return e.model; });
  model.choice("backbone", &ModelConfig::backbone,
               {"resnet18", "resnet34", "resnet50", "resnet101"},
               "Network that turns an image into features.");
  model.choice(
      "norm", &ModelConfig::norm, {"auto", "frozen_batch", "batch", "sync_batch", "group"},
      "Normalisation of the backbone; auto: frozen_batch with weights, else group (32 groups); "
      "sync_batch: batch over the images of all ranks.");
  model.number("norm_epsilon", &ModelConfig::normEpsilon, between(0, 1), "",
               "Added to variances; torchvision's COCO_V1 weights need 0.");
  model.integerOrAuto(
      "freeze_stages", &ModelConfig::freezeStages, between(0, 5), "stages",
      "0 none, 1 the stem, 2 stem and first stage, … 5 all; auto: 2 with weights, else 0.");
  model.integer("fpn_channels", &ModelConfig::fpnChannels, between(1, 4096), "channels",
                "Channels of the feature pyramid.");
  model
      .flag("masks", &ModelConfig::masks,
            "false: a detector of boxes; annotations without outlines are then enough.")
      .isBuilt = false;
  model.path("weights", &ModelConfig::weights,
             "Weights to start from: a safetensors file of a whole model or of a backbone.");
  addAnchorFields(table);
  addRpnFields(table);
  addBoxHeadFields(table);
  addMaskHeadFields(table);
}

}  // namespace lockstep::config
