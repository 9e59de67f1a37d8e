#include "engine/config/other_tools.h"

#include <algorithm>
#include <array>

#include "engine/base/utf8.h"
#include "engine/config/load.h"
#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

struct OtherKey {
  std::string_view theirs;
  std::string_view ours;  ///< key or section; with a space: advice, as there is no such key
  /// Values that are written differently here, as `THEIRS=KEY: VALUE|…`; * is any value.
  std::string_view values = {};
};

constexpr std::string_view kNoCounterpart = "remove it: detectron2's key has no counterpart here";

/// In upper case: detectron2's, in the order of its defaults. In lower case: of Lightning,
/// mmdetection, torchvision and Ultralytics.
constexpr OtherKey kOtherKeys[] = {
    {"VERSION", "remove it: experiment files have no version"},
    {"_BASE_", "base"},
    {"MODEL.MASK_ON", "model.masks"},
    {"MODEL.DEVICE", "runtime.device"},
    {"MODEL.META_ARCHITECTURE",
     "remove it: the model is Mask R-CNN, or Faster R-CNN with model.masks: false"},
    {"MODEL.WEIGHTS", "model.weights"},
    {"MODEL.PIXEL_MEAN", "remove it: images are normalized with ImageNet's mean and deviation"},
    {"MODEL.PIXEL_STD", "remove it: images are normalized with ImageNet's mean and deviation"},
    {"INPUT.MIN_SIZE_TRAIN", "augment.min_size"},
    {"INPUT.MIN_SIZE_TRAIN_SAMPLING",
     "remove it: one of augment.min_size is drawn for each training image"},
    {"INPUT.MAX_SIZE_TRAIN", "augment.max_size"},
    {"INPUT.MIN_SIZE_TEST", "put it last in augment.min_size: evaluation uses the last"},
    {"INPUT.MAX_SIZE_TEST", "augment.max_size"},
    {"INPUT.RANDOM_FLIP", "augment.horizontal_flip",
     "horizontal=augment.horizontal_flip: 0.5|vertical=augment.vertical_flip: 0.5|"
     "none=augment.horizontal_flip: 0"},
    {"INPUT.CROP.ENABLED", "augment.crop", "false=augment.crop: 0"},
    {"INPUT.CROP.TYPE", "remove it: augment.crop is the smallest kept fraction of each side"},
    {"INPUT.CROP.SIZE", "augment.crop"},
    {"INPUT.FORMAT", "remove it: images are read as RGB"},
    {"INPUT.MASK_FORMAT", "remove it: polygons and RLE are both read"},
    {"DATASETS.TRAIN",
     "name folder and file with dataset.train.images and dataset.train.annotations"},
    {"DATASETS.TEST", "name folder and file with dataset.val.images and dataset.val.annotations"},
    {"DATALOADER.NUM_WORKERS", "dataset.loader_threads"},
    {"DATALOADER.ASPECT_RATIO_GROUPING", "dataset.group_by_aspect"},
    {"DATALOADER.SAMPLER_TRAIN", "dataset.repeat_threshold",
     "trainingsampler=dataset.repeat_threshold: 0|"
     "repeatfactortrainingsampler=dataset.repeat_threshold: 0.001"},
    {"DATALOADER.REPEAT_THRESHOLD", "dataset.repeat_threshold"},
    {"DATALOADER.FILTER_EMPTY_ANNOTATIONS", "dataset.skip_empty"},
    {"MODEL.BACKBONE.NAME", "model.backbone"},
    {"MODEL.BACKBONE.FREEZE_AT", "model.freeze_stages"},
    {"MODEL.FPN.OUT_CHANNELS", "model.fpn_channels"},
    {"MODEL.ANCHOR_GENERATOR.SIZES", "model.anchors.sizes"},
    {"MODEL.ANCHOR_GENERATOR.ASPECT_RATIOS", "model.anchors.aspect_ratios"},
    {"MODEL.RPN.IOU_THRESHOLDS", "use model.rpn.bg_iou and model.rpn.fg_iou"},
    {"MODEL.RPN.BATCH_SIZE_PER_IMAGE", "model.rpn.batch_size_per_image"},
    {"MODEL.RPN.POSITIVE_FRACTION", "model.rpn.positive_fraction"},
    {"MODEL.RPN.BBOX_REG_LOSS_WEIGHT", "solver.loss_weights.loss_rpn_box_reg"},
    {"MODEL.RPN.LOSS_WEIGHT",
     "use solver.loss_weights.loss_objectness and solver.loss_weights.loss_rpn_box_reg"},
    {"MODEL.RPN.PRE_NMS_TOPK_TRAIN", "model.rpn.pre_nms_top_n_train"},
    {"MODEL.RPN.PRE_NMS_TOPK_TEST", "model.rpn.pre_nms_top_n_test"},
    {"MODEL.RPN.POST_NMS_TOPK_TRAIN", "model.rpn.post_nms_top_n_train"},
    {"MODEL.RPN.POST_NMS_TOPK_TEST", "model.rpn.post_nms_top_n_test"},
    {"MODEL.RPN.NMS_THRESH", "model.rpn.nms_threshold"},
    {"MODEL.ROI_HEADS.NUM_CLASSES", "remove it: the classes are those of the annotations"},
    {"MODEL.ROI_HEADS.IOU_THRESHOLDS", "use model.box_head.fg_iou and model.box_head.bg_iou"},
    {"MODEL.ROI_HEADS.BATCH_SIZE_PER_IMAGE", "model.box_head.batch_size_per_image"},
    {"MODEL.ROI_HEADS.POSITIVE_FRACTION", "model.box_head.positive_fraction"},
    {"MODEL.ROI_HEADS.SCORE_THRESH_TEST", "model.box_head.score_threshold"},
    {"MODEL.ROI_HEADS.NMS_THRESH_TEST", "model.box_head.nms_threshold"},
    {"MODEL.ROI_BOX_HEAD.BBOX_REG_LOSS_WEIGHT", "solver.loss_weights.loss_box_reg"},
    {"MODEL.ROI_BOX_HEAD.BBOX_REG_WEIGHTS", "model.box_head.regression_weights"},
    {"MODEL.ROI_BOX_HEAD.POOLER_RESOLUTION", "model.box_head.roi_resolution"},
    {"MODEL.ROI_BOX_HEAD.POOLER_SAMPLING_RATIO", "model.box_head.sampling_ratio"},
    {"MODEL.ROI_BOX_HEAD.FC_DIM", "model.box_head.fc_dim"},
    {"MODEL.ROI_BOX_CASCADE_HEAD", kNoCounterpart},
    {"MODEL.ROI_MASK_HEAD.POOLER_RESOLUTION", "model.mask_head.roi_resolution"},
    {"MODEL.ROI_MASK_HEAD.POOLER_SAMPLING_RATIO", "model.mask_head.sampling_ratio"},
    {"MODEL.ROI_MASK_HEAD.NUM_CONV", "model.mask_head.convs"},
    {"MODEL.ROI_MASK_HEAD.CONV_DIM", "model.mask_head.channels"},
    {"MODEL.ROI_KEYPOINT_HEAD", kNoCounterpart},
    {"MODEL.SEM_SEG_HEAD", kNoCounterpart},
    {"MODEL.PANOPTIC_FPN", kNoCounterpart},
    {"MODEL.RETINANET", kNoCounterpart},
    {"MODEL.RESNETS.DEPTH", "model.backbone",
     "18=model.backbone: resnet18|34=model.backbone: resnet34|50=model.backbone: resnet50|"
     "101=model.backbone: resnet101"},
    {"MODEL.RESNETS.NORM", "model.norm"},
    {"SOLVER.LR_SCHEDULER_NAME", "solver.schedule"},
    {"SOLVER.MAX_ITER", "solver.max_steps"},
    {"SOLVER.BASE_LR", "solver.base_lr"},
    {"SOLVER.MOMENTUM", "solver.momentum"},
    {"SOLVER.NESTEROV", "solver.nesterov"},
    {"SOLVER.WEIGHT_DECAY", "solver.weight_decay"},
    {"SOLVER.WEIGHT_DECAY_NORM", "solver.norm_weight_decay"},
    {"SOLVER.WEIGHT_DECAY_BIAS", "remove it: solver.weight_decay is of biases too"},
    {"SOLVER.GAMMA", "solver.gamma"},
    {"SOLVER.STEPS", "solver.milestones"},
    {"SOLVER.WARMUP_FACTOR", "solver.warmup_factor"},
    {"SOLVER.WARMUP_ITERS", "solver.warmup_steps"},
    {"SOLVER.WARMUP_METHOD", "remove it: the warm-up is linear"},
    {"SOLVER.CHECKPOINT_PERIOD", "checkpoint.every"},
    {"SOLVER.IMS_PER_BATCH", "solver.batch_size"},
    {"SOLVER.REFERENCE_WORLD_SIZE", "remove it: solver.batch_size is of all ranks"},
    {"SOLVER.BIAS_LR_FACTOR", "solver.bias_lr_factor"},
    {"SOLVER.CLIP_GRADIENTS.ENABLED", "solver.clip_grad_norm", "false=solver.clip_grad_norm: 0"},
    {"SOLVER.CLIP_GRADIENTS.CLIP_TYPE",
     "remove it: solver.clip_grad_norm limits the norm over all parameters"},
    {"SOLVER.CLIP_GRADIENTS.CLIP_VALUE", "solver.clip_grad_norm"},
    {"SOLVER.CLIP_GRADIENTS.NORM_TYPE", "remove it: solver.clip_grad_norm is an L2 norm"},
    {"SOLVER.AMP.ENABLED", "runtime.precision",
     "true=runtime.precision: auto|false=runtime.precision: fp32"},
    {"TEST.EVAL_PERIOD", "evaluation.ap_every"},
    {"TEST.DETECTIONS_PER_IMAGE", "model.box_head.detections_per_image"},
    {"TEST.AUG", kNoCounterpart},
    {"TEST.PRECISE_BN", kNoCounterpart},
    {"OUTPUT_DIR", "name the run folder on the command line: --output RUN_DIR"},
    {"SEED", "runtime.seed"},
    {"CUDNN_BENCHMARK",
     "remove it: cuDNN benchmarks its algorithms with runtime.cuda_graphs: true"},
    {"VIS_PERIOD", "monitor.predictions_every"},
    {"GLOBAL.HACK", kNoCounterpart},

    {"test", "evaluation"},
    {"input", "augment"},
    {"datasets", "dataset"},
    {"dataloader", "dataset"},
    {"dataset.test", "dataset.val"},
    {"epochs", "solver.max_steps", "*=solver.max_steps: * epochs"},
    {"max_epochs", "solver.max_steps", "*=solver.max_steps: * epochs"},
    {"num_epochs", "solver.max_steps", "*=solver.max_steps: * epochs"},
    {"iterations", "solver.max_steps"},
    {"max_iter", "solver.max_steps"},
    {"steps", "solver.max_steps"},
    {"lr_steps", "solver.milestones"},
    {"learning_rate", "solver.base_lr"},
    {"lr0", "solver.base_lr"},
    {"batch", "solver.batch_size"},
    {"ims_per_batch", "solver.batch_size"},
    {"imgsz", "augment.min_size"},
    {"num_workers", "dataset.loader_threads"},
    {"amp", "runtime.precision", "true=runtime.precision: auto|false=runtime.precision: fp32"},
    {"precision", "runtime.precision"},
    {"pretrained", "model.weights"},
    {"checkpoint_period", "checkpoint.every"},
};

