#pragma once

#include <QHash>
#include <QPointer>
#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "app/controllers/inspect_process.h"
#include "app/controllers/run_controller.h"
#include "app/models/prediction_steps.h"
#include "app/models/predictions_store.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::widgets {
class PredictionsView;
}

namespace lockstep::app {

/// The Predictions page: loads dataset and predictions of one run for its view, and requests
/// missing predictions from an engine. Loads nothing before it is first shown. Keeps requested
/// predictions and the view state of each run for when it is shown again.
class PredictionsPage : public QWidget {
  Q_OBJECT

 public:
  explicit PredictionsPage(QWidget* parent = nullptr);

  /// nullptr: no run.
  void setRun(RunController* run);
  /// Shows the newest step at or before `step` that has predictions or a checkpoint.
  void showStep(qint64 step);
  /// The same for each move of the curves' cursor.
  void followCursor(qint64 step);
  bool isReady() const;
  widgets::PredictionsView* view() const { return view_; }

 Q_SIGNALS:
  void readyChanged();
  void configureRequested();
  /// What is shown, to files.
  void exportRequested();
  /// Compare this checkpoint with another.
  void comparisonRequested(const QString& folder, qint64 step);
  /// The user chose another checkpoint.
  void checkpointChosen(qint64 step);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// State of a run that was shown before.
  struct ViewState {
    int attempt = 0;                                            ///< attempt of the answers
    std::map<ImagePart, std::vector<StepPredictions>> answers;  ///< requested predictions
    std::optional<qint64> step;  ///< chosen step; nothing: the newest
    std::optional<coco::Image> image;
  };
  void connectSignals();
  void connectStore();
  void connectPredictions();
  void addNamedActions();
  void showPart(ImagePart part);
  void leavePart(const QString& why);
  QString fileOf(ImageId image) const;
  /// Engine: RunController of a live run, or InspectProcess.
  template <typename Engine>
  void connectAnswers(Engine* engine);
  void connectRun();
  void chooseInspection(const QString& runFolder);
  bool isOfAnotherRun(const InspectProcess* inspection) const;
  static bool isOfAnotherRun(const RunController*) { return false; }
  void load();
  void updatePredictionPossible();
  void bringImagesFrom(const RunFileAccess& files);
  void showForeignRun();
  void updateResults();
  void saveViewState();
  void restoreView();
  void restoreAnswers();
  void forgetAfter(qint64 step);
  void requestPrediction(const AskedPrediction& asked);
  void announceReady();

  widgets::PredictionsView* view_ = nullptr;
  QPointer<RunController> run_;
  PredictionsStore store_;
  std::unique_ptr<InspectProcess> inspect_;              ///< of a run on this machine
  std::vector<std::unique_ptr<InspectProcess>> others_;  ///< that predict all images of other runs
  QHash<QString, ViewState> viewStates_;                 ///< by run folder
  std::optional<coco::Image> lastImage_;                 ///< last shown image of any run
  PredictionSteps steps_;
  std::optional<qint64> pendingStep_;  ///< to be shown once the steps are known
  std::vector<AskedPrediction> canceled_;
  ImagePart part_ = ImagePart::HeldOut;  ///< is kept when another run is shown
  QString whyLeft_;       ///< why the training images are not shown, until the held-out ones are
  QString engineFolder_;  ///< of the images, where the run's engine is
  bool followsNewest_ = true;  ///< the user has not chosen an older step
  bool hasDataset_ = false;
  bool hasRestoredAnswers_ = false;
};

}  // namespace lockstep::app
