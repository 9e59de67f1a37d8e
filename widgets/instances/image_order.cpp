#include "widgets/instances/image_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>

#include "engine/base/parallel_for.h"
#include "engine/coco/analysis/evaluated_image.h"

namespace lockstep::widgets {
namespace {

/// Images that one thread takes at a time.
constexpr std::size_t kOrderChunk = 64;
constexpr double kUnknown = -std::numeric_limits<double>::infinity();

/// An image of the dataset and what is known of its predictions.
struct JudgedImage {
  ImageId id;
  const std::vector<coco::Annotation>* annotations = nullptr;
  std::optional<coco::Counts> counts{};           ///< nullopt: not predicted
  const coco::ImageOverlaps* overlaps = nullptr;  ///< nullptr: not predicted, or not needed
  coco::EvaluatedImage judged{};                  ///< of the overlaps
};

JudgedImage judge(const coco::Dataset& dataset, std::size_t index,
                  const CheckpointAnalysis* analysis, const ImageOrder& order) {
  const ImageId id = dataset.images()[index].id;
  JudgedImage image{id, &dataset.annotationsOf(index)};
  if (analysis == nullptr || !order.needsCounts()) return image;
  image.counts = analysis->countsOf(id, order.scoreThreshold, order.hidden);
  if (!image.counts || !order.isSlow()) return image;
  image.overlaps = analysis->overlaps->find(id)->overlaps.get();
  image.judged = coco::evaluateImage(*image.overlaps, order.scoreThreshold, analysis->iouThreshold);
  if (!analysis->overlaps->rules.hasTruth)
    for (coco::EvaluatedDetection& one : image.judged.detections) one.error.reset();
  return image;
}

/// Of what the order asks for. 1: every object is found exactly; kUnknown: not predicted, or there
/// are no objects.
double meanIou(const JudgedImage& image, const ImageOrder& order) {
  if (image.overlaps == nullptr) return kUnknown;
  const auto& [detections, annotations, pairs] = *image.overlaps;
  const auto isAsked = [&](const auto& one) { return order.asksFor(one.category, one.areaPx); };
  const auto objects = std::ranges::count_if(
      annotations, [&](const auto& object) { return !object.isCrowd && isAsked(object); });
  if (objects == 0) return kUnknown;
  double sum = 0;
  for (const coco::EvaluatedDetection& one : image.judged.detections)
    if (one.match.verdict == coco::MatchVerdict::TruePositive &&
        isAsked(annotations[static_cast<std::size_t>(one.match.annotation)]))
      sum += one.match.iou;
  return sum / static_cast<double>(objects);
}

/// One that is not finite is worse than all others.
double lossOf(ImageId image, const ImageLosses* losses) {
  const auto known = losses ? losses->find(image) : ImageLosses::const_iterator();
  if (!losses || known == losses->end()) return kUnknown;
  return std::isfinite(known->second) ? known->second : -kUnknown;
}

bool hasError(const JudgedImage& image, const ImageOrder& order, const auto& isAsked) {
  const auto isType = [&](coco::ErrorType type) { return order.asksFor(type); };
  return std::ranges::any_of(image.judged.detections,
                             [&](const coco::EvaluatedDetection& one) {
                               return one.error && isType(*one.error) &&
                                      isAsked(image.overlaps->detections[one.detection]);
                             }) ||
         (isType(coco::ErrorType::Missed) &&
          std::ranges::any_of(order.missedOf(image.judged), [&](std::uint32_t g) {
            return isAsked(image.overlaps->annotations[g]);
          }));
}

/// By type, of the class and size that are asked for.
using ErrorCounts = decltype(ErrorFigures::counts);

/// Of the annotations, those of the class and size.
std::size_t countAsked(const JudgedImage& image, const ImageOrder& order,
                       const std::vector<std::uint32_t>& annotations) {
  return static_cast<std::size_t>(std::ranges::count_if(annotations, [&](std::uint32_t g) {
    const coco::OverlapAnnotation& object = image.overlaps->annotations[g];
    return order.asksFor(object.category, object.areaPx);
  }));
}

ErrorCounts errorsOf(const JudgedImage& image, const ImageOrder& order) {
  ErrorCounts counts{};
  const auto isAsked = [&](const auto& one) { return order.asksFor(one.category, one.areaPx); };
  for (const coco::EvaluatedDetection& one : image.judged.detections)
    if (one.error && isAsked(image.overlaps->detections[one.detection]))
      ++counts[static_cast<std::size_t>(*one.error)];
  counts[static_cast<std::size_t>(coco::ErrorType::Missed)] =
      countAsked(image, order, image.judged.uncovered);
  return counts;
}

/// What is asked for: errors of the type alone.
coco::Counts askedCounts(const JudgedImage& image, const ImageOrder& order,
                         const ErrorCounts& errors) {
  coco::Counts counts;
  for (std::size_t type = 0; type < errors.size(); ++type) {
    const auto error = static_cast<coco::ErrorType>(type);
    if (error != coco::ErrorType::Missed && order.asksFor(error))
      counts.falsePositives += errors[type];
  }
  if (order.asksFor(coco::ErrorType::Missed))
    counts.falseNegatives = countAsked(image, order, order.missedOf(image.judged));
  counts.truePositives = static_cast<std::uint64_t>(
      std::ranges::count_if(image.judged.detections, [&](const auto& one) {
        const auto& detection = image.overlaps->detections[one.detection];
        return one.match.verdict == coco::MatchVerdict::TruePositive &&
               order.asksFor(detection.category, detection.areaPx);
      }));
  return counts;
}

/// The highest comes first.
double sortKey(const JudgedImage& image, const ImageOrder& order) {
  using Sort = ImageOrder::Sort;
  if (order.sort == Sort::HighestLoss) return lossOf(image.id, order.losses.get());
  if (!image.counts || order.sort == Sort::Dataset || order.sort == Sort::Name) return kUnknown;
  if (order.sort == Sort::LowestIou) {
    const double iou = meanIou(image, order);
    return iou == kUnknown ? kUnknown : -iou;
  }
  const bool isAskedAlone = order.isNarrow() && image.overlaps != nullptr;
  const coco::Counts counts =
      isAskedAlone ? askedCounts(image, order, errorsOf(image, order)) : *image.counts;
  switch (order.sort) {
    case Sort::MostFalsePositives:
      return static_cast<double>(counts.falsePositives);
    case Sort::MostMissed:
      return static_cast<double>(counts.falseNegatives);
    default:
      return errorCount(counts);
  }
}

/// By what is on the image.
bool hasAsked(const JudgedImage& image, const ImageOrder& order) {
  const auto isAsked = [&](const auto& one) { return order.asksFor(one.category, one.areaPx); };
  if (order.asksForErrors()) return image.overlaps != nullptr && hasError(image, order, isAsked);
  const bool hasObject = std::ranges::any_of(*image.annotations, [&](const auto& object) {
    return order.asksFor(object.categoryId, object.area);
  });
  return hasObject || (image.overlaps != nullptr &&
                       std::ranges::any_of(image.judged.detections, [&](const auto& one) {
                         return isAsked(image.overlaps->detections[one.detection]);
                       }));
}

bool isShown(const JudgedImage& image, const ImageOrder& order) {
  using Filter = ImageOrder::Filter;
  if (order.filter != Filter::All && !image.counts) return false;
  if (order.isNarrow()) return hasAsked(image, order);
  if (order.filter == Filter::WithFalsePositives) return image.counts->falsePositives > 0;
  if (order.filter == Filter::WithFalseNegatives) return image.counts->falseNegatives > 0;
  return order.filter != Filter::WithErrors || errorCount(*image.counts) > 0;
}

}  // namespace

bool ImageOrder::isSlow() const { return isNarrow() || sort == Sort::LowestIou; }

bool ImageOrder::isNarrow() const { return error || category || size != coco::ObjectSize::All; }

bool ImageOrder::asksFor(CategoryId of, double areaPx) const {
  return !hidden.contains(of) && (!category || of == *category) && coco::isOfSize(areaPx, size);
}

bool ImageOrder::needsCounts() const {
  const bool isGiven = sort == Sort::Dataset || sort == Sort::Name || sort == Sort::HighestLoss;
  return isSlow() || filter != Filter::All || !isGiven;
}

bool ImageOrder::asksForTheSame(const ImageOrder& other) const {
  return filter == other.filter && error == other.error && category == other.category &&
         size == other.size;
}

bool ImageOrder::asksForErrors() const {
  return error || filter == Filter::WithErrors || filter == Filter::WithFalsePositives ||
         filter == Filter::WithFalseNegatives;
}

bool ImageOrder::asksFor(coco::ErrorType type) const {
  if (error) return *error == type;
  const bool isMissed = type == coco::ErrorType::Missed;
  return filter != (isMissed ? Filter::WithFalsePositives : Filter::WithFalseNegatives);
}

const std::vector<std::uint32_t>& ImageOrder::missedOf(const coco::EvaluatedImage& judged) const {
  return error == coco::ErrorType::Missed ? judged.uncovered : judged.missed;
}

bool ImageOrder::asksFor(const InstanceFacts& facts) const {
  if (error == coco::ErrorType::Missed && facts.isCovered) return false;
  return facts.isError() && asksFor(facts.error.value_or(coco::ErrorType::Missed)) &&
         (!category || facts.category == *category) && coco::isOfSize(facts.areaPx, size);
}

std::vector<std::size_t> orderedImages(const coco::Dataset& dataset,
                                       const CheckpointAnalysis* analysis,
                                       const ImageOrder& order) {
  const std::vector<coco::Image>& images = dataset.images();
  std::vector<double> keys(images.size(), kUnknown);
  std::vector<char> areShown(images.size());
  const auto look = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const JudgedImage image = judge(dataset, i, analysis, order);
      keys[i] = sortKey(image, order);
      areShown[i] = isShown(image, order) ? 1 : 0;
    }
  };
  base::parallelForChunks(images.size(), kOrderChunk, order.isSlow() ? 0 : 1, look);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (areShown[i]) indices.push_back(i);
  if (order.sort == ImageOrder::Sort::Name) {
    std::ranges::stable_sort(
        indices, {}, [&](std::size_t i) -> const std::string& { return images[i].fileName; });
  } else if (order.sort != ImageOrder::Sort::Dataset) {
    std::ranges::stable_sort(indices, std::greater(), [&](std::size_t i) { return keys[i]; });
  }
  return indices;
}

ErrorFigures errorFiguresOf(const coco::Dataset& dataset, const CheckpointAnalysis& analysis,
                            ImageOrder order) {
  order.sort = ImageOrder::Sort::LowestIou;  // so that each image is judged
  const std::size_t count = dataset.images().size();
  ErrorFigures figures;
  figures.meanIous.assign(count, std::numeric_limits<double>::quiet_NaN());
  figures.asked.resize(count);
  std::mutex mutex;
  base::parallelForChunks(count, kOrderChunk, 0, [&](std::size_t begin, std::size_t end) {
    ErrorCounts counts{};
    for (std::size_t i = begin; i < end; ++i) {
      const JudgedImage image = judge(dataset, i, &analysis, order);
      if (image.overlaps == nullptr) continue;
      if (const double iou = meanIou(image, order); iou != kUnknown) figures.meanIous[i] = iou;
      const ErrorCounts own = errorsOf(image, order);
      figures.asked[i] = askedCounts(image, order, own);
      std::ranges::transform(counts, own, counts.begin(), std::plus());
    }
    const std::scoped_lock lock(mutex);
    for (std::size_t type = 0; type < counts.size(); ++type) figures.counts[type] += counts[type];
  });
  return figures;
}

}  // namespace lockstep::widgets