constexpr std::size_t kMaxKeyBytes = 100;

bool isAdvice(std::string_view ours) { return ours.find(' ') != std::string_view::npos; }

std::string_view lastNameOf(std::string_view key) { return key.substr(key.rfind('.') + 1); }

/// A value in Python's notation as YAML; any other text as it is.
std::string fromPython(std::string text) {
  if (text == "None") return "null";
  if (text == "True") return "true";
  if (text == "False") return "false";
  if (!text.starts_with('(') || !text.ends_with(')')) return text;
  std::string list;
  for (const char character : text) {
    const char written = character == '(' ? '[' : character == ')' ? ']' : character;
    // A tuple of one is written with a comma: (800,)
    if (written == ']') list.erase(list.find_last_not_of(", ") + 1);
    list += written;
  }
  return list;
}

/// The values of a list, nested lists flattened: [[32], [64]] -> 32, 64.
std::string itemsText(const YamlNode& node) {
  std::string text;
  for (const YamlNode& item : node.items) {
    const std::string part = item.kind == YamlNode::Kind::List ? itemsText(item) : item.text;
    text += (text.empty() || part.empty() ? "" : ", ") + part;
  }
  return text;
}

/// As YAML; empty: there is none, or it is a section.
std::string valueText(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::Scalar) return fromPython(node.text);
  return node.kind == YamlNode::Kind::List ? "[" + itemsText(node) + "]" : std::string();
}

