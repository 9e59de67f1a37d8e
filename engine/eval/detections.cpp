#include "engine/eval/detections.h"

#include <ATen/ATen.h>

#include "engine/ops/paste_masks.h"
#include "engine/structures/tensor_block.h"

namespace lockstep::eval {

std::vector<coco::Detection> toDetections(const structures::PredInstances& predictions,
                                          const base::ImageSize& resized,
                                          const base::ImageSize& original, ImageId imageId,
                                          const std::vector<CategoryId>& categories) {
  const float scaleX = static_cast<float>(original.width) / static_cast<float>(resized.width);
  const float scaleY = static_cast<float>(original.height) / static_cast<float>(resized.height);
  const at::Tensor scales = structures::toDevice(std::vector{scaleX, scaleY, scaleX, scaleY},
                                                 predictions.boxesXyxy.device());
  const at::Tensor scaled = predictions.boxesXyxy * scales;
  std::vector<ops::MaskRuns> masks;
  if (predictions.maskProbs.defined())
    masks = ops::pasteMasks(predictions.maskProbs, scaled, original);
  const at::Tensor boxes = scaled.cpu();
  const at::Tensor scores = predictions.scores.cpu();
  const at::Tensor classes = predictions.classes.cpu();

  const auto box = boxes.accessor<float, 2>();
  const auto score = scores.accessor<float, 1>();
  const auto classIndex = classes.accessor<std::int64_t, 1>();
  std::vector<coco::Detection> detections(static_cast<std::size_t>(boxes.size(0)));
  for (std::size_t i = 0; i < detections.size(); ++i) {
    const double x = box[i][0], y = box[i][1];
    detections[i] = {imageId,
                     categories.at(classIndex[i] - 1),
                     score[i],
                     {x, y, box[i][2] - x, box[i][3] - y},
                     {}};
    if (!masks.empty())
      detections[i].mask = {static_cast<int>(original.height), static_cast<int>(original.width),
                            std::move(masks[i])};
  }
  return detections;
}

}  // namespace lockstep::eval
