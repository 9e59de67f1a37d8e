#include "engine/formats/experiment_text.h"

#include <algorithm>
#include <cmath>

#include "engine/base/shortened_text.h"
#include "engine/config/experiment_name.h"
#include "engine/config/value_text.h"
#include "engine/formats/outlines.h"

namespace lockstep::formats {
namespace {

/// Height or width of an object's box, px: the root of its area.
double sideOf(const SourceObject& object) {
  if (const auto* rle = std::get_if<coco::Rle>(&object.segmentation))
    return std::sqrt(static_cast<double>(coco::areaPx(*rle)));
  const auto [left, top, right, bottom] = extentOf(object);
  return std::sqrt((right - left) * (bottom - top));
}

}  // namespace

int minSizeFor(const Source& source) {
  constexpr double kSeen = 24;
  std::vector<double> shares;
  for (const SourceImage& image : source.images)
    for (const SourceObject& object : image.objects)
      shares.push_back(sideOf(object) / static_cast<double>(std::max<std::int64_t>(
                                            1, std::min(image.size.width, image.size.height))));
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  for (const int size : {256, 384, 512, 640})
    if (*middle * size >= kSeen) return size;
  return 800;
}

std::string experimentText(const ImportOptions& options, const ExperimentFolders& folders,
                           const ImportReport& report) {
  constexpr std::int64_t kEpochs = 20, kBatch = 2, kFewestSteps = 400, kMostSteps = 20'000,
                         kDetections = 100;
  const std::int64_t steps =
      std::clamp(kEpochs * report.train.images / kBatch / 100 * 100, kFewestSteps, kMostSteps);
  const int minSize = report.minSizePx;
  const std::int64_t most = (report.mostObjects + 99) / 100 * 100;
  const bool isDense = report.mostObjects > kDetections;
  const std::int64_t proposals = isDense ? std::max<std::int64_t>(300, 2 * most) : 300,
                     beforeNms = isDense ? std::max<std::int64_t>(500, 4 * most) : 500;
  const auto part = [](const char* name, const std::string& folder) {
    return folder.empty() ? std::string()
                          : std::string("  ") + name + ": {images: " + config::writeText(folder) +
                                ", annotations: annotations/instances_" + name + ".json}\n";
  };
  std::string text = "# Imported from " +
                     base::shortened(fs::absolute(options.source).lexically_normal().string()) +
                     " (" + base::textOf(report.format) +
                     "). Edit it as you like.\n"
                     "# A small model that trains from scratch on a CPU. On a GPU use ImageNet "
                     "weights and a larger one:\n"
                     "# see model.backbone and model.weights.\n"
                     "name: " +
                     config::nameAfterFolder(options.out) + "\ndataset:\n" +
                     part("train", folders.train) + part("val", folders.val);
  text += "augment:\n  min_size: [" + std::to_string(minSize) +
          "]\n  max_size: " + std::to_string(2 * minSize) +
          "\nmodel:\n  backbone: resnet18\n  norm: group               # from scratch: no weights "
          "to start from\n"
          "  fpn_channels: 64\n"
          "  rpn: {pre_nms_top_n_train: 1000, pre_nms_top_n_test: " +
          std::to_string(beforeNms) +
          ", post_nms_top_n_train: 500, post_nms_top_n_test: " + std::to_string(proposals) + "}\n";
  text += "  box_head: {fc_dim: 256, batch_size_per_image: 64" +
          (isDense ? ", detections_per_image: " + std::to_string(most) : std::string()) + "}\n";
  text += report.isBoxOnly() ? "  masks: false              # the annotations have boxes alone\n"
                             : "  mask_head: {convs: 2, channels: 64}\n";
  text +=
      "solver:\n  base_lr: 0.02\n  schedule: cosine\n  warmup_steps: 50\n  warmup_factor: 0.02\n  "
      "max_steps: " +
      std::to_string(steps) + "\n  batch_size: 2\n  clip_grad_norm: 10\n";
  text += "evaluation: {loss_every: " + std::to_string(steps / 8) +
          ", ap_every: " + std::to_string(steps / 4) +
          (isDense ? ", max_dets: [1, 10, " + std::to_string(most) + "]" : std::string()) + "}\n";
  return text + "checkpoint: {every: " + std::to_string(steps / 4) +
         "}\nmonitor: {log_every: 5, predictions_every: " + std::to_string(steps / 8) +
         "}\nruntime: {precision: auto}\n";
}

}  // namespace lockstep::formats
