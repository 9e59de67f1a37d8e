#pragma once

#include <QString>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "engine/coco/evaluation/past_limit.h"
#include "widgets/instances/instance_match.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::widgets {

/// What matching needs of all predicted images of a checkpoint, at any thresholds, without masks.
struct CheckpointOverlaps {
  struct OfImage {
    ImageId image;
    ImageDetections detections;
    std::size_t objects = 0;    ///< that count: no crowds
    std::size_t pastLimit = 0;  ///< detections that are ignored, over the limit of their class
    std::size_t unlisted = 0;   ///< detections of classes that the dataset does not list
    std::shared_ptr<const coco::ImageOverlaps> overlaps{};  ///< nullptr: it cannot be matched
    QString failure{};                                      ///< why, with the image's name
  };
  /// A detection that counts.
  struct Ranked {
    double score = 0;
    std::uint32_t place = 0;  ///< among all detections: firstOf[i] + d for detection d of image i
  };
  struct OfCategory {
    CategoryId id;
    std::size_t images = 0;   ///< with an object
    std::size_t objects = 0;  ///< without crowds
    /// By falling score, ties in the order of the images.
    std::vector<Ranked> ranking{};

    /// How many of the ranking have at least this score.
    std::size_t countFrom(double score) const;
  };
  qint64 step = 0;
  std::size_t predictedImages = 0;  ///< also those that are not in the dataset
  std::vector<OfImage> images;  ///< in the order of the dataset; those that can be matched or not
  std::vector<std::uint32_t> firstOf{0};  ///< and the count of all detections at the end
  std::vector<OfCategory> categories;
  MatchRules rules{};
  coco::PastLimit pastLimit;  ///< counts objects of all images, detections of predicted images
  std::size_t unlisted = 0;   ///< detections that are not judged, as OfImage's

  /// nullptr: not predicted.
  const OfImage* find(ImageId image) const;
};

/// The overlaps of masks are what costs time: they are computed once for each image and checkpoint,
/// on all processors, and kept while they fit into the limit, besides those that are being
/// computed. One cache is for one dataset, which must not change. For any thread.
class OverlapCache {
 public:
  explicit OverlapCache(std::size_t mostBytes = std::size_t{96} << 20) : mostBytes_(mostBytes) {}

  /// Ignores predictions of images that are not in the dataset. Computes anew only images whose
  /// predictions are others than the last time. Blocks; others who ask for the same step wait for
  /// what is computed, those who ask for another do not.
  std::shared_ptr<const CheckpointOverlaps> at(qint64 step, const coco::Dataset& dataset,
                                               const PredictionStore::ByImage& predictions,
                                               const MatchRules& rules);

 private:
  struct Kept {
    std::shared_ptr<const CheckpointOverlaps> overlaps;
    std::size_t bytes = 0;
  };
  class Computing;
  /// All with the mutex held. Empty: it was not kept.
  Kept take(qint64 step);
  void keep(Kept kept);
  void makeRoom(std::size_t wanted);

  std::size_t mostBytes_;
  std::mutex mutex_;            ///< of what follows
  std::vector<Kept> kept_;      ///< the last used one last
  std::set<qint64> computing_;  ///< steps
  std::condition_variable computed_;
};

}  // namespace lockstep::widgets
