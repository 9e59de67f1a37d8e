#include "engine/events/foreign_tags.h"

#include <algorithm>

#include "engine/events/tags.h"

namespace lockstep::events::tags {
namespace {

struct ForeignTag {
  const char *foreign, *own;
};

constexpr ForeignTag kForeignTags[] = {
    // detectron2: engine/hooks.py, modeling/roi_heads, modeling/proposal_generator; not its AP,
    // which is a percentage
    {"total_loss", kTrainTotalLoss},
    {"loss_cls", "train/loss_classifier"},
    {"loss_box_reg", "train/loss_box_reg"},
    {"loss_mask", "train/loss_mask"},
    {"loss_rpn_cls", "train/loss_objectness"},
    {"loss_rpn_loc", "train/loss_rpn_box_reg"},
    {"validation_loss", kEvalTotalLoss},
    {"lr", kLearningRate},
    {"time", kStepSeconds},
    {"data_time", kDataSeconds},
    // torchvision's references, as their metric names
    {"loss", kTrainTotalLoss},
    {"loss_classifier", "train/loss_classifier"},
    {"loss_objectness", "train/loss_objectness"},
    {"loss_rpn_box_reg", "train/loss_rpn_box_reg"},
    // PyTorch Lightning's tutorials and its LearningRateMonitor
    {"train_loss", kTrainTotalLoss},
    {"train_loss_step", kTrainTotalLoss},
    {"val_loss", kEvalTotalLoss},
    {"lr-SGD", kLearningRate},
    {"lr-AdamW", kLearningRate},
};

}  // namespace

std::string ofForeign(const std::string& tag) {
  const auto* found = std::ranges::find(kForeignTags, tag, &ForeignTag::foreign);
  return found == std::end(kForeignTags) ? tag : found->own;
}

}  // namespace lockstep::events::tags
