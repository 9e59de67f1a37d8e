#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// One fault of an experiment file.
struct ConfigIssue {
  enum class Severity { Error, Warning };
  Severity severity = Severity::Error;
  std::string file{};      ///< as given by the user; "--set" for an override
  int line = 0;            ///< from 1; 0: no place
  int column = 0;          ///< from 1
  std::string key{};       ///< dotted; may be empty
  std::string text{};      ///< what is wrong and how to mend it
  std::string proposal{};  ///< replacement for the key or value, or ""

  /// `file:line:col: key: text`
  std::string format() const;
};

/// Where a value comes from.
struct Origin {
  std::string file{};  ///< "" : default; "--set"
  int line = 0;
  int column = 0;
};

struct LoadedExperiment {
  Experiment experiment;                     ///< what could be read; usable only without errors
  std::map<std::string, Origin> origins;     ///< of every key that a file or an override gives
  std::vector<ConfigIssue> issues;           ///< every fault at once, in file order
  std::vector<std::filesystem::path> files;  ///< this file, then its bases
  bool isWhole = true;  ///< false: one of them could not be read, or is no YAML

  bool hasErrors() const;
  /// Throws Error (mendable) with every error, one a line, when there is one.
  void throwIfFaulty() const;
};

/// The text of an experiment file. Throws Error (path: what) for anything but a regular file of at
/// most 1 MB, without reading it.
std::string readExperimentFile(const std::filesystem::path& file);

/// Reads a file, what it inherits from (`base:`) and overrides `key=value`. Never throws for the
/// content: see `issues`. A file that cannot be read is an issue too.
LoadedExperiment loadExperiment(const std::filesystem::path& file,
                                const std::vector<std::string>& overrides = {});

/// The same for text that is being edited; `file` is where it will be saved (paths are relative to
/// its folder).
LoadedExperiment loadExperimentText(const std::string& text, const std::filesystem::path& file,
                                    const std::vector<std::string>& overrides = {});

/// What cannot be seen key by key: frozen norm without weights, milestones not rising, a held-out
/// part that is the training part (a warning), missing folders and files, keys whose part is not
/// built yet. Called by the loaders.
std::vector<ConfigIssue> crossChecks(const Experiment& experiment);

/// The data that training needs or would use and that the experiment does not name: errors for the
/// training part, a warning for the held-out part. No fault of a file that others inherit from, so
/// the loaders do not call it.
std::vector<ConfigIssue> missingData(const Experiment& experiment);

/// Every Duration as steps. trainImages: usable training images.
void resolveDurations(Experiment& experiment, std::int64_t trainImages);

/// The complete experiment as YAML in the order of the field table, absolute paths, no `base`.
std::string writeExperiment(const Experiment& experiment);
/// The same with a comment behind every value for which `comment` gives one, by dotted key.
std::string writeExperiment(const Experiment& experiment,
                            const std::function<std::string(const std::string&)>& comment);

struct ConfigDifference {
  std::string key, left, right;  ///< texts as in YAML
};
/// Keys whose values differ, in the order of the field table.
std::vector<ConfigDifference> difference(const Experiment& left, const Experiment& right);

}  // namespace lockstep::config
