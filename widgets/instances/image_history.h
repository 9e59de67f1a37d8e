#pragma once

#include <memory>
#include <set>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "widgets/instances/instance_match.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::widgets {

/// How an image was predicted at each checkpoint that has predictions of it. For any thread.
class ImageHistory {
 public:
  struct OfStep {
    qint64 step = 0;
    coco::Counts counts;
    double meanIou = 0;  ///< of the true positives with their objects; NaN: there are none
  };
  struct Predicted {
    qint64 step = 0;
    ImageDetections detections;
    MatchRules rules;
  };

  /// Reads them and computes the overlaps, without predictions that cannot be matched. Blocks.
  /// `index`: of the image in the dataset.
  ImageHistory(std::shared_ptr<const coco::Dataset> dataset, std::size_t index,
               const std::vector<Predicted>& predicted);

  std::size_t imageIndex() const { return index_; }
  /// In the order of `predicted`, of the classes that are not hidden.
  std::vector<OfStep> at(const MatchThresholds& thresholds,
                         const std::set<CategoryId>& hidden) const;

 private:
  struct Matched {
    qint64 step = 0;
    DetectionCache::Detections detections;
    MatchRules rules;
    coco::ImageOverlaps overlaps{};
  };
  ImageContent content(const Matched& matched) const;

  std::shared_ptr<const coco::Dataset> dataset_;
  std::size_t index_;
  std::vector<Matched> matched_;
};

}  // namespace lockstep::widgets
