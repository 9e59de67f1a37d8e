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

}  // namespace

void refuseEmptyConfig(const Layout& layout) {
  const fs::path file = layout.config();
  std::error_code failure;
  if (fs::file_size(file, failure) > 0 || failure) return;
  throw base::mendable(file.string() +
                       ": is empty; remove it, and `lockstep-engine train EXPERIMENT --output " +
                       layout.folder().string() + " --resume` goes on by the experiment file");
}

config::Experiment readRunExperiment(const Layout& layout) {
  refuseEmptyConfig(layout);
  config::LoadedExperiment loaded = config::loadExperiment(layout.config());
  // A value that could be read has an origin: what is said of such a path is that it is not there.
  std::erase_if(loaded.issues, [&](const config::ConfigIssue& issue) {
    return isInputPath(issue.key) && loaded.origins.contains(issue.key);
  });
  loaded.throwIfFaulty();
  return loaded.experiment;
}

}  // namespace lockstep::run_folder
