#include "engine/data/transform.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "engine/coco/masks/mask_geometry.h"
#include "engine/data/annotated_image.h"
#include "engine/ops/resize_images.h"

namespace lockstep::data {
namespace {

/// A box inside its image, px.
struct Box {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  bool isEmpty() const { return !(x2 > x1 && y2 > y1); }
};

/// Bounding box of an annotation, before it is resized.
Box boxWithin(const base::ImageSize& image, const std::array<double, 4>& xywh) {
  const auto [x, y, width, height] = coco::clippedBox(xywh, image);
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(x + width),
          static_cast<float>(y + height)};
}

/// Flips, then scales by the ratios of the actual sizes (torchvision's resize_boxes). Boxes thinner
/// than the spacing of float32 at the far side of the image may become empty.
Box transformedBox(Box box, const TransformPlan& plan) {
  const auto width = static_cast<float>(plan.croppedSize().width),
             height = static_cast<float>(plan.croppedSize().height);
  if (plan.flipHorizontal) box = {width - box.x2, box.y1, width - box.x1, box.y2};
  if (plan.flipVertical) box = {box.x1, height - box.y2, box.x2, height - box.y1};
  const float ratioX = static_cast<float>(plan.resized.width) / width;
  const float ratioY = static_cast<float>(plan.resized.height) / height;
  return {box.x1 * ratioX, box.y1 * ratioY, box.x2 * ratioX, box.y2 * ratioY};
}

/// First output pixel whose nearest input pixel is `in` or later, for in = 0 … inPx: input pixels
/// [a, b) become output pixels [starts[a], starts[b]). As ATen's interpolate on a CPU.
std::vector<std::int32_t> nearestStarts(std::int64_t inPx, std::int64_t outPx) {
  std::vector<std::int32_t> starts;
  const float scale = static_cast<float>(inPx) / static_cast<float>(outPx);
  for (std::int32_t i = 0; i < outPx; ++i) {
    const auto source =
        std::min(static_cast<std::int64_t>(std::floor(static_cast<float>(i) * scale)), inPx - 1);
    while (static_cast<std::int64_t>(starts.size()) <= source) starts.push_back(i);
  }
  starts.resize(static_cast<std::size_t>(inPx) + 1, static_cast<std::int32_t>(outPx));
  return starts;
}

/// Rasterises masks at the resized size directly from RLE runs, without a full-size mask, and only
/// within their bounding window.
class MaskCropper {
 public:
  explicit MaskCropper(const TransformPlan& plan)
      : plan_(plan),
        columnStarts_(nearestStarts(plan.croppedSize().width, plan.resized.width)),
        rowStarts_(nearestStarts(plan.croppedSize().height, plan.resized.height)) {}

  /// Appends the pixels of the mask's window to `pixels`.
  structures::MaskWindow append(const coco::Rle& rle, std::vector<std::uint8_t>& pixels) {
    findParts(rle);
    structures::MaskWindow window{.firstByte = static_cast<std::int64_t>(pixels.size())};
    if (parts_.empty()) return window;
    Part all = parts_.front();
    for (const Part& part : parts_) {
      all = {std::min(all.left, part.left), std::max(all.right, part.right),
             std::min(all.top, part.top), std::max(all.bottom, part.bottom)};
    }
    window.left = all.left;
    window.top = all.top;
    window.width = all.right - all.left;
    window.height = all.bottom - all.top;
    pixels.resize(pixels.size() + window.width * window.height, 0);
    std::uint8_t* out = pixels.data() + window.firstByte;
    for (const Part& part : parts_) {
      for (std::int32_t y = part.top - all.top; y < part.bottom - all.top; ++y) {
        for (std::int32_t x = part.left - all.left; x < part.right - all.left; ++x)
          out[y * window.width + x] = 1;
      }
    }
    return window;
  }

