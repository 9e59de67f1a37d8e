#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/coco/analysis/error_types.h"
#include "engine/coco/analysis/operating_point.h"
#include "engine/coco/analysis/precision_recall.h"
#include "widgets/instances/instance_match.h"
#include "widgets/instances/paired_objects.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::widgets {

/// Two results on the images that both have, matched at an IoU threshold, with what
/// `coco-eval --analysis` says of each on files of these images, to the last bit. For any thread.
class MatchedPair {
 public:
  struct Side {
    coco::OverlapSet overlaps;
    std::vector<std::uint32_t> placeOf;  ///< of each detection among those of its image
    std::vector<double> areasPx;         ///< of all detections, shownAreaPx()
    std::size_t unlisted = 0;  ///< detections of classes that the dataset does not list: left out
    coco::PrecisionRecall curves;
    coco::ErrorCosts errors;
  };
  using Confusions = std::array<coco::ConfusionMatrix, 2>;

  /// There must be a common image. On all processors; takes a second or more; throws Error for a
  /// detection that cannot be matched.
  MatchedPair(const coco::Dataset& dataset, const PredictionStore::ByImage& first,
              const PredictionStore::ByImage& second, const MatchRules& rules, double iouThreshold);

  const Side& side(std::size_t index) const { return sides_.at(index); }
  double iouThreshold() const { return iouThreshold_; }
  /// The classes of the matrices and curves.
  const std::vector<coco::Category>& categories() const { return sides_[0].overlaps.categories(); }
  /// Of each class on the common images, crowds left out.
  const std::vector<std::size_t>& objectCounts() const { return objectCounts_; }
  /// Every object that counts (no crowds), in the order of the dataset. Found: matched as in COCO's
  /// evaluation. On all processors; blocks.
  std::vector<PairedObject> objectsAt(double scoreThreshold) const;
  /// Blocks for milliseconds.
  Confusions confusionsAt(double scoreThreshold) const;

  /// What a cell of a side's matrix counts. Blocks for milliseconds.
  std::vector<PairedObject> ofCell(std::size_t side, double scoreThreshold, std::size_t actual,
                                   std::size_t predicted) const;
  /// What a type of error counts, at any score.
  std::vector<PairedObject> ofError(std::size_t side, coco::ErrorType type) const;
  /// The detections of this very score, of a class or (std::nullopt) of all.
  std::vector<PairedObject> ofScore(std::size_t side, std::optional<std::size_t> category,
                                    double score) const;

 private:
  Side matched(const coco::Dataset& common, const PredictionStore::ByImage& predictions,
               const MatchRules& rules) const;
  void countObjects();
  PairedObject object(std::size_t image, std::int32_t annotation) const;
  void addFind(PairedObject& object, std::size_t side, std::size_t image,
               const coco::ConfusedInstance& one) const;
  PairedObject instance(std::size_t side, std::size_t image,
                        const coco::ConfusedInstance& one) const;
  void addOther(std::span<PairedObject> objects, std::span<const std::int32_t> on,
                std::size_t other, std::size_t image, double scoreThreshold) const;
  std::vector<std::int32_t> detectionsOfObjects(std::size_t side, std::size_t image,
                                                double scoreThreshold) const;

  double iouThreshold_;
  std::vector<std::size_t> imageIndices_;           ///< in the dataset, of the common images
  std::vector<std::vector<double>> objectAreasPx_;  ///< of their annotations, shownAreaPx()
  std::vector<std::size_t> objectCounts_;           ///< by the rows of categories()
  std::vector<Side> sides_;
};

}  // namespace lockstep::widgets
