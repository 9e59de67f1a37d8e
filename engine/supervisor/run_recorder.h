#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/base/open_folder.h"
#include "engine/config/experiment.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/training_state.h"
#include "engine/supervisor/event_log.h"

namespace lockstep::supervisor {

class RunLog;

/// Maintains the run folder (event log, run.json, the worker's partial files), in a crash-safe
/// order. The only writer there. Once the folder was removed or replaced by another one, writing
/// throws Error.
class RunRecorder {
 public:
  struct Handlers {
    EventLog::AlertHandler alert = [](const protocol::Alert&) {};
    /// checkpoint: its folder; empty: none is kept of the best.
    std::function<void(const run_folder::Best&, const std::filesystem::path& checkpoint)> best =
        [](const run_folder::Best&, const std::filesystem::path&) {};
    /// Whether the checkpoint of this step is not to be removed yet.
    std::function<bool(std::int64_t step)> isNeeded = [](std::int64_t) { return false; };
  };
  /// With `resume`, later records are truncated and later files removed, and damaged checkpoints
  /// are set aside.
  RunRecorder(run_folder::Layout layout, run_folder::RunInfo info,
              config::CheckpointConfig checkpoints,
              const std::optional<run_folder::ResumePoint>& resume, Handlers handlers);

  const run_folder::Layout& layout() const { return layout_; }
  const run_folder::RunInfo& info() const { return info_; }
  const EventLog& eventLog() const { return eventLog_; }

  /// False once the run folder was removed or replaced.
  bool isInPlace() const { return folder_.isInPlace(); }
  void recordScalars(const protocol::Scalars& scalars);
  /// At the newest step of the run.
  void record(protocol::Event event) { append(std::move(event), info_.step); }
  void recordLog(base::LogLevel level, const std::string& text,
                 base::OpenEnum<protocol::LogKind> kind = {});
  void setState(protocol::RunState state, std::optional<protocol::RunError> error = std::nullopt);
  /// Of a queued run, from then on in run.json; any other state has none.
  void setQueuePosition(int position);
  /// What TensorBoard compares runs by. No effect when the log has it: a resumed run keeps that of
  /// its start.
  void recordHyperParameters(const config::Experiment& experiment);
  /// The alert that the attempt before could not write itself.
  void recordUnexpectedExit(const protocol::RunError& error);

  /// Another attempt of the same supervisor, as with `resume` above.
  void restartFrom(const run_folder::ResumePoint& resume);

  /// Syncs the event log, renames the partial folder and syncs its parent, prunes (never the best),
  /// writes run.json and appends the event, in this order. False when the checkpoint could not be
  /// kept: that is recorded, and the partial one removed.
  bool commitCheckpoint(const protocol::CheckpointReady& ready);
  /// The same, but throws Error when it could not be kept: nothing is recorded then, and the
  /// partial one stays. withLog: whether the event log has to be on the disk first.
  void commitOrThrow(const protocol::CheckpointReady& ready, bool withLog = true);
  void recordLostCheckpoint(std::int64_t step, const std::string& reason);
  /// A line of bad_images.jsonl, unless it has one of this image already, and of the log.
  void recordBadImage(const protocol::BadImage& image);
  /// Of these, one that could not be kept is a line in the event log.
  void commit(const protocol::EvaluationReady& ready);
  void commit(const protocol::PredictionsReady& ready);
  /// Reads the pictures into the event log and removes them. Without the predictions of their step
  /// they are left out: a resume makes those again, and the pictures with them.
  void commit(const protocol::PicturesReady& ready);
  void commit(const protocol::DivergenceReady& ready);

  /// To be called about once a second: writes pending records, and run.json if the step has
  /// changed.
  void refresh();
  /// Writes the end of the run for TensorBoard, and syncs the last records and run.json to disk.
  /// Throws Error.
  void finish();

 private:
  void requireFolder() const;  ///< throws Error unless isInPlace()
  void removeLeftovers(std::optional<std::int64_t> resumeStep);
  void resumeFrom(const run_folder::ResumePoint& resume);
  void setDamagedAside(const run_folder::ResumePoint& resume);
  /// All but the newest checkpoint.keep, the best, and none of an interruption that training went
  /// on from.
  void prune();
  void prune(std::int64_t step);
  bool moveOrLog(const std::string& partial, const std::filesystem::path& place,
                 const std::string& what);
  bool writeInfo();
  void recordPictures(const protocol::PicturesReady& ready);
  void recordSessionEnd();
  void append(protocol::Event event, std::int64_t step);

  run_folder::Layout layout_;
  base::OpenFolder folder_;
  run_folder::RunInfo info_;
  config::CheckpointConfig checkpoints_;
  std::function<void(const run_folder::Best&, const std::filesystem::path&)> onBest_;
  std::function<bool(std::int64_t)> isNeeded_;
  EventLog eventLog_;
  std::optional<run_folder::Best>
      bestEvaluation_;  ///< of this attempt; its checkpoint may not be there yet
  std::set<std::pair<std::string, std::string>> badImages_;  ///< split and file of those listed
  /// Of a stop or a failure, not of the schedule nor asked for: the next checkpoint replaces it, so
  /// that a resumed run keeps those that an undisturbed one keeps.
  std::optional<std::int64_t> interruption_;
  bool infoIsStale_ = false;
  bool isWarnedOfPictures_ = false;
  std::int64_t writtenStep_ = -1;
  double lastWrite_ = 0;
};

/// A warning for people and for clients.
void warn(RunLog& log, RunRecorder& recorder, const std::string& text);

/// `FILE: is truncated…: the training image is skipped`
std::string badImageText(const protocol::BadImage& image);

}  // namespace lockstep::supervisor
