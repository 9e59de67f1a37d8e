#include "engine/dataset_check/annotation_issues.h"

#include <map>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/coco/files/annotation_review.h"

namespace lockstep::dataset_check {
namespace {

/// `annotations 3, 5, 8 …`
std::string idsOf(const coco::ReviewIssue& doubt) {
  std::string text = doubt.count == 1 ? "annotation " : "annotations ";
  for (std::size_t i = 0; i < doubt.firstIds.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(doubt.firstIds[i]);
  return doubt.count > doubt.firstIds.size() ? text + " …" : text;
}

void addBoxIssues(const coco::Dataset& dataset, std::vector<AnnotationIssue>& issues) {
  const coco::AnnotationReview review = coco::reviewAnnotations(dataset);
  const auto isMost = [&](std::size_t count) { return 2 * count > review.objects; };
  const auto add = [&](const coco::ReviewIssue& doubt, bool isError, const char* problemOfOne,
                       const char* problem, const char* remedy) {
    if (doubt.count == 0) return;
    issues.push_back({isError, std::to_string(doubt.count) + " of " +
                                   base::counted(review.objects, "object") +
                                   (doubt.count == 1 ? problemOfOne : problem) + remedy + " (" +
                                   idsOf(doubt) + ")"});
  };
  add(review.outOfRange, isMost(review.outOfRange.count), " has coordinates far outside its image",
      " have coordinates far outside their image", ": correct or remove them");
  add(review.asXyxy, isMost(review.asXyxy.count) && isMost(review.exceedingAny),
      " has a box that matches its mask when read as [x0, y0, x1, y1]",
      " have boxes that match their masks when read as [x0, y0, x1, y1]",
      ", but COCO's are [x, y, width, height]: convert them");
  add(review.exceedsImage, isMost(review.exceedsImage.count),
      " has a box that extends beyond its image", " have boxes that extend beyond their image",
      ": correct or remove them");
  add(review.mismatchesMask, /*isError=*/false, " has a box that does not match its mask",
      " have boxes that do not match their masks", ": correct one of the two");
}

void addClassNames(const coco::Dataset& dataset, std::vector<AnnotationIssue>& issues) {
  std::map<std::string, std::string> idsByName;
  for (const coco::Category& category : dataset.categories()) {
    const std::string name = base::simplified(category.name);
    std::string& ids = idsByName[name.empty() ? category.name : name];
    ids += (ids.empty() ? "" : ", ") + std::to_string(category.id.value);
  }
  for (const auto& [name, ids] : idsByName) {
    if (base::simplified(name).empty()) {
      issues.push_back({false, "category " + ids + " has no name"});
    } else if (ids.find(',') != std::string::npos) {
      issues.push_back({false, "categories " + ids + " are all named " + base::shortened(name) +
                                   ": the model treats them as different classes"});
    }
  }
}

}  // namespace

std::vector<AnnotationIssue> annotationIssues(const coco::Dataset& dataset) {
  std::vector<AnnotationIssue> issues;
  addBoxIssues(dataset, issues);
  addClassNames(dataset, issues);
  return issues;
}

}  // namespace lockstep::dataset_check
