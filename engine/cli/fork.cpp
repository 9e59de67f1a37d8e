#include "engine/cli/fork.h"

#include <fstream>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/events/writer.h"
#include "engine/run_folder/training_state.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

void linkOrCopy(const fs::path& file, const fs::path& target) {
  std::error_code noLink;
  fs::create_hard_link(file, target, noLink);
  if (noLink) fs::copy_file(file, target);
}

void linkOrCopyFolder(const fs::path& folder, const fs::path& target) {
  fs::create_directories(target);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    linkOrCopy(entry.path(), target / entry.path().filename());
}

/// Removes the best evaluation so far, which is the other run's.
void forgetBest(const fs::path& checkpoint) {
  run_folder::TrainingState state = run_folder::readTrainingState(checkpoint);
  state.best.reset();
  run_folder::writeTrainingState(checkpoint, state);
}

/// Without the hyper-parameters, which are the other run's.
void copyLog(const fs::path& log, const fs::path& target) {
  bool isOfOtherRun = false;
  const auto look = [&isOfOtherRun](const events::RecordView& record) {
    isOfOtherRun = record.kind == events::Record::Kind::HyperParameters;
  };
  events::Reader reader(log);
  std::ifstream from(log, std::ios::binary);
  std::ofstream to(target, std::ios::binary);
  std::string bytes;
  for (std::int64_t begin = 0; reader.visitAvailable(look, 1) == 1; begin = reader.offsetBytes()) {
    bytes.resize(static_cast<std::size_t>(reader.offsetBytes() - begin));
    from.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!isOfOtherRun) to.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  to.close();
  if (!from || !to) throw Error(target.string() + ": " + log.string() + " cannot be copied here");
}

}  // namespace

void copyHistory(const run_folder::Layout& from, const run_folder::Layout& to,
                 std::int64_t lastStep) {
  try {
    linkOrCopyFolder(from.checkpoint(lastStep), to.checkpoint(lastStep));
    forgetBest(to.checkpoint(lastStep));
    for (const std::int64_t step : run_folder::evaluationSteps(from)) {
      if (step <= lastStep) linkOrCopy(from.evaluation(step), to.evaluation(step));
    }
    for (const std::int64_t step : run_folder::predictionSteps(from)) {
      if (step <= lastStep) linkOrCopy(from.predictions(step), to.predictions(step));
    }
    if (fs::exists(from.badImages())) fs::copy_file(from.badImages(), to.badImages());
    // Copied, because it grows, and cut: the later steps of the other run are not this run's.
    if (const fs::path log = events::findEventFile(from.folder()); !log.empty()) {
      copyLog(log, to.folder() / log.filename());
      events::Writer::open(to.folder()).truncateAfterStep(lastStep);
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(to.folder().string() + ": the history of " + from.folder().string() +
                " cannot be copied: " + error.code().message());
  }
}

}  // namespace lockstep::cli
