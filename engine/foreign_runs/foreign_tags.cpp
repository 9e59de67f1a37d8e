#include "engine/foreign_runs/foreign_tags.h"

#include <algorithm>
#include <cstring>

#include "engine/events/tags.h"

namespace lockstep::foreign_runs {
namespace {

namespace tags = events::tags;

constexpr double kPercent = 0.01;

struct KnownTag {
  std::string_view foreign;
  const char* own;
  double factor = 1;
};

/// Losses may also be `train/TAG` and, in an evaluation, `val/TAG` or `val_TAG`.
constexpr KnownTag kKnownTags[] = {
    // detectron2: engine/hooks.py, modeling/roi_heads, modeling/proposal_generator
    {"total_loss", tags::kTrainTotalLoss},
    {"loss_cls", "train/loss_classifier"},
    {"loss_box_reg", "train/loss_box_reg"},
    {"loss_mask", "train/loss_mask"},
    {"loss_rpn_cls", "train/loss_objectness"},
    {"loss_rpn_loc", "train/loss_rpn_box_reg"},
    {"validation_loss", tags::kEvalTotalLoss},
    {"lr", tags::kLearningRate},
    {"time", tags::kStepSeconds},
    {"data_time", tags::kDataSeconds},
    // MMDetection: models/detectors, and mmengine's hooks
    {"loss", tags::kTrainTotalLoss},
    {"loss_bbox", "train/loss_box_reg"},
    {"loss_rpn_bbox", "train/loss_rpn_box_reg"},
    {"grad_norm", tags::kGradientNorm},
    // torchvision's references, as their metric names
    {"loss_classifier", "train/loss_classifier"},
    {"loss_objectness", "train/loss_objectness"},
    {"loss_rpn_box_reg", "train/loss_rpn_box_reg"},
    // PyTorch Lightning's tutorials and its LearningRateMonitor
    {"train_loss", tags::kTrainTotalLoss},
    {"train_loss_step", tags::kTrainTotalLoss},
    {"lr-SGD", tags::kLearningRate},
    {"lr-Adam", tags::kLearningRate},
    {"lr-AdamW", tags::kLearningRate},
    // Ultralytics: utils/callbacks/tensorboard.py, and YOLOv5's train.py
    {"box_loss", "train/loss_box_reg"},
    {"cls_loss", "train/loss_classifier"},
    {"seg_loss", "train/loss_mask"},
    {"lr/pg0", tags::kLearningRate},
    {"x/lr0", tags::kLearningRate},
    // Hugging Face's Trainer, and TensorFlow's object detection
    {"learning_rate", tags::kLearningRate},
    // RF-DETR: util/metrics.py
    {"Loss/Train", tags::kTrainTotalLoss},
    {"Loss/Test", tags::kEvalTotalLoss},
    // Matterport's Mask R-CNN: mrcnn/model.py
    {"mrcnn_class_loss", "train/loss_classifier"},
    {"mrcnn_bbox_loss", "train/loss_box_reg"},
    {"mrcnn_mask_loss", "train/loss_mask"},
    {"rpn_class_loss", "train/loss_objectness"},
    {"rpn_bbox_loss", "train/loss_rpn_box_reg"},
};

/// Before the name of an AP: detectron2's are percentages (evaluation/coco_evaluation.py),
/// MMDetection's fractions (evaluation/metrics/coco_metric.py).
constexpr KnownTag kKnownAps[] = {
    {"segm/AP", tags::kMaskAp, kPercent},
    {"bbox/AP", tags::kBoxAp, kPercent},
    {"coco/segm_mAP", tags::kMaskAp},
    {"coco/bbox_mAP", tags::kBoxAp},
};

/// Whole names, of fractions.
constexpr KnownTag kApNames[] = {
    // Ultralytics: utils/metrics.py, with (B) for boxes or (M) for masks behind them, or, as MLflow
    // allows no parentheses, B or M; YOLOv5 has them only where it segments
    {"metrics/mAP50-95", tags::kBoxAp},
    {"metrics/mAP50", "eval/bbox/AP50"},
    {"metrics/mAP_0.5:0.95", tags::kBoxAp},
    {"metrics/mAP_0.5", "eval/bbox/AP50"},
    // TensorFlow's object detection: metrics/coco_evaluation.py
    {"DetectionBoxes_Precision/mAP", tags::kBoxAp},
    {"DetectionBoxes_Precision/mAP@.50IOU", "eval/bbox/AP50"},
    {"DetectionBoxes_Precision/mAP@.75IOU", "eval/bbox/AP75"},
    {"DetectionMasks_Precision/mAP", tags::kMaskAp},
    {"DetectionMasks_Precision/mAP@.50IOU", "eval/segm/AP50"},
    {"DetectionMasks_Precision/mAP@.75IOU", "eval/segm/AP75"},
    // YOLOX: core/trainer.py, and RF-DETR: util/metrics.py
    {"val/COCOAP50_95", tags::kBoxAp},
    {"val/COCOAP50", "eval/bbox/AP50"},
    {"Metrics/Base/AP50_90", tags::kBoxAp},
    {"Metrics/Base/AP50", "eval/bbox/AP50"},
};
/// detectron2's `segm/AP-person` has the category's name where ours has its id.
constexpr std::string_view kOfClass = "-";
constexpr std::string_view kApSuffixes[] = {"", "50", "75", "s", "m", "l"};

const KnownTag* find(std::string_view foreign) {
  const auto* found = std::ranges::find(kKnownTags, foreign, &KnownTag::foreign);
  return found == std::end(kKnownTags) ? nullptr : found;
}

std::string_view withoutPrefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view();
}

/// Removes Ultralytics' mark of boxes or masks; `isOfMasks`: it was that of masks.
std::string withoutMark(std::string_view foreign, bool& isOfMasks) {
  std::string name(foreign);
  if (!name.starts_with("metrics/mAP")) return name;
  std::erase_if(name, [](char character) { return character == '(' || character == ')'; });
  isOfMasks = name.ends_with('M');
  if (isOfMasks || name.ends_with('B')) name.pop_back();
  return name;
}

OwnTag apNamed(std::string_view foreign) {
  bool isOfMasks = false;
  const std::string name = withoutMark(foreign, isOfMasks);
  const auto* const known = std::ranges::find(kApNames, std::string_view(name), &KnownTag::foreign);
  if (known == std::end(kApNames)) return {};
  return {isOfMasks ? tags::kMaskAp + std::string(known->own).substr(std::strlen(tags::kBoxAp))
                    : known->own};
}

OwnTag apOf(std::string_view foreign) {
  if (OwnTag named = apNamed(foreign); !named.tag.empty()) return named;
  for (const KnownTag& ap : kKnownAps) {
    if (!foreign.starts_with(ap.foreign)) continue;
    std::string_view suffix = foreign.substr(ap.foreign.size());
    if (ap.factor != 1 && suffix.starts_with(kOfClass) && suffix != kOfClass)
      return {std::string(ap.own) + "/class/" + std::string(suffix.substr(1)), ap.factor};
    if (ap.factor == 1 && suffix.starts_with('_')) suffix.remove_prefix(1);
    if (std::ranges::find(kApSuffixes, suffix) != std::end(kApSuffixes))
      return {ap.own + std::string(suffix), ap.factor};
  }
  return {};
}

}  // namespace

OwnTag ownTagOf(std::string_view foreign) {
  if (const KnownTag* known = find(foreign)) return {known->own};
  if (OwnTag ap = apOf(foreign); !ap.tag.empty()) return ap;
  if (const std::string_view name = withoutPrefix(foreign, "train/"); !name.empty()) {
    if (const KnownTag* known = find(name); known && isOfTraining(name)) return {known->own};
  }
  for (const char* prefix : {"val/", "eval/", "val_"}) {
    const std::string_view name = withoutPrefix(foreign, prefix);
    const KnownTag* known = name.empty() ? nullptr : find(name);
    if (known && tags::isTrainLoss(known->own)) return {tags::eval(tags::nameIn(known->own))};
  }
  if (const std::string_view name = withoutPrefix(foreign, "val/"); name.starts_with("coco/")) {
    if (OwnTag ap = apOf(name); !ap.tag.empty()) return ap;
  }
  return {std::string(foreign)};
}

bool isOfTraining(std::string_view foreign) {
  const KnownTag* known = find(foreign);
  return known ? !std::string_view(known->own).starts_with("eval/")
               : foreign.starts_with("loss_") || foreign.starts_with("loss/");
}

}  // namespace lockstep::foreign_runs
