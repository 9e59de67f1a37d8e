#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/coco/analysis/error_types.h"
#include "engine/coco/analysis/evaluated_image.h"
#include "engine/coco/evaluation/params.h"
#include "widgets/instances/checkpoint_analysis.h"
#include "widgets/instances/image_losses.h"

namespace lockstep::widgets {

/// Which images the strip shows, and in which order.
struct ImageOrder {
  enum class Filter { All, Predicted, WithErrors, WithFalsePositives, WithFalseNegatives };
  enum class Sort {
    Dataset,
    MostErrors,
    MostFalsePositives,
    MostMissed,
    HighestLoss,  ///< held-out, also of images that were not predicted
    LowestIou,    ///< mean over the objects of the IoU with their detections, 0 for missed ones
    Name
  };
  Filter filter = Filter::All;
  Sort sort = Sort::Dataset;
  double scoreThreshold = 0.5;
  std::set<CategoryId> hidden{};
  /// Images with an object or a detection of this class and size; with one that is an error (of
  /// this type) if errors are asked for.
  std::optional<coco::ErrorType> error{};
  std::optional<CategoryId> category{};
  coco::ObjectSize size = coco::ObjectSize::All;
  std::shared_ptr<const ImageLosses> losses{};  ///< of the checkpoint; nullptr: not known

  /// Every image has to be matched again, which takes longer than a frame.
  bool isSlow() const;
  /// It depends on the analysis.
  bool needsCounts() const;
  /// It asks for what is on the images: errors, and what is judged, may be some of them alone.
  bool isNarrow() const;
  /// Of what is not hidden: whether it is of the class and size that images are asked with.
  bool asksFor(CategoryId of, double areaPx) const;
  /// Whether an instance is an error of the class, size and type that images are asked with.
  bool asksFor(const InstanceFacts& facts) const;
  bool asksFor(coco::ErrorType type) const;
  /// Its objects without a match, if any of them are asked for: all, or those of the type alone.
  const std::vector<std::uint32_t>& missedOf(const coco::EvaluatedImage& judged) const;
  /// But for the order, at the same thresholds and of the same classes.
  bool asksForTheSame(const ImageOrder& other) const;
  /// What is no error is not asked for.
  bool asksForErrors() const;
};

/// Indices into dataset.images(). Without an analysis only Filter::All, and Sort::Dataset and
/// Sort::Name, are meaningful. Images that were not predicted come last where their predictions
/// sort. Blocks if the order isSlow().
std::vector<std::size_t> orderedImages(const coco::Dataset& dataset,
                                       const CheckpointAnalysis* analysis, const ImageOrder& order);

/// The errors of a checkpoint and how well its images are found, at an operating point: of the
/// class and size that images are asked with.
struct ErrorFigures {
  /// By coco::ErrorType, whatever type is asked for.
  std::array<std::size_t, coco::kErrorTypeCount> counts{};
  /// By the images of the dataset: mean over an image's objects of their IoU, 0 for missed ones;
  /// NaN: it was not predicted, or has no objects.
  std::vector<double> meanIous;
  /// By the images of the dataset: what is asked for, errors of the type alone; std::nullopt: it
  /// was not predicted.
  std::vector<std::optional<coco::Counts>> asked;
};

/// Its order of images does not matter, nor does its filter but to `asked`. Blocks, on all
/// processors; call it from any thread.
ErrorFigures errorFiguresOf(const coco::Dataset& dataset, const CheckpointAnalysis& analysis,
                            ImageOrder order);

}  // namespace lockstep::widgets
