#include "engine/data/batch.h"

#include <algorithm>

#include "engine/base/counter_hash.h"
#include "engine/config/padded_sizes.h"
#include "engine/ops/resize_images.h"

namespace lockstep::data {

Batch Batch::to(const at::Device& device, at::ScalarType imageType) const {
  Batch moved = *this;
  moved.gts = gts.to(device);
  if (decoded.pixels.defined()) {
    moved.images = ops::resizeImages(decoded.to(device), padded, imageType);
    moved.decoded = {};
  } else {
    moved.images = images.to(device, /*non_blocking=*/true);
  }
  return moved;
}

LoaderOutput loaderOutputFor(const at::Device& device) {
  return device.is_cpu() ? LoaderOutput::Transformed : LoaderOutput::PinnedDecoded;
}

base::ImageSize paddedSize(const std::vector<base::ImageSize>& sizes) {
  base::ImageSize padded;
  for (const base::ImageSize& size : sizes) {
    padded.height = std::max(padded.height, size.height);
    padded.width = std::max(padded.width, size.width);
  }
  return config::paddedSize(padded);
}

std::uint64_t trainingSamplingKey(std::uint64_t seed, ImageId id, std::int64_t epoch) {
  return base::counterHash(
      {seed, static_cast<std::uint64_t>(id.value), static_cast<std::uint64_t>(epoch) + 1});
}

std::uint64_t evaluationSamplingKey(std::uint64_t seed, ImageId id) {
  return base::counterHash({seed, static_cast<std::uint64_t>(id.value)});
}

}  // namespace lockstep::data
