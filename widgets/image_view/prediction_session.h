#pragma once

#include <QCache>
#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>

#include "widgets/image_view/canvas_scene.h"
#include "widgets/image_view/decoded_image.h"
#include "widgets/instances/checkpoint_analysis.h"
#include "widgets/instances/class_figures.h"
#include "widgets/instances/filtered_ap.h"
#include "widgets/instances/image_history.h"
#include "widgets/instances/prediction_store.h"
#include "widgets/jobs/keyed_loader.h"
#include "widgets/jobs/latest_job.h"

namespace lockstep::widgets {

/// The state of the Predictions page without its widgets: the shown image and checkpoint, and the
/// background jobs that decode, match and paint them. GUI thread only; no call blocks.
class PredictionSession : public QObject {
  Q_OBJECT

 public:
  explicit PredictionSession(QObject* parent = nullptr);

  void setDataset(std::shared_ptr<const coco::Dataset> dataset, const QString& imagesFolder,
                  const MatchRules& rules);
  /// Brings image files to the disk before they are read; null: they are there. `copies`: the
  /// folder that they are brought to.
  void setBring(jobs::KeyedLoader<DecodedImage>::Bring bring, const QString& copies = {}) {
    images_.setBring(std::move(bring));
    copies_ = copies;
  }
  /// Of the current checkpoint's predictions.
  MatchRules rules() const { return rulesAt(step_); }
  const std::shared_ptr<const coco::Dataset>& dataset() const { return dataset_; }
  PredictionStore& store() { return store_; }
  const PredictionStore& store() const { return store_; }

  /// `index`: into dataset()->images(). `neighbours`: images to prefetch.
  void setImage(std::size_t index, const std::vector<std::size_t>& neighbours);
  /// Reads files again that have changed, or could not be shown.
  void reloadImages();
  std::size_t imageIndex() const { return index_; }
  const coco::Image& image() const { return dataset_->images()[index_]; }
  void setStep(qint64 step);
  qint64 step() const { return step_; }
  void setThresholds(const MatchThresholds& thresholds, std::set<CategoryId> hidden);
  /// Objects of the shown image that stand out, by their places in its annotations.
  void setChosenObjects(std::set<std::size_t> objects);
  void setColourBy(ColourBy colourBy);
  /// Call it when the predictions in the store have changed.
  void refreshPredictions();
  /// Call it when those of any checkpoint have.
  void refreshHistory();
  /// Call it when the colours have changed.
  void refreshScene();

  /// Empty: its name leads out of the folder of copies.
  QString pathOf(std::size_t index) const;
  /// Empty: nobody has annotated it, and it is shown as its file says.
  QSize annotatedSizeOf(const coco::Image& image) const;
  /// Of the images.
  const QString& folder() const { return folder_; }
  /// nullptr while it is being decoded.
  std::shared_ptr<const DecodedImage> decoded() const { return decoded_; }
  /// Scene of the current image; nullptr while the first one is being built.
  std::shared_ptr<const CanvasScene> scene() const { return scene_; }
  /// scene() is of the chosen step and thresholds; else it is being built.
  bool isSceneCurrent() const { return sceneJob_.isIdle(); }
  QString sceneFailure() const { return sceneFailure_; }
  /// Analysis of the current checkpoint, perhaps at the IoU threshold before; nullptr until it is
  /// done.
  const CheckpointAnalysis* analysis() const { return analysis_.get(); }
  /// The first one of the current checkpoint will be there soon.
  bool awaitsAnalysis() const { return !analysis_ && !analysisJob_.isIdle(); }
  /// It is of the current checkpoint and IoU threshold.
  bool isAnalysed() const { return analysis_ && analysis_->iouThreshold == thresholds_.iou; }
  /// The same for jobs.
  const std::shared_ptr<const CheckpointAnalysis>& keptAnalysis() const { return analysis_; }
  /// Of the current checkpoint; std::nullopt: not known yet.
  const std::optional<ShownAp>& shownAp() const { return shownAp_; }
  /// Of the current checkpoint; empty until they are known.
  const CheckpointFigures& figures() const { return figures_; }
  ImageDetections detections() const;
  /// Of the shown image at the thresholds, by rising step; empty until it is known.
  std::vector<ImageHistory::OfStep> history() const;
  /// No job is running, but perhaps for images that are not shown.
  bool isIdle() const;
  /// The scenes of the images beside the shown one are there, so that going to them shows them at
  /// once; those of over a megapixel are not prepared.
  bool isPrepared() const;

