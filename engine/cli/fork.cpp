#include "engine/cli/fork.h"

#include <fstream>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/events/writer.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

void linkOrCopy(const fs::path& file, const fs::path& target) {
  std::error_code noLink;
  fs::create_hard_link(file, target, noLink);
  if (noLink) fs::copy_file(file, target);
}

void linkOrCopyFolder(const fs::path& folder, const fs::path& target) {
  if (fs::exists(target)) return;
  fs::create_directories(target);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    linkOrCopy(entry.path(), target / entry.path().filename());
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
                 const run_folder::ResumePoint& point) {
  try {
    linkOrCopyFolder(from.checkpoint(point.step), to.checkpoint(point.step));
    if (point.best && fs::exists(from.checkpoint(point.best->step)))
      linkOrCopyFolder(from.checkpoint(point.best->step), to.checkpoint(point.best->step));
    for (const std::int64_t step : run_folder::evaluationSteps(from)) {
      if (step <= point.step) linkOrCopy(from.evaluation(step), to.evaluation(step));
    }
    for (const std::int64_t step : run_folder::predictionSteps(from)) {
      if (step <= point.step) linkOrCopy(from.predictions(step), to.predictions(step));
    }
    if (fs::exists(from.badImages())) fs::copy_file(from.badImages(), to.badImages());
    // Copied, because it grows, and cut: the later steps of the other run are not this run's.
    if (const fs::path log = events::findEventFile(from.folder()); !log.empty()) {
      copyLog(log, to.folder() / log.filename());
      events::Writer::open(to.folder()).truncateAfterStep(point.step);
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(to.folder().string() + ": the history of " + from.folder().string() +
                " cannot be copied: " + error.code().message());
  }
}

}  // namespace lockstep::cli
