#include "engine/formats/label_masks.h"

#include <algorithm>
#include <unordered_map>

#include "engine/coco/masks/runs.h"

namespace lockstep::formats {

std::vector<LabelMask> masksOf(const LabelImage& labels) {
  std::unordered_map<std::uint32_t, std::size_t> indices;
  std::vector<std::uint32_t> ids;
  std::vector<coco::RunWriter> writers;
  const auto writerOf = [&](std::uint32_t id) -> coco::RunWriter& {
    const auto [found, isNew] = indices.try_emplace(id, writers.size());
    if (isNew) {
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

}  // namespace lockstep::formats
