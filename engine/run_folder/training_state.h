#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/coco/files/fingerprint.h"
#include "engine/config/experiment.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// Length and checksum of one file of a checkpoint, as they were when it was written.
struct FileSeal {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t crc32c = 0;
  bool operator==(const FileSeal&) const = default;
};

/// How far evaluation.early_stop has come.
struct EarlyStopState {
  std::string metric;
  double value = 0;       ///< the one to surpass
  std::int64_t step = 0;  ///< where it was reached
  int waited = 0;         ///< evaluations since then
  bool operator==(const EarlyStopState&) const = default;
};

/// The data that a training learns from and is judged by.
struct DataFingerprints {
  coco::Fingerprint train;
  std::optional<coco::Fingerprint> val;  ///< none: nothing is held out
  bool operator==(const DataFingerprints&) const = default;
};

/// `heldOut` may be null.
DataFingerprints dataFingerprints(const coco::Dataset& train, const coco::Dataset* heldOut);

/// What is other in the data now, in one line that names the parts; empty: nothing.
std::string dataDifference(const DataFingerprints& before, const DataFingerprints& now);

/// What beside the tensors is needed to go on (state.json). Order and randomness are functions of
/// seed and step.
struct TrainingState {
  std::int64_t step = 0;  ///< updates done
  std::optional<Best> best;
  std::optional<EarlyStopState> earlyStop;
  // Facts under which the next step is the same to the last bit; compared by whoever resumes.
  std::int64_t seed = 1;
  int batchSize = 0;
  int accumulate = 1;
  int workers = 1;
  int cpuThreads = 0;
  std::string device;                      ///< cpu | cuda
  std::string optimizer;                   ///< sgd | adamw
  std::string version;                     ///< of Lockstep
  std::optional<DataFingerprints> data{};  ///< none: it is older than fingerprints
  /// Ids of training images that could not be read and are left out, rising: the order of the
  /// others is a function of them, too.
  std::vector<std::int64_t> badImages{};
  /// The evaluation that was due after the step met an image that could not be read.
  bool lacksEvaluation = false;
  std::vector<FileSeal> files{};  ///< the checkpoint's other files; none: it is older than seals
  /// Whether evaluation.early_stop ends the training here.
  bool stopsEarly(const config::EarlyStopConfig& config) const;
  bool operator==(const TrainingState&) const = default;
};

/// The text of state.json. Decoding throws Error that names `where`.
std::string encodeTrainingState(const TrainingState& state);
TrainingState decodeTrainingState(const std::string& text, const std::string& where);

/// `checkpointFolder`/state.json. Both throw Error naming the file.
TrainingState readTrainingState(const fs::path& checkpointFolder);
void writeTrainingState(const fs::path& checkpointFolder, const TrainingState& state);

/// Why a checkpoint cannot be gone on from: a file that is missing, unreadable, or not as
/// state.json says it was written; in one line that names the file. Nothing when it is whole. Reads
/// every byte.
std::optional<std::string> checkpointFault(const fs::path& checkpointFolder);

/// The same of one file of a checkpoint. Nothing for a file that lies beside no state.json.
std::optional<std::string> checkpointFileFault(const fs::path& file);

/// Where a run goes on.
struct ResumePoint {
  struct Damaged {
    std::int64_t step = 0;
    std::string fault;
  };
  std::int64_t step = 0;         ///< 0: from the beginning
  std::optional<Best> best;      ///< so far
  std::vector<Damaged> damaged;  ///< newer checkpoints that are damaged, newest first
  bool isOtherData = false;      ///< than the checkpoint's, which somebody accepted
};

/// The newest whole checkpoint. Throws Error when there are checkpoints and none is whole.
ResumePoint findResumePoint(const Layout& layout);
/// That of exactly this step. Throws Error when it is damaged.
ResumePoint resumePointAt(const Layout& layout, std::int64_t step);

}  // namespace lockstep::run_folder
