#include "engine/ops/mask_targets.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "engine/ops/cpu/roi_sampling.h"
#include "engine/ops/roi_align.h"

namespace lockstep::ops {
namespace {

/// The mask of an object.
struct ObjectMask {
  const std::uint8_t* pixels;
  structures::MaskWindow window;
  std::int64_t imageHeight, imageWidth;
};

/// mask -> out [bins,bins]. First the rows of a bin into one weighted row, then its columns. Pixels
/// outside of the window are 0: left out, the sums keep their bits.
void crop(const ObjectMask& mask, const RegionTaps& region, std::vector<float>& line, float* out) {
  const AxisTaps &rows = region.rows, &columns = region.columns;
  if (columns.taps.empty()) return;
  const structures::MaskWindow& window = mask.window;
  const std::int64_t left = columns.taps.front().pixel, right = columns.taps.back().pixel + 1;
  const std::int64_t begin = std::max(left, window.left),
                     end = std::min(right, window.left + window.width);
  const std::size_t bins = columns.begin.size() - 1;
  for (std::size_t i = 0; i + 1 < rows.begin.size(); ++i, out += bins) {
    line.assign(right - left, 0.0f);
    for (std::int32_t r = rows.begin[i]; r < rows.begin[i + 1]; ++r) {
      const std::int64_t y = rows.taps[r].pixel - window.top;
      if (y < 0 || y >= window.height || begin >= end) continue;
      const std::uint8_t* row = mask.pixels + y * window.width + (begin - window.left);
      float* sums = line.data() + (begin - left);
      const float weight = rows.taps[r].weight;
      for (std::int64_t x = 0; x < end - begin; ++x) sums[x] += weight * static_cast<float>(row[x]);
    }
    for (std::size_t j = 0; j < bins; ++j) {
      float sum = 0;
      for (std::int32_t k = columns.begin[j]; k < columns.begin[j + 1]; ++k) {
        sum += columns.taps[k].weight * line[columns.taps[k].pixel - left];
      }
      out[j] = sum;
    }
  }
}

ObjectMask maskOf(const structures::GtMasks& masks, std::int64_t image, std::int64_t object) {
  TORCH_CHECK(image < masks.imageCount(), "an RoI has image index ", image, " of ",
              masks.imageCount());
  const bool isPlace = object >= 0 && object < masks.mostObjects();
  const auto* windows =
      reinterpret_cast<const structures::MaskWindow*>(masks.windows.const_data_ptr<std::int64_t>());
  const structures::MaskWindow window =
      isPlace ? windows[image * masks.mostObjects() + object] : structures::MaskWindow{};
  TORCH_CHECK(window.firstByte != structures::MaskWindow::kNoMask, "an RoI has object index ",
              object, ", which does not exist in image ", image);
  const std::int64_t* size = masks.sizes.const_data_ptr<std::int64_t>() + 2 * image;
  return {masks.pixels.const_data_ptr<std::uint8_t>() + window.firstByte, window, size[0], size[1]};
}

}  // namespace

at::Tensor cpu::maskTargets(const structures::GtMasks& masks, const MaskRegions& regions,
                            std::int64_t side) {
  const RoiAlignShape shape{side, side, /*samplingRatio=*/0};
  const at::Tensor boxes = regions.boxesXyxy.contiguous();
  const at::Tensor images = regions.images.contiguous(), objects = regions.objects.contiguous();
  at::Tensor out = at::zeros({boxes.size(0), side, side}, at::kFloat);
  at::parallel_for(0, boxes.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> line;
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t image = images.const_data_ptr<std::int64_t>()[p];
      if (image < 0) continue;
      const ObjectMask mask = maskOf(masks, image, objects.const_data_ptr<std::int64_t>()[p]);
      const float* box = boxes.const_data_ptr<float>() + 4 * p;
      crop(mask, regionTaps(box, 1.0f, mask.imageHeight, mask.imageWidth, shape), line,
           out.data_ptr<float>() + p * side * side);
    }
  });
  return out;
}

}  // namespace lockstep::ops
