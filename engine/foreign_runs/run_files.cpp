#include "engine/foreign_runs/run_files.h"

#include <charconv>
#include <ctime>
#include <string_view>

#include "engine/events/reader.h"
#include "engine/foreign_runs/event_files.h"
#include "engine/foreign_runs/metric_files.h"
#include "engine/foreign_runs/mlflow_meta.h"

namespace lockstep::foreign_runs {
namespace {

/// Of a folder's name such as 20261121_101500, local time; 0: it is none.
double timeInFolderName(const fs::path& folder) {
  std::tm time{};
  const std::string name = folder.filename().string();
  const char* const end = ::strptime(name.c_str(), "%Y%m%d_%H%M%S", &time);
  if (end == nullptr || *end != '\0') return 0;
  time.tm_isdst = -1;
  const std::time_t seconds = std::mktime(&time);
  return seconds > 0 ? static_cast<double>(seconds) : 0;
}

/// Of events.out.tfevents.SECONDS.HOST…; 0: it has none.
double timeInEventFileName(const fs::path& file) {
  constexpr std::string_view kBefore = "tfevents.";
  const std::string name = file.filename().string();
  const std::size_t at = name.find(kBefore);
  std::int64_t seconds = 0;
  if (at != std::string::npos)
    std::from_chars(name.data() + at + kBefore.size(), name.data() + name.size(), seconds);
  constexpr std::int64_t kEarliest = 1'000'000'000;  // 2001: smaller numbers are no times
  return seconds >= kEarliest && seconds < 100 * kEarliest ? static_cast<double>(seconds) : 0;
}

}  // namespace

fs::path linesOf(const ForeignRun& run) {
  if (run.source == Source::Detectron2) return run.folder / "metrics.json";
  std::error_code error;
  const fs::path own = run.folder / "scalars.json";
  return fs::is_regular_file(own, error) ? own : run.folder / "vis_data/scalars.json";
}

std::vector<fs::path> filesOf(const ForeignRun& run) {
  switch (run.source) {
    case Source::TensorBoard:
      return eventFilesIn(run.folder);
    case Source::Detectron2:
    case Source::MmEngine:
      return {linesOf(run)};
    case Source::MlFlow:
      break;
  }
  std::vector<fs::path> files;
  for (auto& [name, file] : filesBelow(run.folder / "metrics")) files.push_back(file);
  return files;
}

double startOf(const ForeignRun& run) {
  switch (run.source) {
    case Source::TensorBoard:
    case Source::Detectron2:
      return timeInEventFileName(events::findEventFile(run.folder));
    case Source::MmEngine: {
      std::error_code error;
      const fs::path real = fs::canonical(run.folder, error);
      const fs::path& folder = error ? run.folder : real;
      return timeInFolderName(folder.filename() == "vis_data" ? folder.parent_path() : folder);
    }
    case Source::MlFlow:
      break;
  }
  const auto meta = readMlFlowMeta(run.folder / "meta.yaml");
  return meta ? meta->started : 0;
}

}  // namespace lockstep::foreign_runs
