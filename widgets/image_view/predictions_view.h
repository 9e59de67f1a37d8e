#pragma once

#include <QString>
#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::widgets {

/// The Predictions page: image, ground truth and predictions of one checkpoint, thumbnails,
/// thresholds, instances.
///
/// Data comes in by setters, requests go out by signals. Images are decoded, matched and painted
/// off the GUI thread; what comes late for an image that is no longer shown is dropped. GUI thread
/// only; no method blocks.
class PredictionsView : public QWidget {
  Q_OBJECT

 public:
  explicit PredictionsView(QWidget* parent = nullptr);
  ~PredictionsView() override;

  /// The held-out part and the folder its file names are relative to. Drops all predictions and
  /// checkpoints.
  void setDataset(std::shared_ptr<const coco::Dataset> dataset, const QString& imagesFolder);
  /// Steps that predictions can be shown for or asked of, in any order. `kept`: those whose
  /// checkpoint is there to predict with; of the others stored predictions alone can be shown.
  void setCheckpoints(const std::vector<qint64>& steps, std::set<qint64> kept);
  /// Mask (or box) AP by step, shown beside the checkpoint; negative or NaN: not known. Replaces
  /// what was given before.
  void setAveragePrecisions(std::map<qint64, double> averagePrecisions);
  /// Predictions of one step. `watched`: every image that was predicted, also those without any
  /// detection. Adds to what is there for the step; an image given again is replaced.
  void setPredictions(qint64 step, std::vector<coco::Detection> detections,
                      std::vector<ImageId> watched);
  /// Drops what belongs to later steps: the run was resumed at `step`.
  void forgetAfter(qint64 step);
  /// The answer to predictionRequested was a failure: shown where the action was.
  void setPredictionFailed(ImageId image, qint64 step, const QString& why);
  /// Whether predictions can be asked for at all (an engine is there); otherwise the action is off
  /// and says `reason`.
  void setPredictionPossible(bool possible, const QString& reason = {});
  void setCurrentCheckpoint(qint64 step);
  void showImage(ImageId image);
  /// The image of this id and name; false: the data set has none.
  bool showSameImage(const coco::Image& image);
  /// Back to the empty state.
  void clear();
  /// What the empty state says and offers, e.g. "No held-out images" / "Set dataset.val" / "Open
  /// Configure".
  void setEmptyText(const QString& title, const QString& cause, const QString& action);
  /// The data set or the predictions are on their way or could not be read: an inline message on
  /// the page; empty: none.
  void setMessage(const QString& message);

  /// What is shown has loaded: image, overlay and visible thumbnails (for screenshots).
  bool isReady() const;
  qint64 currentCheckpoint() const;
  ImageId currentImage() const;
  /// Nothing while there is no data set.
  std::optional<coco::Image> shownImage() const;

 Q_SIGNALS:
  void ready();
  /// The user moved the checkpoint slider.
  void checkpointChosen(qint64 step);
  /// The user pressed "Predict this image".
  void predictionRequested(lockstep::ImageId image, qint64 step);
  void imageShown(lockstep::ImageId image);
  /// The empty state's action.
  void emptyActionTriggered();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Parts;
  void buildUi();
  void connectSignals();
  void connectSession();
  void addShortcuts();
  void requestPrediction();
  void emitReady();

  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::widgets
