#include "engine/ops/instances.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/ops/selection.h"

namespace lockstep::ops {

at::Tensor GtBatch::isObject() const {
  return at::arange(classes.size(1), counts.options()).unsqueeze(0) < counts.unsqueeze(1);
}

GtBatch batchGroundTruth(const std::vector<GtInstances>& images, const at::Device& device) {
  std::vector<std::int64_t> counts;
  for (const GtInstances& image : images) counts.push_back(image.count());
  const auto count = static_cast<std::int64_t>(images.size());
  const std::int64_t most = std::max<std::int64_t>(
      1, counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()));
  GtBatch batch{at::zeros({count, most, 4}, at::TensorOptions(at::kFloat).device(device)),
                at::zeros({count, most}, at::TensorOptions(at::kLong).device(device)),
                toDevice(counts, device),
                {}};
  for (std::int64_t n = 0; n < count; ++n) {
    const GtInstances& image = images[static_cast<std::size_t>(n)];
    batch.masks.push_back(image.masks);
    if (image.count() == 0) continue;
    batch.boxesXyxy[n].slice(0, 0, image.count()).copy_(image.boxesXyxy, /*non_blocking=*/true);
    batch.classes[n].slice(0, 0, image.count()).copy_(image.classes, /*non_blocking=*/true);
  }
  return batch;
}

}  // namespace lockstep::ops
