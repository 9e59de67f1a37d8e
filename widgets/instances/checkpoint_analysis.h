#pragma once

#include <QString>
#include <map>
#include <memory>

#include "engine/coco/evaluation/past_limit.h"
#include "widgets/instances/instance_match.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::widgets {

/// Right and wrong detections of every predicted image at one checkpoint and IoU threshold, for any
/// score.
struct CheckpointAnalysis {
  qint64 step = 0;
  std::map<ImageId, ClassTallies> images;
  ClassTallies all;
  coco::PastLimit pastLimit;  ///< objects of the whole data set, detections of the predicted images
  QString failure;            ///< the first image that could not be matched, and why
};

/// Predictions of images the data set does not name are left out. Blocks; any thread; does not
/// throw.
std::shared_ptr<const CheckpointAnalysis> analyseCheckpoint(
    const coco::Dataset& dataset, qint64 step, const PredictionStore::ByImage& predictions,
    double iouThreshold);

}  // namespace lockstep::widgets
