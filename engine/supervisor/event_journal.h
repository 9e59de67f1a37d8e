#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/events/alerts.h"
#include "engine/events/writer.h"
#include "engine/protocol/messages.h"

namespace lockstep::supervisor {

/// What one reading of an event file tells.
struct JournalSummary {
  std::int64_t newestSeq = -1;
  std::int64_t newestStep = 0;
  /// The oldest and the newest place where a later attempt went on: a client of an older attempt
  /// forgets what lies after.
  std::optional<protocol::Reset> firstRestart, lastRestart;
  events::AlertDetector alerts;  ///< having seen every record
};
/// A missing or empty path gives the default.
JournalSummary summariseJournal(const std::filesystem::path& eventFile);

/// The run's event log. A record that the disk refuses waits in memory until it is taken, so that
/// training goes on; that it was refused is a record too (protocol::kWriteFailed), once until
/// everything is taken.
class EventJournal {
 public:
  /// Gets what a record raises, when the record is made: it may wait for the disk.
  using AlertHandler = std::function<void(const events::Alert&)>;

  /// Opens the run's event file or makes it; with `resumeStep`, cuts it after that step and begins
  /// a new session in it.
  EventJournal(const std::filesystem::path& runFolder, std::optional<std::int64_t> resumeStep,
               AlertHandler onAlert);

  void appendScalars(std::int64_t step, double time, const events::ScalarValues& values);
  /// State, Log, Checkpoint, Evaluation or Predictions at its step and time.
  void appendEvent(const protocol::EngineMessage& event, std::int64_t step, double time);
  /// Cuts the log after that step and begins a new session in it: what waited for the disk is cut,
  /// too. Throws Error.
  void cutAfterStep(std::int64_t step);
  /// Tries again what the disk refused. True when nothing waits.
  bool retry();
  /// Everything appended is on the disk, or Error.
  void sync();

  std::int64_t newestSeq() const { return writer_.nextSeq() - 1; }
  std::int64_t newestStep() const { return newestStep_; }
  const std::filesystem::path& path() const { return writer_.path(); }
  const std::optional<protocol::Reset>& firstRestart() const { return firstRestart_; }
  const std::optional<protocol::Reset>& lastRestart() const { return lastRestart_; }

 private:
  void append(events::Record record);
  void noteTrouble(const std::string& reason);
  void raiseAlerts(const events::Record& record);

  AlertHandler onAlert_;
  events::Writer writer_;
  events::AlertDetector alerts_;
  std::deque<events::Record> waiting_;
  std::optional<protocol::Reset> firstRestart_, lastRestart_;
  std::int64_t newestStep_ = 0;
  std::string trouble_;
};

}  // namespace lockstep::supervisor
