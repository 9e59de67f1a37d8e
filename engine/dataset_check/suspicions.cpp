// Notes: what is suspicious and may be right.
#include <cmath>
#include <map>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/dataset_check/part_facts.h"

namespace lockstep::dataset_check {
namespace {

constexpr double kUnusualSigmas = 5;
/// As LVIS calls a class rare; in training images.
constexpr std::int64_t kFewImages = 10;

/// Mean and standard deviation.
class Spread {
 public:
  void add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
  }
  /// Standard deviations from the mean; 0 if all values are the same.
  double sigmas(double value) const {
    const double sigma = std::sqrt(squares_ / static_cast<double>(count_));
    return sigma > 1e-9 ? (value - mean_) / sigma : 0;
  }
  double mean() const { return mean_; }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// A property whose logarithm has a normal distribution, more or less.
struct Property {
  FindingKind kind;
  const char* name;
  const char* unit;
  double (*of)(const coco::Annotation&);  ///< at most 0: it has none
};

constexpr std::array kProperties{
    Property{FindingKind::UnusualArea, "area", " px",
             [](const coco::Annotation& annotation) { return annotation.area; }},
    Property{FindingKind::UnusualAspect, "height / width", "",
             [](const coco::Annotation& annotation) {
               const auto& box = annotation.boxXywh;
               return box[2] > 0 ? box[3] / box[2] : 0;
             }}};

/// Calls visit(image, place, annotation, value).
template <typename Visit>
void forEachValue(const PartData& part, const Property& property, Visit visit) {
  for (std::size_t i = 0; i < part.dataset().images().size(); ++i) {
    const auto& annotations = part.dataset().annotationsOf(i);
    for (std::size_t j = 0; j < annotations.size(); ++j) {
      const double value = property.of(annotations[j]);
      if (!annotations[j].isCrowd && value > 0) visit(i, j, annotations[j], value);
    }
  }
}

void addUnusual(const PartData& part, const Property& property, std::vector<Finding>& notes) {
  std::map<CategoryId, Spread> ofClass;
  forEachValue(part, property,
               [&](std::size_t, std::size_t, const coco::Annotation& annotation, double value) {
                 ofClass[annotation.categoryId].add(std::log(value));
               });
  forEachValue(
      part, property,
      [&](std::size_t image, std::size_t place, const coco::Annotation& annotation, double value) {
        const Spread& spread = ofClass[annotation.categoryId];
        const double sigmas = spread.sigmas(std::log(value));
        if (std::abs(sigmas) <= kUnusualSigmas) return;
        const auto row =
            static_cast<std::size_t>(part.dataset().classOf(annotation.categoryId).value - 1);
        notes.push_back(part.findingOf(
            property.kind, image, place,
            std::string(property.name) + " " + base::shortNumber(value, 3) + property.unit + "; " +
                base::shortened(part.dataset().categories()[row].name) + " has " +
                base::shortNumber(std::exp(spread.mean()), 3) + property.unit + " (" +
                base::shortNumber(std::abs(sigmas), 2) + " standard deviations of the logarithm)"));
      });
}

void addStarved(const PartData& part, std::vector<Finding>& notes) {
  std::map<CategoryId, std::int64_t> images;
  for (std::size_t i = 0; i < part.dataset().images().size(); ++i) {
    std::map<CategoryId, bool> inImage;
    for (const coco::Annotation& annotation : part.dataset().annotationsOf(i))
      if (annotation.isUsable()) inImage[annotation.categoryId] = true;
    for (const auto& [category, isThere] : inImage) ++images[category];
  }
  const std::int64_t enough = part.part == Part::Train ? kFewImages : 1;
  for (const coco::Category& category : part.dataset().categories()) {
    const std::int64_t count = images[category.id];
    if (count >= enough) continue;
    notes.push_back(part.finding(
        FindingKind::StarvedClass,
        "'" + base::shortened(category.name) + "' " +
            (count == 0 ? "has no object"
                        : "is in " + base::counted(static_cast<std::uint64_t>(count), "image")) +
            " (class " + std::to_string(category.id.value) + ")" +
            (count == 0 ? ""
                        : "; if the name is misspelt, rename the class in the annotation tool")));
  }
}

}  // namespace

std::vector<Finding> suspicions(const PartData& part) {
  std::vector<Finding> notes;
  for (const Property& property : kProperties) addUnusual(part, property, notes);
  for (std::size_t i = 0; i < part.dataset().images().size(); ++i) {
    if (part.dataset().annotationsOf(i).empty())
      notes.push_back(
          part.findingOf(FindingKind::EmptyImage, i,
                         base::shortenedPath(part.image(i).fileName) + " has no annotation"));
  }
  addStarved(part, notes);
  return notes;
}

}  // namespace lockstep::dataset_check
