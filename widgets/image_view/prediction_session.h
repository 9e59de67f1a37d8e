#pragma once

#include <QCache>
#include <QObject>
#include <QString>
#include <memory>
#include <set>

#include "widgets/image_view/canvas_scene.h"
#include "widgets/image_view/decoded_image.h"
#include "widgets/image_view/keyed_loader.h"
#include "widgets/instances/checkpoint_analysis.h"
#include "widgets/instances/prediction_store.h"
#include "widgets/latest_job.h"

namespace lockstep::widgets {

/// What the Predictions page shows, without its widgets: the chosen image and checkpoint, and the
/// work in the background that decodes, matches and paints them. GUI thread; nothing blocks.
class PredictionSession : public QObject {
  Q_OBJECT

 public:
  explicit PredictionSession(QObject* parent = nullptr);

  void setDataset(std::shared_ptr<const coco::Dataset> dataset, const QString& imagesFolder);
  const std::shared_ptr<const coco::Dataset>& dataset() const { return dataset_; }
  PredictionStore& store() { return store_; }
  const PredictionStore& store() const { return store_; }

  /// Index into dataset()->images(), and those that are likely to be wanted next.
  void setImage(std::size_t index, const std::vector<std::size_t>& neighbours);
  std::size_t imageIndex() const { return index_; }
  const coco::Image& image() const { return dataset_->images()[index_]; }
  void setStep(qint64 step);
  qint64 step() const { return step_; }
  void setThresholds(const MatchThresholds& thresholds, std::set<CategoryId> hidden);
  /// The predictions in the store changed.
  void refreshPredictions();
  /// Colours changed.
  void refreshScene();

  QString pathOf(std::size_t index) const;
  /// Null while it is decoded.
  std::shared_ptr<const DecodedImage> decoded() const { return decoded_; }
  /// Scene of the present image; null while the first one is built.
  std::shared_ptr<const CanvasScene> scene() const { return scene_; }
  QString sceneFailure() const { return sceneFailure_; }
  /// Analysis of the present checkpoint, or of an older one while it is made; null before the
  /// first.
  const CheckpointAnalysis* analysis() const { return analysis_.get(); }
  PredictionStore::Detections detections() const;
  /// Nothing is on its way.
  bool isIdle() const;

 Q_SIGNALS:
  void imageDecoded();
  void sceneBuilt();
  void analysed();

 private:
  void takeScene(const SceneResult& result);
  void refreshAnalysis();
  QString geometryKey(std::size_t index, qint64 step) const;

  std::shared_ptr<const coco::Dataset> dataset_;
  QString folder_;
  PredictionStore store_;
  std::size_t index_ = 0;
  qint64 step_ = 0;
  MatchThresholds thresholds_;
  std::set<CategoryId> hidden_;
  std::shared_ptr<const DecodedImage>
      decoded_;  ///< kept here too: its neighbours may fill the cache
  std::shared_ptr<const CanvasScene> scene_;
  QString sceneFailure_;
  std::shared_ptr<const CheckpointAnalysis> analysis_;
  QCache<QString, std::shared_ptr<const ImageGeometry>> geometries_;
  KeyedLoader<DecodedImage> images_;
  LatestJob<SceneResult> sceneJob_;
  LatestJob<std::shared_ptr<const CheckpointAnalysis>> analysisJob_;
};

}  // namespace lockstep::widgets
