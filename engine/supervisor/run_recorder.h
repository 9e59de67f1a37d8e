#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/config/experiment.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/training_state.h"
#include "engine/supervisor/event_journal.h"

namespace lockstep::supervisor {

/// Keeps a run's folder: its event log, run.json, and what the worker leaves as partial files, in
/// an order that holds together after a crash at any moment. The only one that renames, removes or
/// appends there.
class RunRecorder {
 public:
  /// With `resume`, what lies after its step is cut from the log and removed from the folder, and
  /// damaged checkpoints are set aside.
  RunRecorder(run_folder::Layout layout, run_folder::RunInfo info,
              config::CheckpointConfig checkpoints,
              const std::optional<run_folder::ResumePoint>& resume,
              EventJournal::AlertHandler onAlert);

  const run_folder::Layout& layout() const { return layout_; }
  const run_folder::RunInfo& info() const { return info_; }
  const EventJournal& journal() const { return journal_; }

  void recordScalars(const protocol::Scalars& scalars);
  /// At the step that the run has come to.
  void record(protocol::Event event) { announce(std::move(event), info_.step); }
  void recordLog(base::LogLevel level, const std::string& text,
                 base::OpenEnum<protocol::LogKind> kind = {});
  void setState(protocol::RunState state, std::optional<protocol::RunError> error = std::nullopt);
  /// How the attempt before ended: the alert that it could not write itself.
  void recordSilentEnd(const protocol::RunError& error);

  /// Another attempt of the same supervisor: as with `resume` above.
  void beginAgain(const run_folder::ResumePoint& resume);

  /// Log on the disk, rename, sync the folder, prune (never the best), run.json, announce. False
  /// when the checkpoint could not be kept: that is recorded, and the partial one removed.
  bool commitCheckpoint(const protocol::CheckpointReady& ready);
  /// The same, but a partial one that could not be kept stays. Throws Error, and records nothing of
  /// it. `withLog`: false when the log may be behind.
  void moveCheckpoint(const protocol::CheckpointReady& ready, bool withLog = true);
  void recordLostCheckpoint(std::int64_t step, const std::string& reason);
  /// A line of bad_images.jsonl, unless it has one of this image already, and of the log.
  void recordBadImage(const protocol::BadImage& image);
  void commit(const protocol::EvaluationReady& ready);
  void commit(const protocol::PredictionsReady& ready);
  void commit(const protocol::DivergenceReady& ready);

  /// About once a second: what the disk refused, and run.json when the step went on.
  void refresh();
  /// The last records and run.json on the disk. Throws Error.
  void finish();

 private:
  void removeLeftovers(std::optional<std::int64_t> resumeStep);
  void goOnFrom(const run_folder::ResumePoint& resume);
  void setDamagedAside(const run_folder::ResumePoint& resume);
  void prune();
  bool writeInfo();
  void announce(protocol::Event event, std::int64_t step);

  run_folder::Layout layout_;
  run_folder::RunInfo info_;
  config::CheckpointConfig checkpoints_;
  EventJournal journal_;
  std::optional<run_folder::Best>
      bestToCome_;  ///< known from its evaluation, not yet with a checkpoint
  std::set<std::pair<protocol::Split, std::string>> badImages_;  ///< part and file of those listed
  bool infoIsStale_ = false;
  std::int64_t writtenStep_ = -1;
  double lastWrite_ = 0;
};

/// `FILE: is cut off…: the training image is left out`
std::string badImageText(const protocol::BadImage& image);

/// Puts a finished partial file or folder in its place, taking the place of one that is there, and
/// makes that last. Throws Error.
void moveIntoPlace(const std::filesystem::path& partial, const std::filesystem::path& place);

}  // namespace lockstep::supervisor
