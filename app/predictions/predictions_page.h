#pragma once

#include <QHash>
#include <QPointer>
#include <QWidget>
#include <memory>
#include <optional>

#include "app/controllers/inspect_process.h"
#include "app/controllers/run_controller.h"
#include "app/models/prediction_steps.h"
#include "app/models/predictions_store.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::widgets {
class PredictionsView;
}

namespace lockstep::app {

/// The Predictions page: gives the view of one run its data set and predictions, and asks an engine
/// for those it lacks. Reads nothing before it is shown for the first time. Of each run it keeps
/// what was asked for and what was looked at, for when the run is shown again.
class PredictionsPage : public QWidget {
  Q_OBJECT

 public:
  explicit PredictionsPage(QWidget* parent = nullptr);

  /// nullptr: none.
  void setRun(RunController* run);
  /// Shows the newest step with predictions or a checkpoint at or before a step of the run, as
  /// asked for in its curves.
  void showStep(qint64 step);
  bool isReady() const;
  widgets::PredictionsView* view() const { return view_; }

 Q_SIGNALS:
  void readyChanged();
  void configureRequested();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// Of a run that was shown.
  struct Memory {
    int attempt = 0;  ///< that the answers are of
    std::vector<StepPredictions> answers;
    std::optional<qint64> step;  ///< chosen; nothing: the newest
    std::optional<coco::Image> image;
  };
  void connectSignals();
  void connectStore();
  /// Of the live run's engine, or of one that inspects it.
  template <typename Engine>
  void connectAnswers(Engine* engine);
  void connectRun();
  void load();
  void takeResults();
  void remember();
  void recallView();
  void recallAnswers();
  void forgetAfter(qint64 step);
  void requestPrediction(ImageId image, qint64 step);
  void announceReady();

  widgets::PredictionsView* view_ = nullptr;
  QPointer<RunController> run_;
  PredictionsStore store_;
  InspectProcess inspect_;
  QHash<QString, Memory> memories_;    ///< by folder
  std::optional<coco::Image> looked_;  ///< at last, of whichever run
  PredictionSteps steps_;
  std::optional<qint64> wantedStep_;  ///< asked for before the steps were known
  bool followsNewest_ = true;         ///< nobody has chosen an older step
  bool hasDataset_ = false;
  bool hasRecalled_ = false;  ///< the answers of before were shown
};

}  // namespace lockstep::app
