#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/coco/evaluation/params.h"
#include "engine/config/experiment.h"

namespace lockstep::coco {
class Dataset;
}

namespace lockstep::config {

/// An annotated object, in px of its original image.
struct AnnotatedBox {
  base::ImageSize image;
  std::array<double, 4> boxXywh{};
  double area = 0;  ///< of the annotation
};

/// The objects that a training uses: those of its annotations that are usable.
std::vector<AnnotatedBox> trainingObjects(const coco::Dataset& dataset);

/// Its area after its image is resized as in evaluation, px: decides on its size.
double resizedArea(const AnnotatedBox& object, const AugmentConfig& augment);

/// Objects by the size of their boxes, which is compared with the sizes of anchors.
struct BoxSizes {
  static constexpr double kFirstPx = 4;  ///< smaller boxes count in the first bin
  static constexpr int kBinsPerDoubling = 2, kBins = 18;
  std::array<std::int64_t, kBins> counts{};  ///< larger boxes count in the last

  std::int64_t objects() const;
  /// From where the bin begins; kBins: where the last ends.
  static double binStartPx(int bin);
};

/// By the square root of their boxes' area, after their images are resized as in evaluation.
BoxSizes boxSizes(std::span<const AnnotatedBox> objects, const AugmentConfig& augment);

/// How many objects of a size no anchor covers.
struct AnchorMisses {
  std::int64_t objects = 0;
  std::int64_t missed = 0;  ///< best IoU below kCoveringIou

  double share() const {
    return objects == 0 ? 0 : static_cast<double>(missed) / static_cast<double>(objects);
  }
};

/// IoU from which an anchor covers an object: the least at which a proposal is matched with it.
inline constexpr double kCoveringIou = 0.5;
/// Share of the objects that good anchors cover.
inline constexpr double kGoodCoverage = 0.95;

/// How well anchors cover the objects of a data set.
struct AnchorFit {
  std::vector<float> bestIous;  ///< of each object with any anchor, after resizing
  /// By coco::ObjectSize, after resizing.
  std::array<AnchorMisses, coco::kObjectSizeCount> bySize;

  const AnchorMisses& all() const { return bySize[0]; }
  /// Share of the objects whose best IoU with an anchor is below `iou`.
  double shareBelow(double iou) const;
  bool isGood() const { return 1 - all().share() >= kGoodCoverage; }
};

/// The image is resized as in evaluation, and padded on its own. Anchors that exceed the image
/// count, as they do in training.
AnchorFit fitAnchors(std::span<const AnnotatedBox> objects, const AugmentConfig& augment,
                     const AnchorConfig& anchors);

/// Anchors that cover kGoodCoverage of the objects, or else the most: sizes that double from level
/// to level, and as few aspect ratios as do. Tries them on some thousand objects at most.
AnchorConfig suggestedAnchors(std::span<const AnnotatedBox> objects, const AugmentConfig& augment,
                              const AnchorConfig& anchors);

}  // namespace lockstep::config
