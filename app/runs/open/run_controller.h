#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>
#include <variant>

#include "app/engines/asked_prediction.h"
#include "app/engines/engine_link.h"
#include "app/engines/remote_place.h"
#include "app/files/run_file_access.h"
#include "app/runs/open/evaluation_plan.h"
#include "app/runs/open/run_history.h"
#include "engine/events/media.h"
#include "engine/foreign_runs/find_runs.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

class InspectProcess;
class RemoteFiles;
class RunTail;

/// Why a run cannot be read or followed.
struct RunAccessError {
  QString title, detail;
  bool operator==(const RunAccessError&) const = default;
};

/// What has changed of a run since the last signal. New scalars are at the end of their series, new
/// lines at the end of the log.
struct RunChanges {
  bool scalars = false;
  bool state = false;  ///< info() and isAlive()
  bool log = false;
  bool alerts = false;
  bool checkpoints = false;  ///< of the log, or those that exist
  bool evaluations = false;
  bool predictions = false;
  /// The log was truncated after this step, before all other changes: the run was resumed from an
  /// earlier checkpoint.
  std::optional<qint64> cutAfter{};

  /// Evaluations, checkpoints or predictions.
  bool results() const { return checkpoints || evaluations || predictions; }
  bool any() const { return scalars || state || log || alerts || results() || cutAfter; }
};

/// One open run: reads its event file in a worker thread, then follows it live over its socket,
/// without missing or duplicate records. A run on another machine sends all of its records over
/// ssh, also one that has ended. Closing it does not end the run. No method blocks.
class RunController : public QObject {
  Q_OBJECT

 public:
  explicit RunController(const QString& folder, QObject* parent = nullptr);
  ~RunController() override;

  /// The run folder, or the address of one on another machine.
  QString folder() const { return folder_; }
  /// Where it is; nullopt: on this machine.
  const std::optional<RemotePlace>& place() const { return place_; }
  /// Valid as long as this run.
  RunFileAccess files();
  const RunHistory& history() const { return history_; }
  RunHistory& history() { return history_; }
  /// run.json as last read, with the live step and state; of a run on another machine, what its
  /// messages say.
  const run_folder::RunInfo& info() const { return summary_.info; }
  bool isAlive() const { return summary_.alive; }
  /// It has been read, or its machine has answered; before, the list of runs may know more.
  bool isKnown() const { return place_ ? attempt_ > 0 : loaded_; }
  /// Whose run it is, once it has been read or greeted; nullopt: ours.
  const std::optional<foreign_runs::Source>& program() const { return program_; }
  /// Tags of another program's records that no page shows.
  const events::MediaTags& media() const { return media_; }
  EngineLink::State linkState() const { return link_.state(); }
  QString linkError() const { return link_.lastError(); }
  /// The event file has been read to its end.
  bool isLoaded() const { return loaded_; }
  /// Steps whose checkpoint exists, in ascending order.
  const std::vector<std::int64_t>& checkpointSteps() const { return checkpointSteps_; }
  /// It has ended, its config.yaml exists, and it is no learning-rate range test.
  bool canResume() const { return !summary_.alive && hasConfig_ && !summary_.info.isRangeTest; }
  /// From config.yaml; the default if that cannot be read.
  const EvaluationPlan& evaluationPlan() const { return evaluationPlan_; }
  /// The step that a resume would continue from; 0: from the beginning. Includes a last checkpoint
  /// that was written outside the run folder, as run.json's error names it.
  std::int64_t resumeStep() const;
  /// Estimated seconds to the last step; nothing if unknown.
  std::optional<double> secondsLeft() const;

  /// Why predict() is of no use now for a run on another machine; empty: it is, or the run is here.
  QString predictionBlockedBy() const;

  /// Why the run cannot be read or followed now; nothing: it can.
  const std::optional<RunAccessError>& accessError() const {
    return readError_ ? readError_ : linkError_;
  }

