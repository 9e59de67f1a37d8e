#pragma once

#include <QString>
#include <QtGlobal>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/results_by_image.h"
#include "widgets/instances/image_detections.h"

namespace lockstep::widgets {

/// Predictions by checkpoint and image, and the checkpoints with their AP.
class PredictionStore {
 public:
  using Detections = ImageDetections;
  using ByImage = std::map<ImageId, Detections>;

  void clear();
  /// checkpoints() are then these steps and those with predictions. `kept`: the steps whose
  /// checkpoint file still exists, so that images can be predicted with it.
  void setCheckpoints(const std::vector<qint64>& steps, std::set<qint64> kept);
  /// Ascending steps.
  const std::vector<qint64>& checkpoints() const { return checkpoints_; }
  /// Whether images can be predicted at this step.
  bool isKept(qint64 step) const { return kept_.count(step) > 0; }
  /// The nearest step at which images can be predicted, the older of two; std::nullopt: none.
  std::optional<qint64> nearestKept(qint64 step) const;
  /// The nearest other step with predictions of the image, the older of two; std::nullopt: none.
  std::optional<qint64> nearestPredicted(qint64 step, ImageId image) const;
  /// Position in checkpoints() of the step, or of the nearest one before it; -1 if there are none.
  int positionOf(qint64 step) const;

  /// Adds or replaces the predictions of the images at a step. `imageIds`: the predicted images,
  /// also those without detections; the images of the detections are added to them.
  void add(qint64 step, std::vector<coco::Detection> detections,
           const std::vector<ImageId>& imageIds);
  /// The same of a file, which is read when detections are asked for.
  void add(qint64 step, const std::shared_ptr<const coco::ResultsByImage>& file);
  /// The same of several files, or of images that are judged without any.
  void add(qint64 step, const ByImage& predictions);
  /// Removes predictions and checkpoints after `step`: the run was resumed there.
  void forgetAfter(qint64 step);
  /// The image was not predicted at this step.
  void forget(qint64 step, ImageId image);
  /// Null: the image was not predicted at this step.
  ImageDetections find(qint64 step, ImageId image) const;
  const ByImage& at(qint64 step) const;
  /// Whether each detection at this step has a mask.
  bool haveMasks(qint64 step) const { return !withoutMasks_.contains(step); }

  void setAveragePrecisions(std::map<qint64, double> values) {
    averagePrecisions_ = std::move(values);
  }
  /// NaN: not known.
  double averagePrecision(qint64 step) const;

  enum class RequestState { None, Waiting, Failed };
  struct Request {
    RequestState state = RequestState::None;
    QString failure;
  };
  void setRequest(qint64 step, ImageId image, Request request);
  Request request(qint64 step, ImageId image) const;

 private:
  void mergeCheckpoint(qint64 step);
  void lookForMasks(qint64 step);

  std::vector<qint64> checkpoints_;
  std::set<qint64> kept_;
  std::map<qint64, ByImage> predictions_;
  std::set<qint64> withoutMasks_;  ///< steps of whose detections some have none
  std::map<qint64, double> averagePrecisions_;
  std::map<std::pair<qint64, ImageId>, Request> requests_;
  std::shared_ptr<DetectionCache> cache_ = std::make_shared<DetectionCache>();
};

}  // namespace lockstep::widgets
