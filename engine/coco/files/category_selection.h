#pragma once

#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// Which categories are evaluated, and whether each on its own (pycocotools' catIds and useCats).
struct CategorySelection {
  std::vector<CategoryId> categories;  ///< empty: all of the ground truth
  bool isClassAgnostic = false;        ///< all as one class

  bool isAll() const { return categories.empty() && !isClassAgnostic; }
  bool contains(CategoryId id) const;
};

/// The one class of a class-agnostic evaluation, as in pycocotools.
inline constexpr CategoryId kAnyCategory{-1};

/// The ground truth with only these categories. Class-agnostic: with one category, "all classes",
/// whose annotations are ordered by their former categories within each image, as in pycocotools.
/// Throws Error for a category that the ground truth does not have.
Dataset selectCategories(const Dataset& groundTruth, const CategorySelection& selection);

}  // namespace lockstep::coco
