#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/base/ids.h"

namespace lockstep::widgets {

/// Which of two results find an object.
enum class Finders { Both, OnlyFirst, OnlySecond, Neither };

/// How a result finds an object, or what it detects instead; NaN: it does not.
struct PairedFind {
  float score = std::numeric_limits<float>::quiet_NaN();
  float iou = std::numeric_limits<float>::quiet_NaN();  ///< with the object, else the highest
};

/// An object of an image that both results are of, or a detection of one of them.
struct PairedObject {
  std::size_t imageIndex = 0;  ///< in dataset.images()
  int annotation = -1;         ///< in annotationsOf(imageIndex); -1: none
  Finders finders = Finders::Both;
  CategoryId category{};  ///< of the object, else of the one that the detection is on, else its own
  /// What each takes it for, as the confusion matrix counts it, in the dataset's categories; -1:
  /// for nothing.
  std::array<std::int32_t, 2> predicted{-1, -1};
  double areaPx = 0;  ///< shownAreaPx()
  /// What is meant of each result, an index on its image; -1: whatever finds the object.
  std::array<int, 2> detections{-1, -1};
  double score = 0;  ///< of the detection that is meant
  std::array<PairedFind, 2> finds{};
};

}  // namespace lockstep::widgets
