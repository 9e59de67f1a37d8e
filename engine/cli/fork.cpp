#include "engine/cli/fork.h"

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/events/writer.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

void linkOrCopy(const fs::path& file, const fs::path& place) {
  std::error_code noLink;
  fs::create_hard_link(file, place, noLink);
  if (noLink) fs::copy_file(file, place);
}

void shareFolder(const fs::path& folder, const fs::path& place) {
  if (fs::exists(place)) return;
  fs::create_directories(place);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    linkOrCopy(entry.path(), place / entry.path().filename());
}

}  // namespace

void copyHistory(const run_folder::Layout& from, const run_folder::Layout& to,
                 const run_folder::ResumePoint& point) {
  try {
    shareFolder(from.checkpoint(point.step), to.checkpoint(point.step));
    if (point.best && fs::exists(from.checkpoint(point.best->step)))
      shareFolder(from.checkpoint(point.best->step), to.checkpoint(point.best->step));
    for (const std::int64_t step : run_folder::evaluationSteps(from)) {
      if (step <= point.step) linkOrCopy(from.evaluation(step), to.evaluation(step));
    }
    for (const std::int64_t step : run_folder::predictionSteps(from)) {
      if (step <= point.step) linkOrCopy(from.predictions(step), to.predictions(step));
    }
    if (fs::exists(from.badImages())) fs::copy_file(from.badImages(), to.badImages());
    // Copied, as it grows; and cut here: what became of the other run is none of this one's.
    if (const fs::path log = events::findEventFile(from.folder()); !log.empty()) {
      fs::copy_file(log, to.folder() / log.filename());
      events::Writer::open(to.folder()).cutAfterStep(point.step);
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(to.folder().string() + ": the history of " + from.folder().string() +
                " cannot be copied: " + error.code().message());
  }
}

}  // namespace lockstep::cli
