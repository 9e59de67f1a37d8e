#include "widgets/instances/image_order.h"

#include <algorithm>

namespace lockstep::widgets {

std::vector<std::size_t> orderedImages(const coco::Dataset& dataset,
                                       const CheckpointAnalysis* analysis,
                                       const ImageOrder& order) {
  constexpr int kNotPredicted = -1;
  std::vector<std::size_t> indices;
  std::vector<int> errors(dataset.images().size(), kNotPredicted);
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    if (analysis) {
      const auto counts =
          analysis->countsOf(dataset.images()[i].id, order.scoreThreshold, order.hidden);
      if (counts) errors[i] = errorCount(*counts);
    }
    const bool isShown =
        order.filter == ImageOrder::Filter::All ||
        (order.filter == ImageOrder::Filter::Predicted && errors[i] != kNotPredicted) ||
        (order.filter == ImageOrder::Filter::WithErrors && errors[i] > 0);
    if (isShown) indices.push_back(i);
  }
  if (order.sort == ImageOrder::Sort::MostErrors) {
    std::stable_sort(indices.begin(), indices.end(),
                     [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
  }
  return indices;
}

}  // namespace lockstep::widgets