/// The value as the field writes it; empty: it does not fit.
std::string fittingValue(const Field& field, const std::string& value) {
  if (value.empty() || (field.type == FieldType::Path && isUrl(value))) return {};
  Experiment experiment;
  ValueError error = field.check(experiment, value);
  if (!error.suggestion.empty() && !isList(field.type))
    error = field.check(experiment, error.suggestion);
  return error.text.empty() ? field.text(experiment) : std::string();
}

/// The entry of `values` for a value as `KEY: VALUE`; empty: none.
std::string entryFor(std::string_view values, const std::string& value) {
  while (!values.empty() && !value.empty()) {
    const std::string_view entry = values.substr(0, values.find('|'));
    values.remove_prefix(std::min(entry.size() + 1, values.size()));
    const std::string_view theirs = entry.substr(0, entry.find('='));
    std::string ours(entry.substr(theirs.size() + 1));
    if (theirs == base::lowerCase(value)) return ours;
    if (theirs == "*") return ours.replace(ours.find('*'), 1, value);
  }
  return {};
}

KeyHere answerOf(const OtherKey& row, const YamlNode* value) {
  if (isAdvice(row.ours)) return {.key = {}, .value = {}, .advice = std::string(row.ours)};
  KeyHere here{.key = std::string(row.ours), .value = {}, .advice = {}};
  std::string written = value != nullptr ? valueText(*value) : std::string();
  if (const std::string entry = entryFor(row.values, written); !entry.empty()) {
    here.key = entry.substr(0, entry.find(": "));
    written = entry.substr(here.key.size() + 2);
  }
  if (const Field* field = findField(here.key)) here.value = fittingValue(*field, written);
  return here;
}

