#pragma once

#include "engine/coco/evaluation/average_precision.h"

/// What results are compared with objects by, unless someone says otherwise.
namespace lockstep::coco {

/// Masks where both sides have them, else boxes. Results have masks if each of them has one, also
/// of classes that the dataset does not list (ResultsByImage::haveMasks()).
constexpr IouType judgedBy(bool haveObjectsMasks, bool haveResultsMasks) {
  return haveObjectsMasks && haveResultsMasks ? IouType::Mask : IouType::Box;
}
inline IouType judgedBy(const Dataset& groundTruth, bool haveResultsMasks) {
  return judgedBy(!groundTruth.hasOnlyBoxes(), haveResultsMasks);
}

}  // namespace lockstep::coco
