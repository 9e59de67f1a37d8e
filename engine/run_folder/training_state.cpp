#include "engine/run_folder/training_state.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/config/losses.h"
#include "engine/protocol/members.h"
#include "engine/run_folder/best_members.h"

namespace lockstep::coco {

void describe(auto& members, protocol::Is<Fingerprint> auto& print) {
  members("images", print.images);
  members("categories", print.categories);
  members("annotations", print.annotations);
  members("images_hash", print.imagesHash);
  members("categories_hash", print.categoriesHash);
  members("annotations_hash", print.annotationsHash);
}

}  // namespace lockstep::coco

namespace lockstep::run_folder {
namespace {

using base::JsonWriter;
using protocol::Is;
using protocol::MemberReader;
using protocol::MemberWriter;

constexpr int kStateFormat = 1;

/// `2 ranks of 1 thread on the CPU`, `2 ranks on GPUs`
std::string ranksText(int ranks, int threads, bool isCpu) {
  const std::string count = base::counted(static_cast<std::uint64_t>(ranks), "rank");
  return isCpu ? count + " of " + base::counted(static_cast<std::uint64_t>(threads), "thread") +
                     " on the CPU"
               : count + " on GPUs";
}

fs::path stateFile(const fs::path& checkpointFolder) { return checkpointFolder / "state.json"; }

/// Why a file differs from the one that was written; nullopt when it does not.
std::optional<std::string> checksumError(const fs::path& file, const FileChecksum& checksum) {
  std::error_code failure;
  const auto bytes = fs::file_size(file, failure);
  if (failure) return file.string() + ": cannot be read: " + failure.message();
  if (bytes != static_cast<std::uintmax_t>(checksum.bytes)) {
    return file.string() + ": has " + std::to_string(bytes) + " bytes, expected " +
           std::to_string(checksum.bytes);
  }
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> part(std::size_t{1} << 20);
  std::uint32_t crc = 0;
  while (stream.read(part.data(), static_cast<std::streamsize>(part.size())) ||
         stream.gcount() > 0) {
    crc = base::crc32c({part.data(), static_cast<std::size_t>(stream.gcount())}, crc);
  }
  if (!stream.eof()) return file.string() + ": cannot be read: " + std::strerror(errno);
  if (crc != checksum.crc32c) return file.string() + ": checksum mismatch";
  return std::nullopt;
}

}  // namespace

void describe(auto& members, Is<DataFingerprints> auto& data) {
  members("train", data.train);
  members.ifNotEmpty("val", data.val);
}

void describe(auto& members, Is<FileChecksum> auto& checksum) {
  members("name", checksum.name);
  members("bytes", checksum.bytes);
  members("crc32c", checksum.crc32c);
}

void describe(auto& members, Is<EarlyStopState> auto& state) {
  members("metric", state.metric);
  members("value", state.value);
  members("step", state.step);
  members("waited", state.waited);
  members.ifNotEmpty("latest", state.latest);
}

void describe(auto& members, Is<TrainingState> auto& state) {
  members("version", state.version);
  members("step", state.step);
  members("best", state.best);
  members.ifNotEmpty("early_stop", state.earlyStop);
  members("seed", state.seed);
  members("batch_size", state.batchSize);
  members("accumulate", state.accumulate);
  members("workers", state.workers);
  members("cpu_threads", state.cpuThreads);
  members("device", state.device);
  members("optimizer", state.optimizer);
  members.ifNotEmpty("data", state.data);
  members.ifNotEmpty("bad_images", state.badImages);
  members.ifNotEmpty("lacks_evaluation", state.lacksEvaluation);
  members.ifNotEmpty("asked", state.isAsked);
  members.ifNotEmpty("files", state.files);
}

bool TrainingState::stopsEarly(const config::EvaluationConfig& config) const {
  const config::EarlyStopConfig& stop = config.earlyStop;
  const bool isOutOfPatience = !stop.metric.empty() && earlyStop &&
                               earlyStop->metric == stop.metric &&
                               earlyStop->waited >= stop.patience;
  return isOutOfPatience || hasReachedTarget(config);
}

bool TrainingState::hasReachedTarget(const config::EvaluationConfig& config) const {
  const std::optional<double>& target = config.earlyStop.target;
  if (!target || !earlyStop || earlyStop->metric != config.stopMetric() || !earlyStop->latest)
    return false;
  return config::isLoss(earlyStop->metric) ? *earlyStop->latest <= *target
                                           : *earlyStop->latest >= *target;
}

DataFingerprints dataFingerprints(const coco::Dataset& train, const coco::Dataset* val) {
  DataFingerprints data{coco::fingerprintOf(train, /*withAreas=*/false), std::nullopt};
  if (val != nullptr) data.val = coco::fingerprintOf(*val, /*withAreas=*/true);
  return data;
}

std::string dataDifference(const DataFingerprints& before, const DataFingerprints& now) {
  std::string text;
  const auto addSplit = [&text](const char* part, const coco::Fingerprint& was,
                                const coco::Fingerprint& is) {
    std::string list;
    for (const std::string& difference : coco::differences(was, is))
      list += (list.empty() ? "" : ", ") + difference;
    if (!list.empty()) text += (text.empty() ? "" : "; ") + std::string(part) + ": " + list;
  };
  addSplit("dataset.train", before.train, now.train);
  addSplit("dataset.val", before.val.value_or(coco::Fingerprint{}),
           now.val.value_or(coco::Fingerprint{}));
  return text;
}

TrainingState decodeTrainingState(const std::string& text, const std::string& where) {
  const MemberReader members = MemberReader::parse(text, where);
  int format = 0;
  members("format", format);
  if (format != kStateFormat)
    throw Error(where + ": format " + std::to_string(format) + " is not supported by this version");
  TrainingState state;
  describe(members, state);
  if (state.step < 0) throw Error(where + ": step is negative");
  for (const FileChecksum& checksum : state.files) {
    if (std::ranges::find(kCheckpointFiles, checksum.name) == std::end(kCheckpointFiles)) {
      throw Error(where + ": files: '" + base::shortened(checksum.name) +
                  "' is not a checkpoint file");
    }
  }
  return state;
}

std::string bitsDifference(const TrainingState& before, const config::RuntimeConfig& now) {
  const bool isCpu = now.device == config::Device::Cpu, wasCpu = before.device == "cpu";
  const bool isSame = before.workers == now.workers && wasCpu == isCpu &&
                      (!isCpu || before.cpuThreads == now.cpuThreads);
  if (isSame || before.device.empty()) return {};
  return "the checkpoint of step " + std::to_string(before.step) + " was trained by " +
         ranksText(before.workers, before.cpuThreads, wasCpu) + " and is continued by " +
         ranksText(now.workers, now.cpuThreads, isCpu) +
         " (runtime.workers, cpu_threads, device): the bits differ from those of a run without "
         "the interruption";
}

std::string encodeTrainingState(const TrainingState& state) {
  std::string compact;
  JsonWriter json(compact);
  MemberWriter members(json);
  json.beginObject();
  members("format", kStateFormat);
  describe(members, state);
  json.endObject();
  return protocol::indented(compact) + "\n";
}

TrainingState readTrainingState(const fs::path& checkpointFolder) {
  const fs::path file = stateFile(checkpointFolder);
  return decodeTrainingState(base::readFile(file), file.string());
}

void writeTrainingState(const fs::path& checkpointFolder, const TrainingState& state) {
  base::writeFileAtomically(stateFile(checkpointFolder), encodeTrainingState(state));
}

std::optional<std::string> checkpointError(const fs::path& checkpointFolder) {
  for (const char* name : kCheckpointFiles) {
    if (!base::pathExists(checkpointFolder / name))
      return (checkpointFolder / name).string() + ": is missing";
  }
  try {
    const TrainingState state = readTrainingState(checkpointFolder);
    if (stepName(state.step) != checkpointFolder.filename())
      return stateFile(checkpointFolder).string() + ": step " + std::to_string(state.step) +
             " does not match its folder";
    for (const FileChecksum& checksum : state.files) {
      if (auto error = checksumError(checkpointFolder / checksum.name, checksum)) return error;
    }
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

std::optional<std::string> checkpointFileError(const fs::path& file) {
  if (!base::pathExists(stateFile(file.parent_path()))) return std::nullopt;
  try {
    for (const FileChecksum& checksum : readTrainingState(file.parent_path()).files) {
      if (checksum.name == file.filename()) return checksumError(file, checksum);
    }
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

ResumePoint findResumePoint(const Layout& layout) {
  ResumePoint point;
  const std::vector<std::int64_t> steps = checkpointFolders(layout);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const auto error = checkpointError(layout.checkpoint(*step));
    if (!error) {
      point.step = *step;
      const TrainingState state = readTrainingState(layout.checkpoint(*step));
      point.best = state.best;
      point.isAsked = state.isAsked;
      return point;
    }
    point.damaged.push_back({*step, *error});
  }
  if (point.damaged.empty()) return point;
  throw Error(layout.checkpoints().string() + ": every checkpoint is damaged (" +
              point.damaged.front().error + "); remove them to start from scratch");
}

ResumePoint resumePointAt(const Layout& layout, std::int64_t step) {
  const fs::path checkpoint = layout.checkpoint(step);
  if (const auto error = checkpointError(checkpoint)) throw Error(*error);
  const TrainingState state = readTrainingState(checkpoint);
  return {step, state.best, {}, state.isAsked};
}

}  // namespace lockstep::run_folder
