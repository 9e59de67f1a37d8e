#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/metrics/metric_store.h"
#include "engine/events/reader.h"
#include "engine/events/record.h"
#include "engine/protocol/messages.h"

namespace lockstep::app {

struct LogEntry {
  enum class Level { Progress, Info, Warning, Error };
  std::int64_t seq = 0;
  std::int64_t step = 0;
  double time = 0;
  Level level = Level::Info;
  std::string text;
};

/// Of a log level or an alert's severity. Info for an unknown one, such as one of a newer version.
template <typename Enum>
LogEntry::Level levelOf(const base::OpenEnum<Enum>& level) {
  if (level == Enum::Error) return LogEntry::Level::Error;
  return level == Enum::Warning ? LogEntry::Level::Warning : LogEntry::Level::Info;
}

/// A run's event log in memory. The same records give the same history whether they come from the
/// file or the socket; duplicate records are ignored. No Qt; built in a worker thread, moved to the
/// GUI thread.
class RunHistory {
 public:
  /// Seq of the last record; -1: none.
  std::int64_t lastSeq() const { return lastSeq_; }
  const MetricStore& metrics() const { return metrics_; }
  MetricStore& metrics() { return metrics_; }
  /// The engine's log lines, plus lines for state changes, evaluations, checkpoints and progress.
  const std::vector<LogEntry>& log() const { return log_; }
  const std::vector<protocol::Alert>& alerts() const { return alerts_; }
  const std::vector<protocol::Checkpoint>& checkpoints() const { return checkpoints_; }
  const std::vector<std::int64_t>& evaluationSteps() const { return evaluationSteps_; }
  /// Last steps before the run went on, after a stop or a restart; of a fork also its first.
  const std::vector<std::int64_t>& resumeSteps() const { return resumeSteps_; }
  const std::vector<std::int64_t>& predictionSteps() const { return predictionSteps_; }
  /// The last state event; nothing: none yet.
  const std::optional<protocol::State>& state() const { return state_; }

  /// Adds a record of the file. An event that cannot be decoded becomes a warning in the log.
  void add(const events::Record& record);
  /// The same for a reader's visitor, twice as fast; `tags` are the reader's.
  void add(const events::RecordView& record, const std::vector<std::string>& tags);
  /// Adds an event of the socket, or applies a reset. False: it is a duplicate or no event.
  bool add(const protocol::EngineMessage& message);

 private:
  void apply(const protocol::Scalars& scalars);
  void apply(const protocol::Config& config);
  void apply(const protocol::State& state);
  void apply(const protocol::Log& log);
  void apply(const protocol::Checkpoint& checkpoint);
  void apply(const protocol::Evaluation& evaluation);
  void apply(const protocol::Predictions& predictions);
  void apply(const protocol::Alert& alert);
  void forgetAfter(std::int64_t seq, std::int64_t step);
  void applyEvent(std::string_view json, std::int64_t seq, std::int64_t step, double time);
  void startSession(std::int64_t step, const std::vector<std::string>& replaced);
  void logProgress(std::int64_t seq, std::int64_t step, double time);

  MetricStore metrics_;
  std::vector<LogEntry> log_;
  std::vector<protocol::Alert> alerts_;
  std::vector<protocol::Checkpoint> checkpoints_;
  std::vector<std::int64_t> evaluationSteps_, predictionSteps_, resumeSteps_;
  std::optional<protocol::State> state_;
  std::int64_t lastSeq_ = -1;
  double lastProgress_ = 0;  ///< wall time of the last progress line
  /// Steps between those of engine.log (monitor.log_every; 0: none); std::nullopt: not known.
  std::optional<std::int64_t> logEvery_;
  // Tags and values of the last record view; most records repeat the same tags.
  std::vector<std::size_t> viewedTags_;
  events::ScalarValues viewedValues_;
};

}  // namespace lockstep::app
