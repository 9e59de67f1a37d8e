#pragma once

#include <QString>
#include <QVariantMap>
#include <QWidget>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/base/file_version.h"
#include "engine/base/ids.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results_by_image.h"
#include "engine/explanation/explanation.h"
#include "widgets/image_view/export_button.h"
#include "widgets/instances/image_losses.h"
#include "widgets/instances/instance_match.h"
#include "widgets/instances/prediction_store.h"
#include "widgets/instances/wanted_instance.h"

namespace lockstep::widgets {

struct ShownResults;

/// The Predictions page: image, ground truth and predictions of one checkpoint, thumbnails,
/// thresholds, instances.
///
/// Setters pass data in, signals pass requests out. Images are decoded, matched and painted off the
/// GUI thread; late results of an image that is no longer shown are dropped. Use it on the GUI
/// thread only; no method blocks.
class PredictionsView : public QWidget {
  Q_OBJECT

 public:
  explicit PredictionsView(QWidget* parent = nullptr);
  ~PredictionsView() override;

  /// Brings an image file to the disk before it is read, and calls `done` later.
  using BringImage = std::function<void(const QString& path, std::function<void()> done)>;
  /// For the next dataset. Null: its images are there. `copies`: the folder that they are brought
  /// to; `named` makes a message about a copy one about what it is of.
  void setBringImage(const BringImage& bring, const QString& copies = {},
                     const std::function<QString(const QString&)>& named = {});
  /// The choices of which images are shown, the parts of the data. partChosen() asks for another.
  /// `canClose`: with a button that closes the current one.
  void setParts(const QStringList& names, int current, bool canClose = false);
  /// The shown part of the data and the folder of its images. Drops all predictions and
  /// checkpoints.
  void setDataset(std::shared_ptr<const coco::Dataset> dataset, const QString& imagesFolder,
                  const MatchRules& rules = {});
  /// Steps of the checkpoints, in any order. `kept`: those whose checkpoint file still exists, so
  /// that images can be predicted with it; of the others only stored predictions can be shown.
  void setCheckpoints(const std::vector<qint64>& steps, std::set<qint64> kept);
  /// The shown step, whose checkpoint and stored predictions are gone: what is known of it stays in
  /// sight, with a button that goes on to the nearest one.
  void setVanished(std::optional<qint64> step);
  /// Mask (or box) AP by step, shown beside the checkpoint; negative or NaN: not known. Replaces
  /// all earlier values.
  void setAveragePrecisions(std::map<qint64, double> averagePrecisions);
  /// Held-out loss and AP of the run by step, as a curve under the checkpoint slider.
  void setHeldOutCurves(const std::map<qint64, double>& losses,
                        const std::map<qint64, double>& averagePrecisions);
  /// Held-out loss of each image at the evaluation of a step.
  void setImageLosses(qint64 step, ImageLosses losses);
  /// Adds predictions of one step, and replaces those of the same images. `imageIds`: every image
  /// that was predicted, also those without detections.
  void setPredictions(qint64 step, std::vector<coco::Detection> detections,
                      std::vector<ImageId> imageIds);
  /// The same of a file, whose detections are read when they are needed.
  void setPredictions(qint64 step, const std::shared_ptr<const coco::ResultsByImage>& file);
  /// Instead of checkpoints: results that have a name and no step, until the next dataset.
  void setResults(const QString& name, const PredictionStore::ByImage& predictions);
  /// Drops those of one image.
  void forgetPredictions(qint64 step, ImageId image);
  /// Of the shown image's file, once it has been read.
  std::optional<base::FileVersion> shownVersion() const;
  /// Drops the data of later steps: the run was resumed at `step`.
  void forgetAfter(qint64 step);
  /// Shows that the request of predictionRequested() failed, with a button to try again.
  void setPredictionFailed(ImageId image, qint64 step, const QString& error);
  /// How far the prediction of all images at a step is, until endAllImages().
  void setAllImagesProgress(qint64 step, qint64 done, qint64 of);
  void endAllImages(qint64 step);
  /// As the button "Predict all".
  void requestAllImages();
  std::vector<coco::Image> unpredictedImages(qint64 step) const;
  /// Whether an engine can predict images; if not, the button is disabled and `reason` is its
  /// tooltip.
  void setPredictionPossible(bool possible, const QString& reason = {});
  /// How the predictions of an image at a step come about, the answer to explanationRequested();
  /// ignored unless it is shown.
  void setExplanation(ImageId image, qint64 step,
                      std::shared_ptr<const explanation::Explanation> explanation);
  void setExplanationFailed(ImageId image, qint64 step, const QString& error);
  void setCurrentCheckpoint(qint64 step);
  void showImage(ImageId image);
  /// Shows the image with this id and file name; false: the dataset has none.
  bool showSameImage(const coco::Image& image);
  /// Chooses it as soon as this image is shown at the step, which the thresholds and hidden classes
  /// give way to; until then nothing happens.
  void showInstance(const coco::Image& image, qint64 step, const WantedInstance& instance);
  /// Shows the empty state again.
  void clear();
  /// Texts and buttons of the empty state, e.g. "No held-out images" / "Set dataset.val" / "Open
  /// Configure".
  void setEmptyText(const QString& title, const QString& cause, const QString& action,
                    const QString& otherAction = {});
  /// Shows an inline message on the page, e.g. that the dataset is loading or could not be read;
  /// empty: none.
  /// `detail`: lines below it; `action`: a button.
  void setMessage(const QString& message, const QString& detail = {}, const QString& action = {});

