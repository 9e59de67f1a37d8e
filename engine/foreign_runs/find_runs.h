#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/enum_text.h"

/// Runs of other programs, read as they lie on the disk and never written, in the form that our own
/// have.
namespace lockstep::foreign_runs {

namespace fs = std::filesystem;

/// Which program's files a run is read from.
enum class Source {
  TensorBoard,  ///< event files
  Detectron2,   ///< metrics.json
  MmEngine,     ///< vis_data/scalars.json, or scalars.json in the folder itself
  MlFlow,       ///< meta.yaml, metrics/, params/ of a run in a file store
};
/// Names for people.
constexpr auto enumTexts(Source) {
  using enum Source;
  return std::to_array<base::EnumText<Source>>({{TensorBoard, "TensorBoard"},
                                                {Detectron2, "detectron2"},
                                                {MmEngine, "mmengine"},
                                                {MlFlow, "MLflow"}});
}

struct ForeignRun {
  Source source = Source::TensorBoard;
  fs::path folder;
  std::string name;  ///< path relative to the folder that was searched; of that itself, its name
};

/// Whose run a folder is; nullopt: of none that is known, or one of ours. Lists the folder once and
/// reads the start of at most one file. Where a program writes event files beside a file of its
/// own, that is read.
std::optional<Source> sourceOf(const fs::path& folder);

/// The run in a folder itself.
std::optional<ForeignRun> runIn(const fs::path& folder);

struct SearchLimits {
  int depth = 6;  ///< of folders below the first
  std::size_t folders = 20'000;
  std::size_t runs = 2'000;
};
struct FoundRuns {
  std::vector<ForeignRun> runs;  ///< outer folders first, then by name
  bool isComplete = true;        ///< false: there were too many folders or runs
};
/// The runs in a folder and below it, except in our own runs, in hidden folders and in what MLflow
/// has deleted. Follows symlinks; no folder is visited twice. Folders that cannot be listed are
/// skipped.
FoundRuns findRuns(const fs::path& root, const SearchLimits& limits = {});

}  // namespace lockstep::foreign_runs
