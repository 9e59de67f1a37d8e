#pragma once

#include <QObject>
#include <QPointer>
#include <map>
#include <optional>

#include "app/files/watched_files.h"
#include "app/predictions/prediction_requests.h"
#include "app/predictions/prediction_steps.h"
#include "app/predictions/predictions_store.h"
#include "app/results/opened_results.h"
#include "app/results/results_reading.h"
#include "app/runs/open/run_controller.h"
#include "widgets/instances/match_rules.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::app {

/// One side of a comparison: a run at a step, with its held-out set and its predictions, or a
/// results file. GUI thread only; no method blocks.
class ComparedSide : public QObject {
  Q_OBJECT

 public:
  explicit ComparedSide(QObject* parent = nullptr);

  /// nullptr: none. The step is then the run's newest. A prediction of all images goes on.
  void setRun(RunController* run);
  RunController* run() const { return run_; }
  /// A results file in the place of a run; at step 0.
  void setResults(const ResultsSource& source);
  bool isOfFile() const { return file_.has_value(); }
  const std::optional<ResultsSource>& file() const { return file_; }
  /// What the file is judged by, unless it has annotations of its own; std::nullopt: not known.
  void judgeBy(const std::optional<RunDataset>& truth);
  bool lacksTruth() const { return file_ && file_->annotations.isEmpty() && !truth_; }
  void setStep(qint64 step);
  /// Takes a step that was set back: the run's newest is shown again.
  void followNewest();
  qint64 step() const { return step_; }
  /// False: the step is not known yet.
  bool hasStep() const { return isStepChosen_ || !steps_.isEmpty(); }
  const PredictionSteps& steps() const { return steps_; }
  /// nullopt: not loaded, or there is none.
  const std::optional<RunDataset>& heldOut() const { return heldOut_; }
  /// How the predictions of the step are matched; heldOut() must be loaded.
  widgets::MatchRules rules() const;
  /// Of the step.
  const widgets::PredictionStore::ByImage& predictions() const {
    return file_ ? ofFile_ : kept_.at(step_);
  }
  /// Held-out images that the run's checkpoint has not predicted, but can; 0: none, or a file.
  std::size_t imagesToPredict() const;
  /// Why the held-out set or the predictions cannot be read; empty: they can.
  QString failure() const { return failure_; }
  bool isIdle() const;
  /// Nothing has been chosen.
  bool isEmpty() const { return !run_ && !file_; }

  /// The run's best checkpoint, or else its first, with predictions if there is such a one, that
  /// is not at `step`; nullopt: there is none.
  std::optional<qint64> stepToCompareWith(qint64 step) const;
  /// The same before `step`.
  std::optional<qint64> stepBefore(qint64 step) const;

  /// Reads all files again, as they are on the disk.
  void readAgain();
  /// They have changed there, and were read again by themselves.
  bool isReadAgain() const { return isReadAgain_; }
  /// Of a results file: "120 of 500 images"; empty: it is not being read.
  QString reading() const;
  void cancelReading();

  /// Asks an engine for the predictions of all held-out images at the step.
  void predictAll();
  void cancelPrediction();
  /// "120 of 500 images"; empty: nothing is being predicted.
  QString progress() const;

 Q_SIGNALS:
  void stepsChanged();
  /// Held-out set, predictions or failure.
  void changed();
  void progressed();
  /// The run has new points, or its facts are known.
  void curvesChanged();

 private:
  void connectStore();
  void connectAnswers();
  AskedPrediction allImages() const { return {std::nullopt, step_}; }
  void readSteps();
  std::optional<qint64> preferred(const std::vector<qint64>& steps) const;
  bool moveTo(qint64 step);
  void readPredictions();
  void readFile();
  void fail(const QString& why);
  void clear();
  void takeFile(const OpenedResults& opened);

  QPointer<RunController> run_;
  PredictionsStore store_;
  widgets::PredictionStore kept_;
  std::optional<RunDataset> heldOut_;
  PredictionRequests requests_;
  std::map<qint64, QString> progress_;  ///< as last told, by step
  PredictionSteps steps_;
  qint64 step_ = 0;
  bool isStepChosen_ = false;
  std::optional<ResultsSource> file_;
  widgets::PredictionStore::ByImage ofFile_;
  std::optional<RunDataset> truth_;  ///< of the other side
  QString failure_;
  WatchedFiles watched_;  ///< that were read
  bool isReadAgain_ = false;
  ResultsReading reading_;
};

}  // namespace lockstep::app