  /// Image, overlay and visible thumbnails have loaded (for screenshots).
  bool isReady() const;
  qint64 currentCheckpoint() const;
  ImageId currentImage() const;
  struct ChosenInstance {
    InstanceFacts facts;
    QString className;
    QString objectName;  ///< class of InstanceFacts::object; empty: there is none
    QString whyMissed;   ///< a sentence; empty: it is not missed
  };
  /// The pinned one; std::nullopt: none is.
  std::optional<ChosenInstance> chosenInstance() const;
  /// std::nullopt without a dataset.
  std::optional<coco::Image> shownImage() const;
  /// Thresholds, hidden classes, and which images are listed and how, for a later start.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);
  /// For files, named by its step; std::nullopt: no image is shown yet.
  std::optional<ShownResults> shown() const;

 Q_SIGNALS:
  void ready();
  /// The user moved the checkpoint slider.
  void checkpointChosen(qint64 step);
  /// The user chose another part; place in the names of setParts().
  void partChosen(int place);
  /// The user pressed "Predict this image".
  void predictionRequested(lockstep::ImageId image, qint64 step);
  /// The user wants to see how the predictions come about, or no more before they are explained.
  void explanationRequested(lockstep::ImageId image, qint64 step);
  void explanationCanceled(lockstep::ImageId image, qint64 step);
  /// The user pressed "Predict all", or "Cancel" meanwhile.
  void allImagesRequested(qint64 step);
  void allImagesCanceled(qint64 step);
  void imageShown(lockstep::ImageId image);
  /// What is shown is to be written to a file.
  void exportRequested(lockstep::widgets::ExportKind kind);
  /// viewState() is another one.
  void viewStateChanged();
  /// chosenInstance() is another one, or its facts have changed.
  void choiceChanged();
  /// The buttons of the empty state were clicked.
  void emptyActionTriggered();
  void emptyOtherActionTriggered();
  /// The button of setMessage() was clicked.
  void messageActionTriggered();
  /// The shown part is to be closed.
  void partCloseClicked();

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Impl;
  void buildUi();
  void connectSignals();
  void connectSession();
  void connectExplanation();
  void connectMessages();
  void connectClasses();
  void addNamedActions();
  void addZoomActions();
  void requestPrediction();
  void toggleAllImages();
  void emitReady();

  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::widgets
