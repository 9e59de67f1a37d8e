#include "engine/run_folder/run_experiment.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "engine/base/error.h"
#include "engine/config/load.h"

namespace lockstep::run_folder {
namespace {

const char* const kInputPaths[] = {"dataset.train.images", "dataset.train.annotations",
                                   "dataset.val.images", "dataset.val.annotations",
                                   "model.weights"};

bool isInputPath(const std::string& key) {
  return std::find(std::begin(kInputPaths), std::end(kInputPaths), key) != std::end(kInputPaths);
}

/// Reads config.yaml, ignoring missing input files.
config::LoadedExperiment readConfig(const Layout& layout) {
  config::LoadedExperiment loaded = config::loadExperiment(layout.config());
  // A value that was parsed has an origin, so the issue of such a path is that it is missing.
  std::erase_if(loaded.issues, [&](const config::ConfigIssue& issue) {
    return isInputPath(issue.key) && loaded.origins.contains(issue.key);
  });
  return loaded;
}

/// The command that starts or resumes the run in a folder from the experiment file.
std::string resumeCommand(const fs::path& folder) {
  return "`lockstep-engine train EXPERIMENT --output " + folder.string() + " --resume`";
}

void throwIfInvalid(const config::LoadedExperiment& loaded, const Layout& layout) {
  const fs::path file = layout.config();
  const std::string remedy =
      "resume from the experiment file with " + resumeCommand(layout.folder());
  std::error_code failure;
  const bool isEmpty = loaded.origins.empty() && !loaded.hasErrors();
  if (isEmpty) throw UserError(file.string() + ": is empty; remove it and " + remedy);
  try {
    loaded.throwOnError();
  } catch (const Error& error) {
    const bool exists = fs::exists(fs::symlink_status(file, failure));
    throw UserError(error.what() +
                    std::string(exists ? "; correct this file, or remove it and " : "; ") + remedy);
  }
}

}  // namespace

std::string notARunMessage(const fs::path& folder) {
  const Layout layout(folder);
  std::error_code ignored;
  const bool wasStarted =
      fs::exists(layout.config(), ignored) || fs::exists(layout.lock(), ignored);
  return folder.string() + ": not a run folder (no run.json)" +
         (wasStarted ? "; its run was interrupted before it started; start it with " +
                           resumeCommand(folder)
                     : "");
}

void requireValidConfig(const Layout& layout) { throwIfInvalid(readConfig(layout), layout); }

config::Experiment readRunExperiment(const Layout& layout) {
  const config::LoadedExperiment loaded = readConfig(layout);
  throwIfInvalid(loaded, layout);
  return loaded.experiment;
}

}  // namespace lockstep::run_folder
