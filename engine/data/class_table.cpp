#include "engine/data/class_table.h"

#include "engine/base/error.h"

namespace lockstep::data {
namespace {

std::vector<CategoryId> categoriesOf(const coco::Dataset& dataset) {
  std::vector<CategoryId> ids;
  for (const coco::Category& category : dataset.categories()) ids.push_back(category.id);
  return ids;
}

}  // namespace

ClassTable::ClassTable(std::vector<CategoryId> categories) : categories_(std::move(categories)) {
  for (std::size_t i = 0; i < categories_.size(); ++i)
    classes_.emplace(categories_[i], ClassIndex{static_cast<std::int32_t>(i) + 1});
}

ClassTable::ClassTable(const coco::Dataset& trainSet) : ClassTable(categoriesOf(trainSet)) {}

ClassIndex ClassTable::classOf(CategoryId id) const {
  const auto found = classes_.find(id);
  if (found == classes_.end())
    throw Error("category " + std::to_string(id.value) + " is not one of the model's categories");
  return found->second;
}

}  // namespace lockstep::data
