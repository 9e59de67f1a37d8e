#pragma once

#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::data {

/// Rows of a model's heads and the categories they stand for: those of the data set it was trained
/// on. A held-out part may name fewer of them, so its own numbering says nothing about the model.
class ClassTable {
 public:
  /// categories[k-1] is that of class k; row 0 is background.
  explicit ClassTable(std::vector<CategoryId> categories);
  /// Of a model that is trained on this data set.
  explicit ClassTable(const coco::Dataset& trainSet);

  const std::vector<CategoryId>& categories() const { return categories_; }
  bool knows(CategoryId id) const { return classes_.contains(id); }
  /// Throws Error for a category that the model does not know.
  ClassIndex classOf(CategoryId id) const;

 private:
  std::vector<CategoryId> categories_;
  std::unordered_map<CategoryId, ClassIndex> classes_;
};

}  // namespace lockstep::data
