#pragma once

#include <QString>
#include <QtGlobal>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/results.h"

namespace lockstep::widgets {

/// Predictions by checkpoint and image, with what is known of each checkpoint.
class PredictionStore {
 public:
  using Detections = std::shared_ptr<const std::vector<coco::Detection>>;
  using ByImage = std::map<ImageId, Detections>;

  void clear();
  /// Steps given here, and every step predictions came for, rising. `kept`: those whose checkpoint
  /// is there to predict with.
  void setCheckpoints(const std::vector<qint64>& steps, std::set<qint64> kept);
  const std::vector<qint64>& checkpoints() const { return checkpoints_; }
  /// Whether more images can be predicted at this step.
  bool isKept(qint64 step) const { return kept_.count(step) > 0; }
  /// The step nearest to this one at which they can, the older of two; nothing: there is none.
  std::optional<qint64> nearestKept(qint64 step) const;
  /// Position of the step, or of the nearest one before it; -1 when there is none.
  int positionOf(qint64 step) const;

  /// Adds or replaces the predictions of the watched images at a step. Detections of other images
  /// count too.
  void add(qint64 step, std::vector<coco::Detection> detections,
           const std::vector<ImageId>& watched);
  /// A resumed run begins anew after `step`: later predictions and checkpoints are of a past that
  /// is gone.
  void forgetAfter(qint64 step);
  /// Null: the image was not predicted at this step.
  Detections find(qint64 step, ImageId image) const;
  const ByImage& at(qint64 step) const;

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

  std::vector<qint64> checkpoints_;
  std::set<qint64> kept_;
  std::map<qint64, ByImage> predictions_;
  std::map<qint64, double> averagePrecisions_;
  std::map<std::pair<qint64, ImageId>, Request> requests_;
};

}  // namespace lockstep::widgets
