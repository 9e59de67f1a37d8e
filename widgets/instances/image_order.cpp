#include "widgets/instances/image_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "engine/base/parallel_for.h"
#include "engine/coco/analysis/evaluated_image.h"

namespace lockstep::widgets {
namespace {

/// Images that one thread takes at a time.
constexpr std::size_t kChunk = 64;
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

/// 1: every object is found exactly; kUnknown: not predicted, or there are no objects.
double meanIou(const JudgedImage& image, const std::set<CategoryId>& hidden) {
  if (image.overlaps == nullptr) return kUnknown;
  const auto& [detections, annotations, pairs] = *image.overlaps;
  const auto objects = std::ranges::count_if(annotations, [&](const auto& object) {
    return !object.isCrowd && !hidden.contains(object.category);
  });
  if (objects == 0) return kUnknown;
  double sum = 0;
  for (const coco::EvaluatedDetection& one : image.judged.detections)
    if (one.match.verdict == coco::MatchVerdict::TruePositive &&
        !hidden.contains(detections[one.detection].category))
      sum += one.match.iou;
  return sum / static_cast<double>(objects);
}

/// One that is not finite is worse than all others.
double lossOf(ImageId image, const ImageLosses* losses) {
  const auto known = losses ? losses->find(image) : ImageLosses::const_iterator();
  if (!losses || known == losses->end()) return kUnknown;
  return std::isfinite(known->second) ? known->second : -kUnknown;
}

/// The highest comes first.
double sortKey(const JudgedImage& image, const ImageOrder& order) {
  if (order.sort == ImageOrder::Sort::HighestLoss) return lossOf(image.id, order.losses.get());
  if (!image.counts) return kUnknown;
  switch (order.sort) {
    case ImageOrder::Sort::MostFalsePositives:
      return static_cast<double>(image.counts->falsePositives);
    case ImageOrder::Sort::MostMissed:
      return static_cast<double>(image.counts->falseNegatives);
    case ImageOrder::Sort::LowestIou: {
      const double iou = meanIou(image, order.hidden);
      return iou == kUnknown ? kUnknown : -iou;
    }
    default:
      return errorCount(*image.counts);
  }
}

bool isOfErrors(ImageOrder::Filter filter) {
  return filter == ImageOrder::Filter::WithErrors ||
         filter == ImageOrder::Filter::WithFalsePositives;
}

bool hasError(const JudgedImage& image, const ImageOrder& order, const auto& isAsked) {
  const auto isType = [&](coco::ErrorType type) { return order.asksFor(type); };
  return std::ranges::any_of(image.judged.detections,
                             [&](const coco::EvaluatedDetection& one) {
                               return one.error && isType(*one.error) &&
                                      isAsked(image.overlaps->detections[one.detection]);
                             }) ||
         (isType(coco::ErrorType::Missed) &&
          std::ranges::any_of(image.judged.missed, [&](std::uint32_t g) {
            return isAsked(image.overlaps->annotations[g]);
          }));
}

void countErrors(const JudgedImage& image, const std::set<CategoryId>& hidden,
                 std::array<std::size_t, coco::kErrorTypeCount>& counts) {
  if (image.overlaps == nullptr) return;
  for (const coco::EvaluatedDetection& one : image.judged.detections)
    if (one.error && !hidden.contains(image.overlaps->detections[one.detection].category))
      ++counts[static_cast<std::size_t>(*one.error)];
  counts[static_cast<std::size_t>(coco::ErrorType::Missed)] +=
      static_cast<std::size_t>(std::ranges::count_if(image.judged.missed, [&](std::uint32_t g) {
        return !hidden.contains(image.overlaps->annotations[g].category);
      }));
}

/// By what is on the image.
bool hasAsked(const JudgedImage& image, const ImageOrder& order) {
  const auto isOf = [&](CategoryId category, double areaPx) {
    return !order.hidden.contains(category) && (!order.category || category == *order.category) &&
           coco::isOfSize(areaPx, order.size);
  };
  const auto isAsked = [&](const auto& one) { return isOf(one.category, one.areaPx); };
  if (order.error || isOfErrors(order.filter))
    return image.overlaps != nullptr && hasError(image, order, isAsked);
  const bool hasObject = std::ranges::any_of(
      *image.annotations, [&](const auto& object) { return isOf(object.categoryId, object.area); });
  return hasObject || (image.overlaps != nullptr &&
                       std::ranges::any_of(image.judged.detections, [&](const auto& one) {
                         return isAsked(image.overlaps->detections[one.detection]);
                       }));
}

bool isShown(const JudgedImage& image, const ImageOrder& order) {
  using Filter = ImageOrder::Filter;
  if (order.filter != Filter::All && !image.counts) return false;
  if (order.error || order.category || order.size != coco::ObjectSize::All)
    return hasAsked(image, order);
  if (order.filter == Filter::WithFalsePositives) return image.counts->falsePositives > 0;
  return order.filter != Filter::WithErrors || errorCount(*image.counts) > 0;
}

}  // namespace

bool ImageOrder::isSlow() const {
  return error || category || size != coco::ObjectSize::All || sort == Sort::LowestIou;
}

bool ImageOrder::needsCounts() const {
  const bool isGiven = sort == Sort::Dataset || sort == Sort::Name || sort == Sort::HighestLoss;
  return isSlow() || filter != Filter::All || !isGiven;
}

bool ImageOrder::asksFor(coco::ErrorType type) const {
  if (error) return *error == type;
  return filter != Filter::WithFalsePositives || type != coco::ErrorType::Missed;
}

bool ImageOrder::asksFor(const InstanceFacts& facts) const {
  return facts.isError() && asksFor(facts.error.value_or(coco::ErrorType::Missed)) &&
         (!category || facts.category == *category) && coco::isOfSize(facts.areaPx, size);
}

std::vector<std::size_t> orderedImages(const coco::Dataset& dataset,
                                       const CheckpointAnalysis* analysis,
                                       const ImageOrder& order) {
  const std::vector<coco::Image>& images = dataset.images();
  std::vector<double> keys(images.size(), kUnknown);
  std::vector<char> areShown(images.size());
  const auto look = [&](std::size_t chunk) {
    const std::size_t end = std::min(images.size(), (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      const JudgedImage image = judge(dataset, i, analysis, order);
      keys[i] = sortKey(image, order);
      areShown[i] = isShown(image, order) ? 1 : 0;
    }
  };
  const std::size_t chunks = (images.size() + kChunk - 1) / kChunk;
  base::parallelFor(chunks, order.isSlow() ? 0 : 1, look);
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
                            double scoreThreshold, const std::set<CategoryId>& hidden) {
  ImageOrder order;
  order.sort = ImageOrder::Sort::LowestIou;  // so that each image is judged
  order.scoreThreshold = scoreThreshold;
  order.hidden = hidden;
  const std::size_t count = dataset.images().size();
  ErrorFigures figures;
  figures.meanIous.assign(count, std::numeric_limits<double>::quiet_NaN());
  std::mutex mutex;
  base::parallelFor((count + kChunk - 1) / kChunk, 0, [&](std::size_t chunk) {
    std::array<std::size_t, coco::kErrorTypeCount> counts{};
    for (std::size_t i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i) {
      const JudgedImage image = judge(dataset, i, &analysis, order);
      if (const double iou = meanIou(image, hidden); iou != kUnknown) figures.meanIous[i] = iou;
      countErrors(image, hidden, counts);
    }
    const std::scoped_lock lock(mutex);
    for (std::size_t type = 0; type < counts.size(); ++type) figures.counts[type] += counts[type];
  });
  return figures;
}

}  // namespace lockstep::widgets
