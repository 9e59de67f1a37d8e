#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/controllers/engine_link.h"
#include "app/models/run_history.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

/// What, where and how to mend it.
struct RunFault {
  QString title, detail;
  bool operator==(const RunFault&) const = default;
};

/// One open run: reads its event file in a worker thread, then follows it live over its socket,
/// without a gap or a double. Closing it leaves the run going. No method blocks.
class RunController : public QObject {
  Q_OBJECT

 public:
  explicit RunController(const QString& folder, QObject* parent = nullptr);
  ~RunController() override;

  QString folder() const { return folder_; }
  const RunHistory& history() const { return history_; }
  RunHistory& history() { return history_; }
  /// run.json as last read, with the live step and state.
  const run_folder::RunInfo& info() const { return summary_.info; }
  bool isAlive() const { return summary_.alive; }
  EngineLink::State linkState() const { return link_.state(); }
  QString linkTrouble() const { return link_.trouble(); }
  /// The event file was read up to its end.
  bool isLoaded() const { return loaded_; }
  /// Steps whose checkpoint is there to predict with, rising: others were pruned, or never saved.
  const std::vector<std::int64_t>& checkpointSteps() const { return checkpointSteps_; }
  /// It has ended, and the configuration to go on with is there.
  bool canResume() const { return !summary_.alive && hasConfig_; }
  /// The step that it would go on from; 0: from the beginning. Of a last checkpoint that its folder
  /// did not take, the one that is fetched from where run.json says.
  std::int64_t resumeStep() const;
  /// Seconds to the last step by the pace of the last steps; nothing when it cannot be told.
  std::optional<double> secondsLeft() const;

  /// Why the run cannot be read or followed now; nothing once it can again.
  const std::optional<RunFault>& fault() const { return readFault_ ? readFault_ : linkFault_; }

  /// Reads the run; again when run.json has changed (a run that ended, or was resumed).
  void refresh();

 public Q_SLOTS:
  void pause();
  void resume();
  void stop();
  void saveCheckpoint();
  /// Asks the live engine; answered by predictionReady or predictionFailed.
  void predict(qint64 imageId, qint64 step);

 Q_SIGNALS:
  void loaded();
  /// New scalars or events; any number at once.
  void historyChanged();
  /// There may be other evaluations, checkpoints or predictions: seldom, unlike historyChanged().
  void resultsChanged();
  void infoChanged();
  void linkChanged();
  void faultChanged();
  /// The log was cut after this step: a run was resumed from an earlier checkpoint.
  void cutAfter(qint64 step);
  void predictionReady(qint64 imageId, qint64 step, const QString& file);
  void predictionFailed(qint64 imageId, qint64 step, const QString& message);
  /// A wish that could not be met: what, where and how to mend it.
  void failed(const QString& title, const QString& detail);

 private:
  struct Tail;
  struct Prediction {
    qint64 imageId = 0;
    qint64 step = 0;
  };
  void connectSignals();
  void readMore();
  void takeRead(const std::shared_ptr<Tail>& tail);
  void followLive();
  void takeEvent(const protocol::EngineMessage& message);
  void takeState(const protocol::State& state);
  void takeAnswer(const QString& id, const QString& path);
  void takeRefusal(const QString& id, const QString& message);
  void command(protocol::CommandName name);
  void setFault(std::optional<RunFault>& which, std::optional<RunFault> now);

  QString folder_;
  run_folder::RunSummary summary_;
  RunHistory history_;
  std::vector<std::int64_t> checkpointSteps_;
  EngineLink link_;
  std::shared_ptr<Tail> tail_;
  QHash<QString, Prediction> predictions_;          ///< asked for, by their ids
  QHash<QString, protocol::CommandName> commands_;  ///< likewise
  QTimer reread_;
  std::optional<RunFault> readFault_, linkFault_;
  bool hasConfig_ = false;
  int attempt_ = 0;  ///< that the history was held from
  bool loaded_ = false;
  bool reading_ = false;
  bool readAgain_ = false;
};

}  // namespace lockstep::app
