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

/// Summary of an event file, read once.
struct EventLogSummary {
  std::int64_t newestSeq = -1;
  std::int64_t newestSentSeq = -1;  ///< of those that clients get
  std::int64_t newestStep = 0;
  std::int64_t trainedSteps = 0;  ///< steps that have a training loss
  /// First and last resume point: clients of an older attempt discard later records.
  std::optional<protocol::Reset> firstRestart, lastRestart;
  bool hasHyperParameters = false;
  alerts::AlertDetector alerts;  ///< after every record
  /// Alerts that it raises and that have no record: the program ended before it wrote them.
  std::vector<protocol::Alert> unrecordedAlerts;
};
/// A missing or empty path gives the default.
EventLogSummary summariseEventLog(const std::filesystem::path& eventFile);

/// The event log: the file, plus records that could not be written yet, which stay in memory and
/// are retried, so that training continues and clients miss nothing. The first write error is a
/// record itself (protocol::LogKind::WriteFailed). An alert follows the record that raises it.
class EventLog {
 public:
  /// Gets every alert when it is raised; its record may still be pending.
  using AlertHandler = std::function<void(const protocol::Alert&)>;

  /// Opens the run's event file or makes it; with `resumeStep`, cuts it after that step and begins
  /// a new session in it.
  EventLog(const std::filesystem::path& runFolder, std::optional<std::int64_t> resumeStep,
           AlertHandler onAlert);

  /// At its step and time.
  void appendEvent(protocol::Event event, std::int64_t step, double time);
  /// Appends a record for TensorBoard alone (events::ImageSummary, events::HyperParameter): clients
  /// do not get it. Not kept in memory: throws Error while the disk refuses records.
  void appendSummary(events::Record record);
  /// Truncates the log after that step, with the pending records, and begins a new session. Alerts
  /// of failed attempts (RunFailed) in the truncated part are written again after it, at that step;
  /// their `from` and `to` stay. Throws Error.
  void truncateAfterStep(std::int64_t step);
  /// Only the checkpoints of these steps exist: alerts name no other.
  void keepCheckpoints(const std::vector<std::int64_t>& steps) { alerts_.keepCheckpoints(steps); }
  /// Retries pending records. True if none is pending.
  bool retry();
  /// Syncs to disk. Throws Error.
  void sync();

  /// Includes pending records.
  std::int64_t newestSeq() const { return nextSeq() - 1; }
  /// Of the records that clients get.
  std::int64_t newestSentSeq() const { return newestSentSeq_; }
  std::int64_t newestStep() const { return newestStep_; }
  const std::filesystem::path& path() const { return writer_.path(); }
  /// Whether the log has a record of them, which stays there for the run.
  bool hasHyperParameters() const { return hasHyperParameters_; }
  /// How many steps before the last cut have no training loss, as after damage or a full disk.
  std::int64_t missingSteps() const { return missingSteps_; }
  /// Pending records, with their future seq.
  const std::deque<protocol::Event>& pending() const { return pending_; }
  const std::optional<protocol::Reset>& firstRestart() const { return firstRestart_; }
  const std::optional<protocol::Reset>& lastRestart() const { return lastRestart_; }

 private:
  std::int64_t nextSeq() const;
  void append(protocol::Event event);
  void enqueue(protocol::Event event);
  void noteWriteError(const std::string& reason);
  void raise(const protocol::Alert& alert);
  std::vector<protocol::Alert> failuresAfter(std::int64_t step) const;

  AlertHandler onAlert_;
  events::Writer writer_;
  alerts::AlertDetector alerts_;
  std::deque<protocol::Event> pending_;
  std::optional<protocol::Reset> firstRestart_, lastRestart_;
  std::int64_t newestSentSeq_ = -1, newestStep_ = 0, missingSteps_ = 0;
  bool hasHyperParameters_ = false;
  std::string writeError_;
};

}  // namespace lockstep::supervisor