 private:
  /// A rectangle of ones in a resized mask.
  struct Part {
    std::int32_t left, right, top, bottom;  // right and bottom: exclusive
  };

  void findParts(const coco::Rle& rle) {
    parts_.clear();
    const auto height = static_cast<std::uint64_t>(rle.height);
    std::uint64_t position = 0;
    bool inside = false;
    for (std::uint32_t count : rle.counts) {
      const std::uint64_t end = position + count;
      while (inside && position < end) {  // a run may span several columns
        const std::uint64_t column = position / height, row = position % height;
        const std::uint64_t rowEnd = std::min(height, row + (end - position));
        addPart(static_cast<int>(column), static_cast<int>(row), static_cast<int>(rowEnd));
        position += rowEnd - row;
      }
      position = end;
      inside = !inside;
    }
  }

  void addPart(int column, int rowBegin, int rowEnd) {
    const int height = static_cast<int>(plan_.croppedSize().height);
    if (plan_.flipHorizontal) column = static_cast<int>(plan_.croppedSize().width) - 1 - column;
    if (plan_.flipVertical)
      std::tie(rowBegin, rowEnd) = std::pair(height - rowEnd, height - rowBegin);
    const Part part{columnStarts_[column], columnStarts_[column + 1], rowStarts_[rowBegin],
                    rowStarts_[rowEnd]};
    if (part.right > part.left && part.bottom > part.top) parts_.push_back(part);
  }

  const TransformPlan& plan_;
  std::vector<std::int32_t> columnStarts_, rowStarts_;
  std::vector<Part> parts_;
};

}  // namespace

void resizeImage(const RgbImage& image, const TransformPlan& plan, const base::ImageSize& padded,
                 float* out) {
  ops::resizeImage(image.pixels.get(), imageRow(plan), padded, out);
}

structures::GtInstances transformAnnotations(const std::vector<coco::Annotation>& annotations,
                                             const ClassTable& classes, const TransformPlan& plan,
                                             bool withMasks) {
  std::vector<const coco::Annotation*> used;
  std::vector<Box> boxes;
  for (const coco::Annotation& annotation : annotations) {
    const Box box = transformedBox(boxWithin(plan.croppedSize(), annotation.boxXywh), plan);
    if (!annotation.isUsable() || box.isEmpty()) continue;
    used.push_back(&annotation);
    boxes.push_back(box);
  }
  const auto count = static_cast<std::int64_t>(used.size());
  structures::GtInstances gt{at::empty({count, 4}, at::kFloat),
                             at::empty({count}, at::kLong),
                             {},
                             at::empty({count}, at::kFloat)};
  at::Tensor windows = at::empty({count, structures::kMaskWindowFields}, at::kLong);
  std::vector<std::uint8_t> pixels;
  MaskCropper cropper(plan);
  const coco::Image cut = imageOfSize(plan.croppedSize());
  for (std::int64_t i = 0; i < count; ++i) {
    const Box& box = boxes[i];
    std::ranges::copy(std::array{box.x1, box.y1, box.x2, box.y2},
                      gt.boxesXyxy.mutable_data_ptr<float>() + 4 * i);
    gt.areas.mutable_data_ptr<float>()[i] = static_cast<float>(used[i]->area);
    gt.classes.mutable_data_ptr<std::int64_t>()[i] = classes.classOf(used[i]->categoryId).value;
    structures::MaskWindow window;
    if (withMasks && used[i]->hasMask)
      window = cropper.append(coco::annotationMask(*used[i], cut), pixels);
    std::memcpy(windows.mutable_data_ptr<std::int64_t>() + i * structures::kMaskWindowFields,
                &window, sizeof window);
  }
  at::Tensor all = at::empty({static_cast<std::int64_t>(pixels.size())}, at::kByte);
  std::ranges::copy(pixels, all.mutable_data_ptr<std::uint8_t>());
  gt.masks = {all, windows, plan.resized};
  return gt;
}

}  // namespace lockstep::data
