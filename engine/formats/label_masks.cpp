#include "engine/formats/label_masks.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::formats {

std::vector<LabelMask> masksOf(const LabelImage& labels) {
  std::unordered_map<std::uint32_t, std::size_t> indices;
  std::vector<std::uint32_t> ids;
  std::vector<coco::RunWriter> writers;
  const auto writerOf = [&](std::uint32_t id) -> coco::RunWriter& {
    const auto [found, isNew] = indices.try_emplace(id, writers.size());
    if (isNew) {
      if (ids.size() == kMaxLabelIds)
        throw Error("has more than 65535 values: it is not a label image");
      ids.push_back(id);
      writers.emplace_back(labels.height, labels.width);
    }
    return writers[found->second];
  };
  std::uint32_t before = 0;
  std::uint64_t position = 0;
  for (int x = 0; x < labels.width; ++x) {
    for (int y = 0; y < labels.height; ++y, ++position) {
      const std::uint32_t id =
          labels.ids[static_cast<std::size_t>(y) * static_cast<std::size_t>(labels.width) +
                     static_cast<std::size_t>(x)];
      if (id == before) continue;
      if (before != 0) writerOf(before).flipAt(position);
      if (id != 0) writerOf(id).flipAt(position);
      before = id;
    }
  }
  std::vector<LabelMask> masks;
  for (std::size_t i = 0; i < ids.size(); ++i) masks.push_back({ids[i], writers[i].finish()});
  std::ranges::sort(masks, {}, &LabelMask::id);
  return masks;
}

bool paint(const coco::Rle& mask, std::uint32_t id, LabelImage& image) {
  const auto height = static_cast<std::uint64_t>(image.height),
             width = static_cast<std::uint64_t>(image.width);
  bool hides = false;
  coco::forEachForegroundRun(mask, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; ++at) {
      std::uint32_t& pixel = image.ids[at % height * width + at / height];
      hides |= pixel != 0;
      pixel = id;
    }
  });
  return hides;
}

LabelImage numberedMasks(const std::vector<const coco::Rle*>& masks, base::ImageSize size) {
  if (masks.size() > kMaxLabelIds)
    throw Error("there are over 65,535 masks, which no label image holds");
  LabelImage image{static_cast<int>(size.width), static_cast<int>(size.height), {}};
  image.ids.assign(static_cast<std::size_t>(size.width * size.height), 0);
  for (std::size_t i = masks.size(); i-- > 0;) {
    const coco::Rle& mask = *masks[i];
    if (mask.height == 0) continue;
    if (mask.height != image.height || mask.width != image.width)
      throw Error("a mask has another size than the image");
    paint(mask, static_cast<std::uint32_t>(i + 1), image);
  }
  return image;
}

coco::Rle pastedMask(const LabelImage& part, std::int64_t x, std::int64_t y, base::ImageSize size) {
  if (size.width <= 0 || size.height <= 0 ||
      static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height) >
          coco::kMaxPixels)
    throw Error("the image's size is not possible");
  coco::RunWriter writer(static_cast<int>(size.height), static_cast<int>(size.width));
  std::uint64_t end = 0;  // of the run that is open
  bool isOpen = false;
  for (std::int64_t column = std::max<std::int64_t>(0, -x);
       column < part.width && column + x < size.width; ++column) {
    for (std::int64_t row = std::max<std::int64_t>(0, -y);
         row < part.height && row + y < size.height; ++row) {
      if (part.ids[static_cast<std::size_t>(row * part.width + column)] == 0) continue;
      const auto position = static_cast<std::uint64_t>((column + x) * size.height + row + y);
      if (isOpen && position != end) writer.flipAt(end);
      if (!isOpen || position != end) writer.flipAt(position);
      isOpen = true;
      end = position + 1;
    }
  }
  if (isOpen) writer.flipAt(end);
  return writer.finish();
}

}  // namespace lockstep::formats
