#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// One error or warning about an experiment file.
struct ConfigIssue {
  enum class Severity { Error, Warning };
  Severity severity = Severity::Error;
  std::string file{};        ///< as given by the user; "--set" for an override
  int line = 0;              ///< from 1; 0: no place
  int column = 0;            ///< from 1
  std::string key{};         ///< dotted; may be empty
  std::string text{};        ///< what is wrong and how to fix it
  std::string suggestion{};  ///< replacement for the key or value, or ""

  /// `file:line:col: key: text`
  std::string format() const;
};

/// The file of a value that --set gives.
inline constexpr const char* kOverrideFile = "--set";

/// Where a value comes from.
struct Origin {
  std::string file{};  ///< "" : default; kOverrideFile
  int line = 0;
  int column = 0;
};

struct LoadedExperiment {
  Experiment experiment;                     ///< what could be read; complete only without errors
  std::map<std::string, Origin> origins;     ///< of every key that a file or an override sets
  std::vector<ConfigIssue> issues;           ///< all of them, in file order
  std::vector<std::filesystem::path> files;  ///< this file, then its bases
  std::vector<std::string> texts;            ///< of `files`, byte for byte
  bool isComplete = true;  ///< false: one of them could not be read, or is not YAML

  bool hasErrors() const;
  /// Throws a user error with every error, one per line, if there are any.
  void throwOnError() const;
};

/// The text of an experiment file. Throws a user error (`path: what`) for anything but a regular
/// file of at most 1 MB, without reading it.
std::string readExperimentFile(const std::filesystem::path& file);

/// Loads a file, its bases (`base:`) and overrides `key=value`. Does not throw: problems, also
/// files that cannot be read, are in `issues`.
LoadedExperiment loadExperiment(const std::filesystem::path& file,
                                const std::vector<std::string>& overrides = {});

/// The same for text that is being edited; `file` is where it will be saved (paths are relative to
/// its folder).
LoadedExperiment loadExperimentText(const std::string& text, const std::filesystem::path& file,
                                    const std::vector<std::string>& overrides = {});

/// Checks that need several keys or the disk: frozen norm without weights, milestones out of order,
/// a held-out set that is the training set (a warning), missing folders and files, keys that are
/// not built yet, with runtime.device: cpu also ignoredOnCpu(). Called by the loaders.
std::vector<ConfigIssue> crossChecks(const Experiment& experiment);

/// Warnings for an experiment that trains on the CPU about settings that only apply to GPUs.
std::vector<ConfigIssue> ignoredOnCpu(const RuntimeConfig& runtime);

/// Data paths that the experiment does not give: errors for the training set, a warning for the
/// held-out set. A base file need not give them, so the loaders do not call this.
std::vector<ConfigIssue> missingData(const Experiment& experiment);

/// `the nearest batch sizes are 4 and 6`: multiples of `parts`.
std::string nearestBatchSizes(std::int64_t batchSize, std::int64_t parts);

/// Whether the user wrote a URL where a path is expected.
bool isUrl(const std::string& path);
inline constexpr const char* kWeightsUrlError =
    "URLs are not supported; download the file, and convert a .pth with "
    "packaging/convert_weights.py";

/// Converts every Duration to steps. trainImages: number of usable training images.
void resolveDurations(Experiment& experiment, std::int64_t trainImages);

/// The complete experiment as YAML in the order of the field table, absolute paths, no `base`.
std::string writeExperiment(const Experiment& experiment);
/// The same, with the comment that `comment` returns for a dotted key ("": none) after its value.
std::string writeExperiment(const Experiment& experiment,
                            const std::function<std::string(const std::string&)>& comment);

struct ConfigDifference {
  std::string key, left, right;  ///< texts as in YAML
};
/// Keys whose values differ, in the order of the field table.
std::vector<ConfigDifference> difference(const Experiment& left, const Experiment& right);

}  // namespace lockstep::config
