#include "widgets/instances/image_order.h"

#include <algorithm>
#include <optional>

namespace lockstep::widgets {
namespace {

constexpr int kNotPredicted = -1;

/// What sorts an image before others, the highest first.
int sortedBy(const std::optional<coco::Counts>& counts, ImageOrder::Sort sort) {
  if (!counts) return kNotPredicted;
  switch (sort) {
    case ImageOrder::Sort::MostFalsePositives:
      return static_cast<int>(counts->falsePositives);
    case ImageOrder::Sort::MostMissed:
      return static_cast<int>(counts->falseNegatives);
    default:
      return errorCount(*counts);
  }
}

bool isShown(const std::optional<coco::Counts>& counts, ImageOrder::Filter filter) {
  return filter == ImageOrder::Filter::All ||
         (counts && (filter == ImageOrder::Filter::Predicted || errorCount(*counts) > 0));
}

}  // namespace

std::vector<std::size_t> orderedImages(const coco::Dataset& dataset,
                                       const CheckpointAnalysis* analysis,
                                       const ImageOrder& order) {
  const std::vector<coco::Image>& images = dataset.images();
  std::vector<std::size_t> indices;
  std::vector<int> keys(images.size(), kNotPredicted);
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::optional<coco::Counts> counts;
    if (analysis) counts = analysis->countsOf(images[i].id, order.scoreThreshold, order.hidden);
    keys[i] = sortedBy(counts, order.sort);
    if (isShown(counts, order.filter)) indices.push_back(i);
  }
  if (order.sort == ImageOrder::Sort::Name) {
    std::ranges::stable_sort(
        indices, {}, [&](std::size_t i) -> const std::string& { return images[i].fileName; });
  } else if (order.sort != ImageOrder::Sort::Dataset) {
    std::ranges::stable_sort(indices, std::greater(), [&](std::size_t i) { return keys[i]; });
  }
  return indices;
}

}  // namespace lockstep::widgets
