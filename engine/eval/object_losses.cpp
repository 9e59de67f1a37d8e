#include "engine/eval/object_losses.h"

#include <torch/types.h>

#include <map>
#include <utility>

namespace lockstep::eval {
namespace {

using GroupKey = std::pair<std::int32_t, coco::ObjectSize>;

}  // namespace

void LossSums::add(const LossSums& other) {
  rois += other.rois;
  maskRois += other.maskRois;
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
}

std::vector<LossGroup> groupLosses(const model::RoiLosses& perRoi) {
  std::map<GroupKey, LossSums> groups;
  constexpr std::int64_t kClass = 0, kArea = 1, kFirstLoss = 3;
  const auto forPositives = [&](const at::Tensor& rows, const auto& add) {
    const at::Tensor onHost = rows.cpu();
    const auto value = onHost.accessor<float, 2>();
    for (std::int64_t i = 0; i < value.size(0); ++i) {
      const auto classIndex = static_cast<std::int32_t>(value[i][kClass]);
      if (classIndex > 0) add(groups[{classIndex, coco::sizeOf(value[i][kArea])}], value[i]);
    }
  };
  forPositives(perRoi.box, [](LossSums& group, const auto& row) {
    ++group.rois;
    group.sums[0] += row[kFirstLoss];
    group.sums[1] += row[kFirstLoss + 1];
  });
  if (perRoi.mask.defined()) {
    forPositives(perRoi.mask, [](LossSums& group, const auto& row) {
      ++group.maskRois;
      group.sums[2] += row[kFirstLoss];
    });
  }
  std::vector<LossGroup> result;
  for (const auto& [key, losses] : groups) result.push_back({key.first, key.second, losses});
  return result;
}

}  // namespace lockstep::eval
