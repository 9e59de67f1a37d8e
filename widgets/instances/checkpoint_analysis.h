#pragma once

#include <QString>
#include <map>
#include <memory>

#include "engine/coco/evaluation/past_limit.h"
#include "widgets/instances/instance_match.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::widgets {

/// True and false positives of every predicted image at one checkpoint and IoU threshold, for any
/// score threshold.
struct CheckpointAnalysis {
  qint64 step = 0;
  std::map<ImageId, ClassTallies> images;
  ClassTallies all;
  coco::PastLimit pastLimit;  ///< counts objects of all images, detections of predicted images
  QString failure;            ///< the first image that could not be matched, and why
};

/// Ignores predictions of images that are not in the dataset. Blocks; call it from any thread; does
/// not throw.
std::shared_ptr<const CheckpointAnalysis> analyseCheckpoint(
    const coco::Dataset& dataset, qint64 step, const PredictionStore::ByImage& predictions,
    double iouThreshold, const MatchRules& rules = {});

}  // namespace lockstep::widgets
