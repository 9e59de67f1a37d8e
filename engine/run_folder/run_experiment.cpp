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

/// Reads config.yaml, and leaves out what is no fault of a run's.
config::LoadedExperiment readConfig(const Layout& layout) {
  config::LoadedExperiment loaded = config::loadExperiment(layout.config());
  // A value that could be read has an origin: what is said of such a path is that it is not there.
  std::erase_if(loaded.issues, [&](const config::ConfigIssue& issue) {
    return isInputPath(issue.key) && loaded.origins.contains(issue.key);
  });
  return loaded;
}

/// The line that makes a folder a run, or goes on with the one in it, by the experiment file.
std::string lineByExperiment(const fs::path& folder) {
  return "`lockstep-engine train EXPERIMENT --output " + folder.string() + " --resume`";
}

void refuseFaulty(const config::LoadedExperiment& loaded, const Layout& layout) {
  const fs::path file = layout.config();
  const std::string wayOn = lineByExperiment(layout.folder()) + " goes on by the experiment file";
  std::error_code failure;
  const bool saysNothing = loaded.origins.empty() && !loaded.hasErrors();
  if (saysNothing) throw base::mendable(file.string() + ": is empty; remove it, and " + wayOn);
  try {
    loaded.throwOnError();
  } catch (const Error& fault) {
    const bool isThere = fs::exists(fs::symlink_status(file, failure));
    throw base::mendable(fault.what() +
                         std::string(isThere ? "; mend this file, or remove it, and " : "; ") +
                         wayOn);
  }
}

}  // namespace

std::string noRunText(const fs::path& folder) {
  const Layout layout(folder);
  std::error_code ignored;
  const bool wasBegun = fs::exists(layout.config(), ignored) || fs::exists(layout.lock(), ignored);
  return folder.string() + ": is no run folder (no run.json)" +
         (wasBegun ? "; the run in it was ended before it had begun: " + lineByExperiment(folder) +
                         " begins it"
                   : "");
}

void refuseFaultyConfig(const Layout& layout) { refuseFaulty(readConfig(layout), layout); }

config::Experiment readRunExperiment(const Layout& layout) {
  const config::LoadedExperiment loaded = readConfig(layout);
  refuseFaulty(loaded, layout);
  return loaded.experiment;
}

}  // namespace lockstep::run_folder