bool exists(const std::string& key) { return findField(key) != nullptr || isSection(key); }

}  // namespace

std::string KeyHere::text(const char* separator) const {
  if (!advice.empty()) return advice;
  return "did you mean " + key + (value.empty() ? "" : separator + value) + "?";
}

std::string normalisedKey(std::string_view key) {
  std::string text = base::lowerCase(std::string(key));
  std::ranges::replace_if(
      text, [](char character) { return character == '-' || character == ' '; }, '_');
  return text;
}

std::optional<KeyHere> keyHere(std::string_view written, const YamlNode* value) {
  for (const OtherKey& row : kOtherKeys)
    if (row.theirs == written) return answerOf(row, value);
  const std::string key = normalisedKey(written.substr(0, kMaxKeyBytes));
  for (const OtherKey& row : kOtherKeys) {
    const std::string theirs = normalisedKey(row.theirs);
    if (theirs == key) {
      KeyHere here = answerOf(row, value);
      // In another case it may be a typing error of one of our keys, to which the value belongs.
      if (value == nullptr || !here.value.empty() || !here.advice.empty() || isSection(here.key))
        return here;
    } else if (key.starts_with(theirs + ".") && isSection(row.ours)) {
      const std::string ours = std::string(row.ours) + key.substr(theirs.size());
      if (exists(ours)) return KeyHere{.key = ours, .value = {}, .advice = {}};
    }
  }
  return std::nullopt;
}

std::string keyHereByLastName(std::string_view written) {
  const std::string last = normalisedKey(lastNameOf(written.substr(0, kMaxKeyBytes)));
  std::string_view found;
  for (const OtherKey& row : kOtherKeys) {
    if (isAdvice(row.ours) || normalisedKey(lastNameOf(row.theirs)) != last) continue;
    if (!found.empty() && found != row.ours) return {};
    found = row.ours;
  }
  return std::string(found);
}

bool isDetectron2Key(std::string_view key) {
  const bool hasLowerCase =
      std::ranges::any_of(key, [](char character) { return character >= 'a' && character <= 'z'; });
  const std::string root = std::string(key.substr(0, key.find('.'))) + ".";
  return !hasLowerCase && std::ranges::any_of(kOtherKeys, [&](const OtherKey& row) {
    return row.theirs.starts_with(root);
  });
}

ValueError pythonError(const Field& field, const YamlNode& value) {
  if (value.kind != YamlNode::Kind::Scalar) return {};
  const std::string yaml = fromPython(value.text);
  const bool isNull = yaml == "null" && field.nullable && !value.isQuoted;
  const bool isTuple = yaml.starts_with('[') && yaml != value.text && isList(field.type);
  if (!isNull && !isTuple) return {};
  Experiment experiment;
  if (!field.check(experiment, yaml).text.empty()) return {};
  return {shortened(value.text) + (isNull ? " is Python's word" : " is a tuple of Python's") +
              "; did you mean " + yaml + "?",
          yaml};
}

}  // namespace lockstep::config
