#include "engine/ops/paste_masks.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "engine/ops/vector_clones.h"

namespace lockstep::ops {
namespace {

/// Where a pixel of the enlarged mask reads the small one: low * (1 - fraction) + high * fraction.
struct Lerp {
  std::int32_t low, high;
  float fraction;
};

/// One axis of a bilinear resize of `from` to `to` pixels with align_corners false.
Lerp lerpAt(std::int64_t target, std::int64_t from, std::int64_t to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  const float place = std::max((static_cast<float>(target) + 0.5f) * scale - 0.5f, 0.0f);
  const auto low = std::min(static_cast<std::int32_t>(place), static_cast<std::int32_t>(from - 1));
  const auto high = std::min(low + 1, static_cast<std::int32_t>(from - 1));
  return {low, high, std::min(place - static_cast<float>(low), 1.0f)};
}

/// The box in whole px that the padded mask covers, before it is cut to the image: [x1, x2] x [y1,
/// y2].
struct PixelBox {
  std::int64_t x1, y1, x2, y2;
};

PixelBox grownBox(const float* box, std::int64_t side) {
  const auto scale = static_cast<float>(static_cast<double>(side + 2) / static_cast<double>(side));
  const float halfWidth = (box[2] - box[0]) * 0.5f * scale, centreX = (box[2] + box[0]) * 0.5f;
  const float halfHeight = (box[3] - box[1]) * 0.5f * scale, centreY = (box[3] + box[1]) * 0.5f;
  return {static_cast<std::int64_t>(centreX - halfWidth),
          static_cast<std::int64_t>(centreY - halfHeight),
          static_cast<std::int64_t>(centreX + halfWidth),
          static_cast<std::int64_t>(centreY + halfHeight)};
}

/// A mask [side,side] with a border of one pixel of zeros.
std::vector<float> padded(const float* probs, std::int64_t side) {
  std::vector<float> mask((side + 2) * (side + 2), 0.0f);
  for (std::int64_t y = 0; y < side; ++y) {
    std::copy_n(probs + y * side, side, mask.begin() + (y + 1) * (side + 2) + 1);
  }
  return mask;
}

/// One row of the crop out of a row that was already interpolated between mask rows.
LOCKSTEP_VECTOR_CLONES
void thresholdRow(const float* line, const Lerp* columns, std::int64_t width, float threshold,
                  std::uint8_t* out) {
  for (std::int64_t x = 0; x < width; ++x) {
    const float low = line[columns[x].low], high = line[columns[x].high];
    const float fraction = columns[x].fraction;
    out[x] = (1.0f - fraction) * low + fraction * high > threshold;
  }
}

MaskCrop pasteMask(const float* probs, std::int64_t side, const float* box, const ImageSize& size,
                   float threshold) {
  const PixelBox grown = grownBox(box, side);
  const std::int64_t fullWidth = std::max<std::int64_t>(grown.x2 - grown.x1 + 1, 1);
  const std::int64_t fullHeight = std::max<std::int64_t>(grown.y2 - grown.y1 + 1, 1);
  MaskCrop crop;
  crop.x = std::clamp<std::int64_t>(grown.x1, 0, size.width);
  crop.y = std::clamp<std::int64_t>(grown.y1, 0, size.height);
  crop.width = std::max<std::int64_t>(std::min(grown.x2 + 1, size.width) - crop.x, 0);
  crop.height = std::max<std::int64_t>(std::min(grown.y2 + 1, size.height) - crop.y, 0);
  crop.pixels.assign(crop.width * crop.height, 0);

  const std::int64_t from = side + 2;
  const std::vector<float> mask = padded(probs, side);
  std::vector<Lerp> columns;
  for (std::int64_t x = 0; x < crop.width; ++x) {
    columns.push_back(lerpAt(crop.x + x - grown.x1, from, fullWidth));
  }
  std::vector<float> line(from);
  for (std::int64_t y = 0; y < crop.height; ++y) {
    const Lerp row = lerpAt(crop.y + y - grown.y1, from, fullHeight);
    const float *low = mask.data() + row.low * from, *high = mask.data() + row.high * from;
    float largest = 0;
    for (std::int64_t x = 0; x < from; ++x) {
      line[x] = (1.0f - row.fraction) * low[x] + row.fraction * high[x];
      largest = std::max(largest, line[x]);
    }
    if (largest <= threshold) continue;
    thresholdRow(line.data(), columns.data(), crop.width, threshold,
                 crop.pixels.data() + y * crop.width);
  }
  return crop;
}

}  // namespace

std::vector<MaskCrop> pasteMasks(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                 const ImageSize& size, float threshold) {
  TORCH_CHECK(probs.dim() == 3 && probs.size(1) == probs.size(2), "probs must be [D,M,M], got ",
              probs.sizes());
  TORCH_CHECK(boxesXyxy.dim() == 2 && boxesXyxy.size(1) == 4 && boxesXyxy.size(0) == probs.size(0),
              "boxes must be [", probs.size(0), ",4], got ", boxesXyxy.sizes());
  const at::Tensor masks = probs.to(at::kCPU, at::kFloat).contiguous();
  const at::Tensor boxes = boxesXyxy.to(at::kCPU, at::kFloat).contiguous();
  const std::int64_t side = masks.size(1);
  std::vector<MaskCrop> crops(masks.size(0));
  at::parallel_for(0, masks.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t d = begin; d < end; ++d) {
      crops[d] = pasteMask(masks.const_data_ptr<float>() + d * side * side, side,
                           boxes.const_data_ptr<float>() + 4 * d, size, threshold);
    }
  });
  return crops;
}

at::Tensor fullMasks(const std::vector<MaskCrop>& crops, const ImageSize& size) {
  const auto count = static_cast<std::int64_t>(crops.size());
  at::Tensor masks = at::zeros({count, size.height, size.width}, at::kByte);
  auto* data = masks.data_ptr<std::uint8_t>();
  for (std::int64_t d = 0; d < count; ++d) {
    const MaskCrop& crop = crops[d];
    for (std::int64_t y = 0; y < crop.height; ++y) {
      std::copy_n(crop.pixels.data() + y * crop.width, crop.width,
                  data + (d * size.height + crop.y + y) * size.width + crop.x);
    }
  }
  return masks;
}

}  // namespace lockstep::ops
