#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/evaluation/params.h"
#include "engine/config/losses.h"
#include "engine/model/losses.h"

namespace lockstep::eval {

/// The losses that belong to single objects.
inline constexpr std::array kObjectLosses{config::Loss::Classifier, config::Loss::BoxReg,
                                          config::Loss::Mask};

/// Sums of the unweighted losses of positive RoIs, in the order of kObjectLosses.
struct LossSums {
  std::int64_t rois = 0, maskRois = 0;  ///< maskRois: those whose objects have a mask
  std::array<double, kObjectLosses.size()> sums{};

  void add(const LossSums& other);
  /// RoIs that have the loss.
  std::int64_t count(std::size_t loss) const {
    return kObjectLosses[loss] == config::Loss::Mask ? maskRois : rois;
  }
  /// Mean over the RoIs that have the loss; there must be any.
  double mean(std::size_t loss) const { return sums[loss] / static_cast<double>(count(loss)); }
};

/// The RoIs of one image whose objects have the same class and size. An object on the border of two
/// of COCO's sizes counts for the smaller one.
struct LossGroup {
  std::int32_t classIndex = 0;  ///< of the model, from 1
  coco::ObjectSize size = coco::ObjectSize::All;
  LossSums losses;
};

/// Groups the RoIs of a batch of one image, by class and then size. Synchronises with the device.
std::vector<LossGroup> groupLosses(const model::RoiLosses& perRoi);

struct ClassLosses {
  CategoryId category;
  std::string name;
  LossSums losses;
};

/// Over all images: losses by the class and by the size of the matched object.
struct ObjectLosses {
  std::vector<ClassLosses> byClass;                       ///< those with a positive RoI
  std::array<LossSums, coco::kObjectSizeCount> bySize{};  ///< All: all of them
};

}  // namespace lockstep::eval
