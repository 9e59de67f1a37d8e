#include "engine/coco/files/category_selection.h"

#include <algorithm>

#include "engine/base/error.h"

namespace lockstep::coco {

bool CategorySelection::contains(CategoryId id) const {
  return categories.empty() || std::ranges::find(categories, id) != categories.end();
}

Dataset selectCategories(const Dataset& groundTruth, const CategorySelection& selection) {
  for (const CategoryId id : selection.categories) {
    if (!groundTruth.hasCategory(id))
      throw Error("the ground truth has no category " + std::to_string(id.value));
  }
  std::vector<Category> categories;
  if (selection.isClassAgnostic) {
    categories.push_back({kAnyCategory, "all classes"});
  } else {
    std::ranges::copy_if(groundTruth.categories(), std::back_inserter(categories),
                         [&](const Category& one) { return selection.contains(one.id); });
  }
  Dataset selected = groundTruth;
  selected.replaceCategories(std::move(categories), [&](std::vector<Annotation>& annotations) {
    std::erase_if(annotations, [&](const Annotation& annotation) {
      return !selection.contains(annotation.categoryId);
    });
    if (!selection.isClassAgnostic) return;
    std::ranges::stable_sort(annotations, {}, &Annotation::categoryId);
    for (Annotation& annotation : annotations) annotation.categoryId = kAnyCategory;
  });
  return selected;
}

}  // namespace lockstep::coco
