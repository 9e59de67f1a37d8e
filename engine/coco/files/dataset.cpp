#include "engine/coco/files/dataset.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/coco/files/dataset_checks.h"

namespace lockstep::coco {

namespace {

/// Assigns unused ids to annotations without an id or with a duplicate one.
class IdGiver {
 public:
  /// Whether the annotation keeps its id.
  bool keeps(const AnnotationDraft& draft) {
    const bool isFirst = draft.hasId && ids_.insert(draft.annotation.id).second;
    if (!isFirst) {
      ++(draft.hasId ? count_.repeated : draft.hasOtherId ? count_.others : count_.missing);
    }
    return isFirst;
  }
  void reserve(std::size_t annotations) {
    ids_.reserve(annotations);
    next_ = static_cast<std::int64_t>(annotations) + 1;  // past ids that are numbered from 1
  }
  /// Call it after keeps() for all annotations.
  std::int64_t next() {
    while (!ids_.insert(next_).second) ++next_;
    return next_;
  }
  const NewIds& count() const { return count_; }

 private:
  std::unordered_set<std::int64_t> ids_;
  std::int64_t next_ = 1;
  NewIds count_;
};

}  // namespace

std::string NewIds::text() const {
  const auto counted = [](std::size_t count, const char* what) {
    return base::counted(count, "annotation") + " " + what;
  };
  std::string words;
  for (const auto& [count, what] : {std::pair(missing, "without an id"),
                                    {others, "with an id that is not an integer"},
                                    {repeated, "with a duplicate id"}}) {
    if (count > 0) words += (words.empty() ? "" : " and ") + counted(count, what);
  }
  if (words.empty()) return {};
  return words + " got " + (missing + others + repeated == 1 ? "a new id" : "new ids");
}

std::string tooManyCategories(std::size_t count) {
  return "has " + std::to_string(count) + " categories; at most " + std::to_string(kMaxCategories) +
         " are supported";
}

Dataset Dataset::fromParts(std::vector<Image> images, std::vector<Category> categories,
                           std::vector<Annotation> annotations, const std::string& name) {
  ErrorList errors(name);
  DatasetParts parts;
  for (Image& image : images) parts.images.push_back({std::move(image)});
  for (Category& category : categories) parts.categories.push_back({std::move(category)});
  parts.annotations.reserve(annotations.size());
  for (Annotation& annotation : annotations) {
    const bool hasArea = annotation.area != 0;
    const bool hasBox = annotation.boxXywh != std::array<double, 4>{};
    parts.annotations.push_back({std::move(annotation), hasArea, hasBox});
  }
  sortAndCheck(parts, errors);
  errors.throwIfAny();
  checkAnnotations(parts, errors);
  errors.throwIfAny();
  return assemble(std::move(parts));
}

Dataset Dataset::assemble(DatasetParts parts) {
  Dataset dataset;
  for (ImageDraft& draft : parts.images) dataset.images_.push_back(std::move(draft.entry));
  std::vector<Category> categories;
  for (CategoryDraft& draft : parts.categories) categories.push_back(std::move(draft.entry));
  dataset.setCategories(std::move(categories));
  dataset.annotations_ = perImage<Annotation>(parts);
  dataset.indexImages();
  IdGiver ids;
  ids.reserve(parts.annotations.size());
  std::vector<std::pair<std::size_t, std::size_t>> withoutId;  // image, index among its annotations
  for (AnnotationDraft& draft : parts.annotations) {
    std::vector<Annotation>& ofImage = dataset.annotations_[draft.image];
    if (!ids.keeps(draft)) withoutId.emplace_back(draft.image, ofImage.size());
    ofImage.push_back(std::move(draft.annotation));
  }
  for (const auto& [image, place] : withoutId) dataset.annotations_[image][place].id = ids.next();
  dataset.newIds_ = ids.count();
  return dataset;
}

void Dataset::indexImages() {
  imageIndexById_.clear();
  for (std::size_t i = 0; i < images_.size(); ++i) imageIndexById_.emplace(images_[i].id, i);
}

void Dataset::keepImages(const std::function<bool(std::size_t, const Image&)>& isKept) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < images_.size(); ++i) {
    if (!isKept(i, images_[i])) continue;
    if (kept != i) {
      images_[kept] = std::move(images_[i]);
      annotations_[kept] = std::move(annotations_[i]);
    }
    ++kept;
  }
  images_.resize(kept);
  annotations_.resize(kept);
  indexImages();
}

void Dataset::setCategories(std::vector<Category> categories) {
  categories_ = std::move(categories);
  classById_.clear();
  for (std::size_t i = 0; i < categories_.size(); ++i)
    classById_.emplace(categories_[i].id, ClassIndex{static_cast<int>(i) + 1});
}

void Dataset::forgetMasks() {
  for (auto& ofImage : annotations_)
    for (Annotation& annotation : ofImage) annotation.segmentation = {};
}

void Dataset::replaceCategories(std::vector<Category> categories,
                                const std::function<void(std::vector<Annotation>&)>& change) {
  setCategories(std::move(categories));
  for (std::vector<Annotation>& annotations : annotations_) change(annotations);
}

std::size_t Dataset::annotationCount() const {
  std::size_t count = 0;
  for (const auto& annotations : annotations_) count += annotations.size();
  return count;
}

std::size_t Dataset::imageIndex(ImageId id) const {
  const auto index = findImage(id);
  if (!index) throw Error("the dataset has no image " + std::to_string(id.value));
  return *index;
}

std::optional<std::size_t> Dataset::findImage(ImageId id) const {
  const auto found = imageIndexById_.find(id);
  if (found == imageIndexById_.end()) return std::nullopt;
  return found->second;
}

ClassIndex Dataset::classOf(CategoryId id) const {
  const auto found = classById_.find(id);
  if (found == classById_.end()) {
    throw Error("the dataset has no category " + std::to_string(id.value));
  }
  return found->second;
}

std::size_t Dataset::usableImageCount() const {
  return static_cast<std::size_t>(
      std::count_if(annotations_.begin(), annotations_.end(), [](const auto& annotations) {
        return std::any_of(annotations.begin(), annotations.end(),
                           [](const Annotation& annotation) { return annotation.isUsable(); });
      }));
}

bool Dataset::hasOnlyBoxes() const {
  bool hasObjects = false;
  for (const auto& ofImage : annotations_) {
    for (const Annotation& annotation : ofImage) {
      if (annotation.isCrowd) continue;
      if (annotation.hasMask) return false;
      hasObjects = true;
    }
  }
  return hasObjects;
}

Rle annotationMask(const Annotation& annotation, const Image& image) {
  if (const Rle* rle = std::get_if<Rle>(&annotation.segmentation)) return *rle;
  std::vector<Rle> parts;
  for (const auto& polygon : std::get<0>(annotation.segmentation)) {
    parts.push_back(rasterisePolygon(polygon, image.height, image.width));
  }
  if (parts.empty()) {
    return Rle{
        image.height,
        image.width,
        {static_cast<std::uint32_t>(image.height) * static_cast<std::uint32_t>(image.width)}};
  }
  return merge(parts);
}

}  // namespace lockstep::coco
