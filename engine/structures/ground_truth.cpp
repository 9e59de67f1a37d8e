#include "engine/structures/ground_truth.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

namespace lockstep::structures {
namespace {

/// Copies the values of an image's objects into its row, padded with zeros.
template <typename T>
void copyRow(const at::Tensor& from, T* row, std::int64_t length) {
  std::int64_t count = 0;
  if (from.defined()) {
    TORCH_CHECK(from.is_cpu() && from.numel() <= length, "ground truth must be on the host");
    count = from.numel();
    if (count > 0) std::memcpy(row, from.contiguous().const_data_ptr<T>(), count * sizeof(T));
  }
  std::fill(row + count, row + length, T{0});
}

std::int64_t bytesOf(const CroppedMasks& masks) {
  return masks.pixels.defined() ? masks.pixels.numel() : 0;
}

/// Appends an image's masks to a batch of which `firstByte` bytes are used.
void copyMasks(const CroppedMasks& image, std::int64_t n, std::int64_t firstByte, GtMasks& masks) {
  auto* windows = reinterpret_cast<MaskWindow*>(masks.windows.mutable_data_ptr<std::int64_t>()) +
                  n * masks.mostObjects();
  std::fill_n(windows, masks.mostObjects(), MaskWindow{});
  auto* size = masks.sizes.mutable_data_ptr<std::int64_t>() + 2 * n;
  size[0] = image.size.height;
  size[1] = image.size.width;
  masks.longestSide = std::max({masks.longestSide, size[0], size[1]});
  if (!image.windows.defined() || image.windows.size(0) == 0) return;
  const at::Tensor own = image.windows.contiguous();
  TORCH_CHECK(own.is_cpu() && own.size(0) <= masks.mostObjects(), "got ", own.size(0),
              " masks for ", masks.mostObjects(), " objects");
  std::copy_n(reinterpret_cast<const MaskWindow*>(own.const_data_ptr<std::int64_t>()), own.size(0),
              windows);
  for (std::int64_t g = 0; g < own.size(0); ++g) {
    if (windows[g].firstByte != MaskWindow::kNoMask) windows[g].firstByte += firstByte;
  }
  if (const std::int64_t bytes = bytesOf(image); bytes > 0) {
    std::memcpy(masks.pixels.mutable_data_ptr<std::uint8_t>() + firstByte,
                image.pixels.contiguous().const_data_ptr<std::uint8_t>(), bytes);
  }
}

}  // namespace

at::Tensor GtMasks::hasMask() const { return windows.select(2, 0) != MaskWindow::kNoMask; }

at::Tensor GtBatch::isObject() const {
  return at::arange(classes.size(1), counts.options()).unsqueeze(0) < counts.unsqueeze(1);
}

GtBatch GtBatch::to(const at::Device& device) const {
  const std::vector<at::Tensor> moved = blockTo(
      {boxesXyxy, classes, counts, masks.windows, masks.sizes, areas, masks.pixels}, device);
  return {
      moved[0], moved[1], moved[2], {moved[6], moved[3], moved[4], masks.longestSide}, moved[5]};
}

GtBatch batchGroundTruth(const std::vector<GtInstances>& images, HostMemory memory) {
  const auto count = static_cast<std::int64_t>(images.size());
  std::int64_t most = 1, bytes = 0;
  for (const GtInstances& image : images) {
    most = std::max(most, image.count());
    bytes += bytesOf(image.masks);
  }
  const std::vector<at::Tensor> block = makeBlock({{at::kFloat, {count, most, 4}},
                                                   {at::kLong, {count, most}},
                                                   {at::kLong, {count}},
                                                   {at::kLong, {count, most, kMaskWindowFields}},
                                                   {at::kLong, {count, 2}},
                                                   {at::kFloat, {count, most}},
                                                   {at::kByte, {bytes}}},
                                                  memory);
  GtBatch batch{block[0], block[1], block[2], {block[6], block[3], block[4], 0}, block[5]};
  std::int64_t firstByte = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    const GtInstances& image = images[static_cast<std::size_t>(n)];
    copyRow(image.boxesXyxy, batch.boxesXyxy.mutable_data_ptr<float>() + n * most * 4, most * 4);
    copyRow(image.classes, batch.classes.mutable_data_ptr<std::int64_t>() + n * most, most);
    copyRow(image.areas, batch.areas.mutable_data_ptr<float>() + n * most, most);
    batch.counts.mutable_data_ptr<std::int64_t>()[n] = image.count();
    copyMasks(image.masks, n, firstByte, batch.masks);
    firstByte += bytesOf(image.masks);
  }
  return batch;
}

}  // namespace lockstep::structures
