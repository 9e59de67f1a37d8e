#pragma once

#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::data {

/// Maps the class indices of a model's heads to category ids, those of the dataset it was trained
/// on. A val split may have fewer categories, so its own numbering does not apply to the model.
class ClassTable {
 public:
  /// categories[k-1] is that of class k; row 0 is background.
  explicit ClassTable(std::vector<CategoryId> categories);
  /// For a model that is trained on this dataset.
  explicit ClassTable(const coco::Dataset& trainSet);

  const std::vector<CategoryId>& categories() const { return categories_; }
  bool knows(CategoryId id) const { return classes_.contains(id); }
  /// Throws Error for a category that the model does not have.
  ClassIndex classOf(CategoryId id) const;

 private:
  std::vector<CategoryId> categories_;
  std::unordered_map<CategoryId, ClassIndex> classes_;
};

}  // namespace lockstep::data
