#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_lock.h"
#include "engine/protocol/event.h"

namespace lockstep::run_folder {

namespace fs = std::filesystem;

/// Names inside a run folder. Pure: touches no disk.
class Layout {
 public:
  explicit Layout(fs::path folder) : folder_(std::move(folder)) {}
  const fs::path& folder() const { return folder_; }
  fs::path config() const { return folder_ / "config.yaml"; }
  fs::path runJson() const { return folder_ / "run.json"; }
  fs::path lock() const { return folder_ / "run.lock"; }
  fs::path engineLog() const { return folder_ / "engine.log"; }
  fs::path rankLog(int rank) const { return folder_ / ("rank-" + std::to_string(rank) + ".log"); }
  fs::path checkpoints() const { return folder_ / "checkpoints"; }
  fs::path checkpoint(std::int64_t step) const;         ///< checkpoints/step-00000500
  fs::path partialCheckpoint(std::int64_t step) const;  ///< checkpoints/.step-00000500.partial
  fs::path evaluation(std::int64_t step) const;         ///< evaluations/step-00000500.json
  fs::path partialEvaluation(std::int64_t step) const;
  fs::path predictions(std::int64_t step) const;
  fs::path partialPredictions(std::int64_t step) const;
  fs::path badImages() const { return folder_ / "bad_images.jsonl"; }
  fs::path divergence(std::int64_t step) const;  ///< divergence/step-00000500
  fs::path partialDivergence(std::int64_t step) const;

 private:
  fs::path folder_;
};

/// `step-00000500`
std::string stepName(std::int64_t step);
/// The step in such a name; nothing for any other name.
std::optional<std::int64_t> stepOf(std::string_view name);

/// What a whole checkpoint has.
inline constexpr const char* kCheckpointFiles[] = {"model.safetensors", "optimizer.safetensors",
                                                   "state.json"};

/// The best evaluation so far.
struct Best {
  std::string metric;  ///< evaluation.best_metric
  double value = 0;
  std::int64_t step = 0;
  bool operator==(const Best&) const = default;
};

/// run.json. Times are wall seconds, 0: not yet.
struct RunInfo {
  std::string name;
  base::OpenEnum<protocol::RunState> state = protocol::RunState::Queued;
  int attempt = 1;
  int ranks = 1;
  std::int64_t pid = 0;  ///< of the supervisor
  std::string host;
  std::string socket;
  std::int64_t step = 0;
  std::int64_t maxSteps = 0;
  std::optional<double> stepsPerEpoch;  ///< training images that are used / solver.batch_size
  double created = 0, started = 0, updated = 0, finished = 0;
  std::optional<Best> best;
  std::optional<protocol::RunError> error;
};

/// Throws Error for a file that is missing, broken or mistyped.
RunInfo readRunInfo(const Layout& layout);
/// What the event log tells of a run whose run.json is broken or gone: when it began and how often
/// it went on. Nothing where there is no event log. Its state is not known: failed.
std::optional<RunInfo> rebuildRunInfo(const Layout& layout);
void writeRunInfo(const Layout& layout, const RunInfo& info);

/// Steps of the whole checkpoints, rising: those whose folder has model.safetensors,
/// optimizer.safetensors and state.json.
std::vector<std::int64_t> checkpointSteps(const Layout& layout);
/// Steps that have a folder among the checkpoints, whatever is in it, rising.
std::vector<std::int64_t> checkpointFolders(const Layout& layout);
/// Steps N of the folders `step-N` in a folder, rising.
std::vector<std::int64_t> stepFolders(const fs::path& folder);
/// Steps with an evaluation, rising.
std::vector<std::int64_t> evaluationSteps(const Layout& layout);
/// Steps with predictions, rising.
std::vector<std::int64_t> predictionSteps(const Layout& layout);

/// Whether a path below a run folder (relative to it) is one that the run itself has or makes:
/// run.json, all of checkpoints/, evaluations/step-…. Others may write there what they like
/// elsewhere.
bool belongsToRun(const fs::path& relative);

/// The run folder that a path lies in and its name there, of a path without links; nothing when it
/// lies in none.
struct PlaceInRun {
  fs::path folder, relative;
};
std::optional<PlaceInRun> placeInRun(const fs::path& path);

/// Whether the folder looks like a run (has run.json or config.yaml and an event file).
bool isRunFolder(const fs::path& folder);

/// Resolves `best`, `last`, a step (`500` or `step-00000500`), a checkpoint's folder or a file to a
/// safetensors file. Throws Error (mendable) naming what there is.
fs::path resolveWeights(const Layout& layout, const std::string& weights);

/// One line of the run list. A run whose state says it lives but whose lock nobody holds is
/// "failed", with an error that says so. Reads run.json and the lock alone.
struct RunSummary {
  fs::path folder;
  RunInfo info;
  bool alive = false;
};
/// Runs right under `parent`, newest first. Folders that are no runs are left out; a broken
/// run.json is listed as failed.
std::vector<RunSummary> listRuns(const fs::path& parent);
RunSummary summarise(const fs::path& runFolder);
/// Why a run that nobody holds ended, if its state says that it lives.
std::optional<protocol::RunError> silentEnd(const RunInfo& info);

/// Where runs go: $LOCKSTEP_RUNS, else ./runs.
fs::path runsFolder();

/// Makes runs/NAME-YYYYMMDD-HHMMSS (with a suffix when taken) with its sub-folders. Throws Error
/// (mendable) when it cannot be written.
Layout createRunFolder(const fs::path& parent, const std::string& name);
/// Makes exactly this folder. Throws Error (mendable) when it exists.
Layout createRunFolderAt(const fs::path& folder);
/// Makes what is missing of this folder and its sub-folders, for a run that may be there already.
/// Throws Error (mendable).
Layout prepareRunFolder(const fs::path& folder);

/// Holds run.lock (flock) while it lives.
class RunLock {
 public:
  /// Nothing when another process holds it (known after 0.1 s: others only look for a moment).
  /// Throws Error (mendable) when the file cannot be made.
  static std::optional<RunLock> tryAcquire(const Layout& layout);
  /// Whether a process holds it now.
  static bool isHeld(const Layout& layout);

 private:
  explicit RunLock(base::FileLock lock) : lock_(std::move(lock)) {}
  base::FileLock lock_;
};

/// Folder of the local sockets: $XDG_RUNTIME_DIR/lockstep, else /tmp/lockstep-UID. The variable
/// counts when it names a folder that is there and writable (batch systems hand on the one of
/// another machine) and leaves room for a socket's name. Makes nothing.
fs::path socketFolder();
/// Makes socketFolder() with mode 0700. Throws Error when it is a link, or another user's.
fs::path ensureSocketFolder();
/// ID: 16 hex digits of a hash of a run folder's real path.
std::string idOf(const std::string& hashed);
/// socketFolder()/ID.sock, ID = 16 hex digits of a hash of the real path (for inspect: of
/// "inspect:" and the path). At most 107 bytes, the most a socket's address holds.
fs::path socketPath(const std::string& hashed);

}  // namespace lockstep::run_folder
