#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/coco/files/fingerprint.h"
#include "engine/config/experiment.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// Size and checksum of one checkpoint file when it was written.
struct FileChecksum {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t crc32c = 0;
  bool operator==(const FileChecksum&) const = default;
};

/// State of evaluation.early_stop.
struct EarlyStopState {
  std::string metric;
  double value = 0;                ///< best value so far
  std::int64_t step = 0;           ///< of the best value
  int waited = 0;                  ///< evaluations since then
  std::optional<double> latest{};  ///< last value; nullopt: written before there were targets
  bool operator==(const EarlyStopState&) const = default;
};

/// Fingerprints of the training and validation data.
struct DataFingerprints {
  coco::Fingerprint train;
  std::optional<coco::Fingerprint> val;  ///< nullopt: no validation set
  bool operator==(const DataFingerprints&) const = default;
};

/// `val` may be null.
DataFingerprints dataFingerprints(const coco::Dataset& train, const coco::Dataset* val);

/// The differences in the data, by split, in one line; empty: none.
std::string dataDifference(const DataFingerprints& before, const DataFingerprints& now);

/// state.json: what is needed to resume besides the tensors. Sampling order and randomness are
/// functions of seed and step.
struct TrainingState {
  std::int64_t step = 0;  ///< completed updates
  std::optional<Best> best;
  std::optional<EarlyStopState> earlyStop;
  // Settings that a bit-identical next step needs.
  std::int64_t seed = 1;
  int batchSize = 0;
  int accumulate = 1;
  int workers = 1;
  int cpuThreads = 0;
  std::string device;                      ///< cpu | cuda
  std::string optimizer;                   ///< sgd | adamw
  std::string version;                     ///< of Lockstep
  std::optional<DataFingerprints> data{};  ///< nullopt: written before fingerprints existed
  /// Ids of unreadable training images that are skipped, ascending: the sampling order depends on
  /// them.
  std::vector<std::int64_t> badImages{};
  /// The evaluation due after the step failed because of an unreadable image.
  bool lacksEvaluation = false;
  bool isAsked = false;  ///< a person asked for the checkpoint
  std::vector<FileChecksum>
      files{};  ///< the checkpoint's other files; empty: written before checksums existed
  /// Whether evaluation.early_stop ends the training here.
  bool stopsEarly(const config::EvaluationConfig& config) const;
  /// Whether its target does.
  bool hasReachedTarget(const config::EvaluationConfig& config) const;
  bool operator==(const TrainingState&) const = default;
};

/// Why training that continues from `before` with these settings has other bits than one that was
/// not interrupted: other ranks, another device, or other threads on a CPU. Empty: it has the same.
std::string bitsDifference(const TrainingState& before, const config::RuntimeConfig& now);

/// The text of state.json. Decoding throws Error with `where` in the message.
std::string encodeTrainingState(const TrainingState& state);
TrainingState decodeTrainingState(const std::string& text, const std::string& where);

/// `checkpointFolder`/state.json. Both throw Error naming the file.
TrainingState readTrainingState(const fs::path& checkpointFolder);
void writeTrainingState(const fs::path& checkpointFolder, const TrainingState& state);

/// Why a checkpoint cannot be resumed: a file is missing, unreadable, or its size or checksum does
/// not match state.json; in one line that names the file. nullopt when it is intact. Reads every
/// byte.
std::optional<std::string> checkpointError(const fs::path& checkpointFolder);

/// The same for one file of a checkpoint. nullopt for a file without a state.json beside it.
std::optional<std::string> checkpointFileError(const fs::path& file);

/// Where a run resumes.
struct ResumePoint {
  struct Damaged {
    std::int64_t step = 0;
    std::string error;
  };
  std::int64_t step = 0;         ///< 0: from the beginning
  std::optional<Best> best;      ///< so far
  std::vector<Damaged> damaged;  ///< newer checkpoints that are damaged, newest first
  bool isAsked = false;          ///< a person asked for the checkpoint: it is no interruption's
  bool isDataChanged = false;  ///< the data differs from the checkpoint's, and the user accepted it
};

/// The latest intact checkpoint. Throws Error when there are checkpoints and none is intact.
ResumePoint findResumePoint(const Layout& layout);
/// The checkpoint of exactly this step. Throws Error when it is damaged.
ResumePoint resumePointAt(const Layout& layout, std::int64_t step);

}  // namespace lockstep::run_folder
