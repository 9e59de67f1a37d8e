#pragma once

#include <QObject>
#include <QPointer>
#include <memory>
#include <optional>

#include "app/controllers/inspect_process.h"
#include "app/controllers/run_controller.h"
#include "app/models/prediction_steps.h"
#include "app/models/predictions_store.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::app {

/// One side of a comparison: a run at a step, with its held-out set and its predictions. GUI thread
/// only; no method blocks.
class ComparedRun : public QObject {
  Q_OBJECT

 public:
  explicit ComparedRun(QObject* parent = nullptr);

  /// nullptr: none. The step is then the run's newest.
  void setRun(RunController* run);
  RunController* run() const { return run_; }
  void setStep(qint64 step);
  /// Takes a step that was set back: the run's newest is shown again.
  void followNewest();
  qint64 step() const { return step_; }
  const PredictionSteps& steps() const { return steps_; }
  /// The newest step before `step` with stored predictions; nullopt: there is none.
  std::optional<qint64> predictedBefore(qint64 step) const;
  /// nullopt: not loaded, or there is none.
  const std::optional<RunDataset>& heldOut() const { return heldOut_; }
  /// Of the step.
  const widgets::PredictionStore::ByImage& predictions() const { return kept_.at(step_); }
  /// Why the held-out set or the predictions cannot be read; empty: they can.
  QString failure() const { return failure_; }
  bool isIdle() const;

  /// Asks an engine for the predictions of all held-out images at the step.
  void predictAll();
  void cancelPrediction();
  /// "120 of 500 images"; empty: nothing is being predicted.
  QString progress() const { return progress_; }

 Q_SIGNALS:
  void stepsChanged();
  /// Held-out set, predictions or failure.
  void changed();
  void progressed();

 private:
  void connectStore();
  template <typename Engine>
  void connectAnswers(Engine* engine);
  void readSteps();
  void readPredictions();
  void fail(const QString& why);

  QPointer<RunController> run_;
  PredictionsStore store_;
  widgets::PredictionStore kept_;
  std::optional<RunDataset> heldOut_;
  PredictionSteps steps_;
  qint64 step_ = 0;
  bool isStepChosen_ = false;
  QString failure_, progress_;
  std::unique_ptr<InspectProcess> inspect_;  ///< of a run that has ended, once it is asked
};

}  // namespace lockstep::app