 Q_SIGNALS:
  void imageDecoded();
  void sceneBuilt();
  void analysed();
  void shownApChanged();
  void figuresChanged();
  /// history() is another one, not only by the thresholds.
  void historyFound();

 private:
  MatchRules rulesAt(qint64 step) const { return rules_.forResults(store_.haveMasks(step)); }
  void loadImages();
  SceneRequest sceneRequest(std::size_t index) const;
  void requestScene();
  void handleScene(const SceneResult& result);
  void keepGeometry(const SceneResult& result);
  std::shared_ptr<const CanvasScene> takePrepared(std::size_t index);
  std::optional<std::size_t> unpreparedNeighbour() const;
  void prepareNext();
  void dropPrepared();
  void refreshAnalysis();
  void refreshAp();
  void refreshFigures();
  void refreshInterval();
  void stopInterval();
  void delayInterval();
  void findHistory();
  void dropAp();
  void dropAnalysis();
  std::shared_ptr<const coco::ImageOverlaps> knownOverlaps(ImageId image,
                                                           const ImageDetections& detections) const;
  QString geometryKey(std::size_t index, qint64 step) const;

  std::shared_ptr<const coco::Dataset> dataset_;
  QString folder_, copies_;
  MatchRules rules_;
  PredictionStore store_;
  std::size_t index_ = 0;
  std::vector<std::size_t> neighbours_;  ///< of index_
  qint64 step_ = 0;
  MatchThresholds thresholds_;
  std::set<CategoryId> hidden_;
  std::set<std::size_t> chosenObjects_;
  ColourBy colourBy_ = ColourBy::Verdict;
  std::shared_ptr<const DecodedImage>
      decoded_;  ///< also kept here, because the neighbours may evict it from the cache
  std::shared_ptr<const CanvasScene> scene_;
  QString sceneFailure_;
  std::shared_ptr<OverlapCache> overlaps_ = std::make_shared<OverlapCache>();  ///< of dataset_
  std::shared_ptr<const CheckpointAnalysis> analysis_;
  QCache<QString, std::shared_ptr<const ImageGeometry>> geometries_;
  jobs::KeyedLoader<DecodedImage> images_;
  jobs::LatestJob<SceneResult> sceneJob_;
  /// As they would be shown, by image; null: it cannot be built.
  std::map<std::size_t, std::shared_ptr<const CanvasScene>> prepared_;
  jobs::LatestJob<SceneResult> preparationJob_;
  QTimer preparationTimer_;  ///< runs while scenes change
  jobs::LatestJob<std::shared_ptr<const CheckpointAnalysis>> analysisJob_;
  struct ApResult {
    std::shared_ptr<const FilteredAp> of;
    double ap = -1;
  };
  std::shared_ptr<const FilteredAp> ap_;  ///< of the last checkpoint
  std::optional<ShownAp> shownAp_;
  jobs::LatestJob<ApResult> apJob_;
  jobs::LatestJob<coco::Interval> intervalJob_;
  std::stop_source intervalStop_;  ///< of intervalJob_
  CheckpointFigures figures_;
  jobs::LatestJob<CheckpointFigures> figuresJob_;
  QTimer intervalTimer_;  ///< runs while the sliders move
  std::shared_ptr<const ImageHistory> history_;
  jobs::LatestJob<std::shared_ptr<const ImageHistory>> historyJob_;
  QTimer historyTimer_;  ///< runs while the images change
};

}  // namespace lockstep::widgets
