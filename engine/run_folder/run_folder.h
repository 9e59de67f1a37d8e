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

/// Paths inside a run folder. Does not access the disk.
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
  /// predictions/step-00000500-val.json: of all images of a part, made on request
  fs::path predictionsOfPart(std::int64_t step, const std::string& split) const;
  fs::path partialPredictionsOfPart(std::int64_t request) const;  ///< of this process
  fs::path partialPictures(std::int64_t step) const;  ///< predictions/.step-00000500.pictures
  fs::path source() const { return folder_ / "source"; }
  fs::path badImages() const { return folder_ / "bad_images.jsonl"; }
  fs::path divergence(std::int64_t step) const;  ///< divergence/step-00000500
  fs::path partialDivergence(std::int64_t step) const;

 private:
  fs::path folder_;
};

/// `step-00000500`
std::string stepName(std::int64_t step);
/// The step in such a name; nullopt for any other name.
std::optional<std::int64_t> stepOf(std::string_view name);

/// The files of a complete checkpoint.
inline constexpr const char* kCheckpointFiles[] = {"model.safetensors", "optimizer.safetensors",
                                                   "state.json"};

/// The best evaluation so far.
struct Best {
  std::string metric;  ///< evaluation.best_metric
  double value = 0;
  std::int64_t step = 0;
  bool operator==(const Best&) const = default;
};

/// Where a run began that was started from a checkpoint of another.
struct ForkedFrom {
  std::string run;  ///< its folder, absolute, as it was then
  std::int64_t step = 0;
  bool operator==(const ForkedFrom&) const = default;
};

/// run.json. Times are seconds since 1970, 0: not yet.
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
  std::optional<double> stepsPerEpoch;  ///< used training images / solver.batch_size
  bool isRangeTest = false;  ///< a learning-rate range test: no training, and no checkpoint
  double created = 0, started = 0, updated = 0, finished = 0;
  std::optional<Best> best;
  std::optional<protocol::RunError> error;
  std::optional<ForkedFrom> forkedFrom{};
  /// Among those that wait on its machine, from 1; nullopt: it does not wait in the queue.
  std::optional<int> queuePosition{};
};

/// Throws Error for a file that is missing, corrupt or has members of a wrong type.
RunInfo readRunInfo(const Layout& layout);
/// The same of its text; `where` names it in errors.
RunInfo parseRunInfo(const std::string& text, const std::string& where);
/// Restores run.json from the event log when it is corrupt or missing: start time, attempts and
/// step. The state is unknown, so it is failed. nullopt without an event log.
std::optional<RunInfo> rebuildRunInfo(const Layout& layout);
void writeRunInfo(const Layout& layout, const RunInfo& info);

/// Steps of the complete checkpoints, ascending: those that have model.safetensors,
/// optimizer.safetensors and state.json.
std::vector<std::int64_t> checkpointSteps(const Layout& layout);
/// Step of the best checkpoint; nullopt: there is none, or it is not kept.
std::optional<std::int64_t> bestCheckpoint(const Layout& layout);
/// Steps of all checkpoint folders, complete or not, ascending.
std::vector<std::int64_t> checkpointFolders(const Layout& layout);
/// Steps N of the folders `step-N` in a folder, ascending.
std::vector<std::int64_t> stepFolders(const fs::path& folder);
/// Steps with an evaluation, ascending.
std::vector<std::int64_t> evaluationSteps(const Layout& layout);
/// The checkpoint of this run that a weights file is of; none: of no checkpoint of it.
std::optional<std::int64_t> stepOfWeights(const Layout& layout, const fs::path& weights);
/// Steps with predictions, ascending.
std::vector<std::int64_t> predictionSteps(const Layout& layout);

/// Whether a path relative to a run folder is one that the run itself writes: run.json, all of
/// checkpoints/, evaluations/step-…. All other paths there are free for users.
bool belongsToRun(const fs::path& relative);

/// The run folder that contains a path, and the path relative to it; nullopt when none does. The
/// path must not contain symlinks.
struct PathInRun {
  fs::path folder, relative;
};
std::optional<PathInRun> pathInRun(const fs::path& path);

/// Whether the folder looks like a run: has run.json, or config.yaml and an event file that no
/// other program wrote (detectron2 leaves both as well).
bool isRunFolder(const fs::path& folder);

/// Resolves `best`, `last`, a step (`500` or `step-00000500`), a checkpoint folder or a file to a
/// safetensors file. Throws UserError that lists the available checkpoints.
fs::path resolveWeights(const Layout& layout, const std::string& weights);

/// An entry of the run list. A run with a live state whose lock nobody holds exited unexpectedly:
/// it is "failed" with that error. One that waits in the queue stays "queued" when nobody holds its
/// lock, with an error that says how it waits again. Reads only run.json and the lock.
struct RunSummary {
  fs::path folder;
  RunInfo info;
  bool alive = false;
};
/// Runs directly in `parent`, newest first. Other folders are ignored; a run with a corrupt
/// run.json is listed as failed.
std::vector<RunSummary> listRuns(const fs::path& parent);
RunSummary summarise(const fs::path& runFolder);
/// The error of a run whose lock nobody holds; nullopt unless its state is live.
std::optional<protocol::RunError> unexpectedExit(const RunInfo& info);
/// Whether it waits in the queue, or did when its process was killed.
bool isInQueue(const RunInfo& info);

/// The folder of new runs: $LOCKSTEP_RUNS, else ./runs.
fs::path runsFolder();

/// Creates runs/NAME-YYYYMMDD-HHMMSS (with a suffix if that exists) and its subfolders. Throws
/// UserError when it cannot be created.
Layout createRunFolder(const fs::path& parent, const std::string& name);
/// Creates exactly this folder and its subfolders. Throws UserError when it exists.
Layout createRunFolderAt(const fs::path& folder);
/// Creates this folder and its subfolders where missing; it may already contain a run. Throws
/// UserError.
Layout prepareRunFolder(const fs::path& folder);

/// Holds run.lock (flock) until destroyed.
class RunLock {
 public:
  /// nullopt when another process holds it, after retrying for 0.1 s: isHeld() of other processes
  /// takes the lock briefly. Throws UserError when the file cannot be created.
  static std::optional<RunLock> tryAcquire(const Layout& layout);
  /// Whether any process holds it.
  static bool isHeld(const Layout& layout);

 private:
  explicit RunLock(base::FileLock lock) : lock_(std::move(lock)) {}
  base::FileLock lock_;
};

/// Folder of the local sockets: $XDG_RUNTIME_DIR/lockstep, else /tmp/lockstep-UID. The variable is
/// used if it names an existing writable folder (batch systems pass that of another machine) and
/// the socket path fits the length limit. Creates nothing.
fs::path socketFolder();
/// Creates socketFolder() with mode 0700. Throws Error when it is a symlink or belongs to another
/// user.
fs::path ensureSocketFolder();
/// ID: 16 hex digits of a hash of a run folder's real path.
std::string idOf(const std::string& hashed);
/// The folder beside a run's socket in which the engine leaves its answers, as NUMBER.json.
fs::path answersFolder(const fs::path& socket);
/// socketFolder()/ID.sock, ID = 16 hex digits of a hash of the real path (for inspect: of
/// "inspect:" and the path). At most 107 bytes, the limit of sockaddr_un.
fs::path socketPath(const std::string& hashed);

}  // namespace lockstep::run_folder
