#include "engine/foreign_runs/find_runs.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/base/file_identity.h"
#include "engine/events/reader.h"
#include "engine/foreign_runs/mlflow_meta.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::foreign_runs {
namespace {

/// What of a folder's entries tells whose run it is.
struct Entries {
  bool hasEvents = false, hasMetricsJson = false, hasScalarsJson = false, hasVisData = false;
  bool hasMeta = false, hasMetrics = false, hasParams = false;
};

Entries entriesOf(const fs::path& folder) {
  Entries found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    found.hasEvents = found.hasEvents || events::isEventFileName(entry->path());
    found.hasMetricsJson = found.hasMetricsJson || name == "metrics.json";
    found.hasScalarsJson = found.hasScalarsJson || name == "scalars.json";
    found.hasVisData = found.hasVisData || name == "vis_data";
    found.hasMeta = found.hasMeta || name == "meta.yaml";
    found.hasMetrics = found.hasMetrics || name == "metrics";
    found.hasParams = found.hasParams || name == "params";
  }
  return found;
}

bool isFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// Other programs have a metrics.json too, of other content.
bool isDetectron2Log(const fs::path& file) {
  if (!isFile(file)) return false;
  std::array<char, 1 << 16> start{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return true;  // reading it says why not
  stream.read(start.data(), start.size());
  const std::string_view text(start.data(), static_cast<std::size_t>(stream.gcount()));
  return text.empty() || text.find("\"iteration\"") != std::string_view::npos;
}

std::optional<MlFlowMeta> metaIn(const fs::path& folder) {
  try {
    return readMlFlowMeta(folder / "meta.yaml");
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Whether folders below a run of this source may have runs of their own.
bool hasRunsBelow(Source source) {
  return source == Source::TensorBoard || source == Source::Detectron2;
}

std::vector<fs::path> foldersIn(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->path().filename().native().starts_with('.') && entry->is_directory(ignored))
      folders.push_back(entry->path());
  }
  std::ranges::sort(folders);
  return folders;
}

std::string nameOf(const fs::path& folder, const fs::path& root) {
  const fs::path relative = folder.lexically_relative(root);
  if (!relative.empty() && relative != ".") return relative.string();
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  return error ? folder.string() : real.filename().string();
}

}  // namespace

std::optional<Source> sourceOf(const fs::path& folder) {
  const Entries found = entriesOf(folder);
  if (found.hasMeta && found.hasMetrics && found.hasParams && metaIn(folder)) return Source::MlFlow;
  if (found.hasScalarsJson && isFile(folder / "scalars.json")) return Source::MmEngine;
  if (found.hasVisData && isFile(folder / "vis_data/scalars.json")) return Source::MmEngine;
  if (!found.hasEvents && !found.hasMetricsJson) return std::nullopt;
  if (run_folder::isRunFolder(folder)) return std::nullopt;
  if (found.hasMetricsJson && isDetectron2Log(folder / "metrics.json")) return Source::Detectron2;
  if (!events::findEventFile(folder).empty()) return Source::TensorBoard;
  return std::nullopt;
}

std::optional<ForeignRun> runIn(const fs::path& folder) {
  const auto source = sourceOf(folder);
  if (!source) return std::nullopt;
  return ForeignRun{*source, folder, nameOf(folder, folder)};
}

FoundRuns findRuns(const fs::path& root, const SearchLimits& limits) {
  FoundRuns found;
  std::unordered_set<base::FileIdentity> visited;
  std::deque<std::pair<fs::path, int>> waiting{{root, 0}};
  for (; !waiting.empty(); waiting.pop_front()) {
    const auto& [folder, depth] = waiting.front();
    const auto identity = base::FileIdentity::of(folder);
    if (!identity || visited.contains(*identity)) continue;
    if (visited.size() >= limits.folders || found.runs.size() >= limits.runs) {
      found.isComplete = false;
      break;
    }
    visited.insert(*identity);
    if (isFile(folder / "run.json")) continue;  // our own
    const auto source = sourceOf(folder);
    const bool isDeleted = source == Source::MlFlow && metaIn(folder)->isDeleted;
    if (source && !isDeleted) found.runs.push_back({*source, folder, nameOf(folder, root)});
    if (source && !hasRunsBelow(*source)) continue;
    if (depth >= limits.depth) continue;
    for (const fs::path& entry : foldersIn(folder)) waiting.emplace_back(entry, depth + 1);
  }
  return found;
}

}  // namespace lockstep::foreign_runs
