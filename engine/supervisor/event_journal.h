#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/alerts/alert_detector.h"
#include "engine/events/writer.h"
#include "engine/protocol/messages.h"

namespace lockstep::supervisor {

/// What one reading of an event file tells.
struct JournalSummary {
  std::int64_t newestSeq = -1;
  std::int64_t newestStep = 0;
  std::int64_t trainedSteps = 0;  ///< whose training loss is there
  /// The oldest and the newest place where a later attempt went on: a client of an older attempt
  /// forgets what lies after.
  std::optional<protocol::Reset> firstRestart, lastRestart;
  alerts::AlertDetector alerts;  ///< having seen every record
  /// What it finds and no record tells: the program ended between the one and the other.
  std::vector<protocol::Alert> untoldAlerts;
};
/// A missing or empty path gives the default.
JournalSummary summariseJournal(const std::filesystem::path& eventFile);

/// The run's event log: the file, and the records that the disk refuses, which wait in memory until
/// it takes them, so that training goes on and clients miss nothing. That one was refused is a
/// record too (protocol::LogKind::WriteFailed), once until everything is taken. Behind a record
/// that gives rise to an alert stands the alert.
class EventJournal {
 public:
  /// Gets every alert as its record is made: it may wait for the disk.
  using AlertHandler = std::function<void(const protocol::Alert&)>;

  /// Opens the run's event file or makes it; with `resumeStep`, cuts it after that step and begins
  /// a new session in it.
  EventJournal(const std::filesystem::path& runFolder, std::optional<std::int64_t> resumeStep,
               AlertHandler onAlert);

  void appendScalars(std::int64_t step, double time, events::ScalarValues values);
  /// At its step and time.
  void appendEvent(protocol::Event event, std::int64_t step, double time);
  /// Cuts the log after that step and begins a new session in it: what waited for the disk is cut,
  /// too. That the run failed in what was cut is told again behind the cut, at the step where it
  /// goes on; `from` and `to` stay those where it failed. Throws Error.
  void cutAfterStep(std::int64_t step);
  /// No checkpoints but those of these steps are there: alerts name no other.
  void keepCheckpoints(const std::vector<std::int64_t>& steps) { alerts_.keepCheckpoints(steps); }
  /// Tries again what the disk refused. True when nothing waits.
  bool retry();
  /// Everything appended is on the disk, or Error.
  void sync();

  /// Of those that wait, too.
  std::int64_t newestSeq() const { return nextSeq() - 1; }
  std::int64_t newestStep() const { return newestStep_; }
  const std::filesystem::path& path() const { return writer_.path(); }
  /// Where it was cut last: how many steps before have no figures, as after damage or a full disk.
  std::int64_t lackingSteps() const { return lackingSteps_; }
  /// What the file does not hold yet, with the seq that each will have there.
  const std::deque<protocol::Event>& waiting() const { return waiting_; }
  const std::optional<protocol::Reset>& firstRestart() const { return firstRestart_; }
  const std::optional<protocol::Reset>& lastRestart() const { return lastRestart_; }

 private:
  std::int64_t nextSeq() const;
  void append(protocol::Event event);
  void enqueue(protocol::Event event);
  void noteTrouble(const std::string& reason);
  void tell(const protocol::Alert& alert);
  std::vector<protocol::Alert> failuresAfter(std::int64_t step) const;

  AlertHandler onAlert_;
  events::Writer writer_;
  alerts::AlertDetector alerts_;
  std::deque<protocol::Event> waiting_;
  std::optional<protocol::Reset> firstRestart_, lastRestart_;
  std::int64_t newestStep_ = 0, lackingSteps_ = 0;
  std::string trouble_;
};

}  // namespace lockstep::supervisor
