#pragma once

#include <cstddef>
#include <vector>

#include "widgets/instances/checkpoint_analysis.h"

namespace lockstep::widgets {

/// Which images the strip shows, and in which order.
struct ImageOrder {
  enum class Filter { All, Predicted, WithErrors };
  enum class Sort { Dataset, MostErrors, MostFalsePositives, MostMissed, Name };
  Filter filter = Filter::All;
  Sort sort = Sort::Dataset;
  double scoreThreshold = 0.5;
  std::set<CategoryId> hidden;
};

/// Indices into dataset.images(). Without an analysis only Filter::All, and Sort::Dataset and
/// Sort::Name, are meaningful. Images that were not predicted come last where counts sort.
std::vector<std::size_t> orderedImages(const coco::Dataset& dataset,
                                       const CheckpointAnalysis* analysis, const ImageOrder& order);

}  // namespace lockstep::widgets