  /// A prediction is neither answered nor canceled yet.
  bool isPredicting() const;
  /// Of a new request to predict().
  quint64 numberRequest() { return ++lastNumber_; }
  /// Somebody who predicted with the run has left it: the process of predictions of an ended run
  /// ends, unless others wait for it.
  void endIdleInspection();
  /// For such processes; empty: lockstep-engine beside this program.
  void setEngineProgram(const QString& program) { engineProgram_ = program; }

  /// Reads the run; call it again when run.json has changed.
  void refresh();

 public Q_SLOTS:
  void pause();
  void resume();
  void stop();
  void saveCheckpoint();
  /// Evaluates at the next step.
  void evaluate();
  /// Asks the running engine, or one that is started for a run that has ended; emits
  /// predictionReady or predictionFailed, perhaps at once. Views ask by PredictionRequests.
  void predict(const lockstep::app::AskedPrediction& asked);
  /// It fails then.
  void cancelPrediction(const lockstep::app::AskedPrediction& asked);

 Q_SIGNALS:
  void loaded();
  /// Once a frame at most, however many events have come.
  void changed(const lockstep::app::RunChanges& changes);
  void linkChanged();
  void accessErrorChanged();
  void predictionReady(const lockstep::app::AskedPrediction& asked, const QString& file);
  void predictionFailed(const lockstep::app::AskedPrediction& asked, const QString& message);
  void predictionProgressed(const lockstep::app::AskedPrediction& asked, qint64 done, qint64 of);
  /// A command failed.
  void failed(const QString& title, const QString& detail);

 private:
  void connectSignals();
  void readMore();
  void handleRead(const std::shared_ptr<RunTail>& tail);
  void followLive();
  void followRemote();
  void handleWelcome(const protocol::Welcome& welcome);
  void handleRemoteWelcome(const protocol::Welcome& welcome);
  void readRemotePlan();
  void askStatus();
  void handleStatus(const QString& id, const protocol::RunStatus& status);
  void finishRemoteLoading();
  void finishLoading();
  void handleEvent(const protocol::EngineMessage& message);
  void noteCut(qint64 step);
  void announce();
  void applyState(const protocol::State& state);
  void handleAnswer(const QString& id, const QString& path);
  void handleProgress(const QString& id, qint64 done, qint64 of);
  void handleRefusal(const QString& id, const QString& message);
  void command(protocol::CommandName name);
  InspectProcess& inspection();
  void connectInspection();
  void setAccessError(std::optional<RunAccessError>& which, std::optional<RunAccessError> now);

  QString folder_;
  std::optional<RemotePlace> place_;
  run_folder::RunSummary summary_;
  std::optional<foreign_runs::Source> program_;
  events::MediaTags media_;
  RunHistory history_;
  std::vector<std::int64_t> checkpointSteps_;
  EvaluationPlan evaluationPlan_;
  EngineLink link_;
  std::unique_ptr<RemoteFiles> remoteFiles_;  ///< of a run on another machine
  std::int64_t welcomeSeq_ = -1;              ///< the newest record there, at the welcome
  bool hasStatus_ = false;                    ///< of the run there, since the welcome
  std::shared_ptr<RunTail> tail_;
  QHash<QString, std::variant<protocol::CommandName, AskedPrediction>>
      requests_;                                ///< pending, by id
  std::unique_ptr<InspectProcess> inspection_;  ///< of a run that has ended, once it is asked
  QString engineProgram_;
  quint64 lastNumber_ = 0;
  QTimer reread_;
  RunChanges changes_;  ///< not announced yet
  QTimer frame_;        ///< runs while there are some
  std::optional<RunAccessError> readError_, linkError_;
  bool hasConfig_ = false;
  int attempt_ = 0;  ///< attempt of the history
  bool loaded_ = false;
  bool reading_ = false;
  bool readAgain_ = false;
};

}  // namespace lockstep::app
