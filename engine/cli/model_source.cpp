#include "engine/cli/model_source.h"

#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/cli/class_weights.h"
#include "engine/cli/input_path.h"
#include "engine/config/load.h"
#include "engine/config/value_text.h"
#include "engine/run_folder/run_experiment.h"
#include "engine/run_folder/training_state.h"
#include "engine/run_folder/weights_metadata.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

/// Takes norm and norm epsilon from the weights' metadata where the experiment does not set them,
/// as `norm: auto` is about training. Weights without this metadata leave `auto` with weights.
void applyFacts(config::LoadedExperiment& loaded, const fs::path& weights) {
  config::ModelConfig& model = loaded.experiment.model;
  const auto facts = run_folder::weightsFacts(weights);
  if (!facts) return;
  if (!model.norm) model.norm = facts->norm;
  if (!loaded.origins.contains("model.norm_epsilon")) model.normEpsilon = facts->normEpsilon;
}

/// Resets the runtime keys of a run's config.yaml, as this machine may not be the one it was
/// trained on; the overrides of the command line follow.
std::vector<std::string> overridesOfRun(const std::vector<std::string>& given) {
  for (const std::string& override : given) {
    const std::string_view key =
        config::trimmed(std::string_view(override).substr(0, override.find('=')));
    if (key != "model.weights") continue;
    throw UserError(
        "--set " + override +
        ": the weights of a run are its checkpoints; pass other weights with --weights");
  }
  std::vector<std::string> overrides{"runtime.device=auto", "runtime.backend=auto",
                                     "runtime.workers=0", "runtime.devices=[]",
                                     "runtime.cpu_threads=0"};
  overrides.insert(overrides.end(), given.begin(), given.end());
  return overrides;
}

/// Of weights that were trained before: the experiment is usable without its dataset and initial
/// weights, which may have moved: a missing split is left unset, and `weights` replace missing
/// initial weights. What the command line names must exist.
config::Experiment usableWith(config::LoadedExperiment loaded, const fs::path& weights) {
  config::Experiment& experiment = loaded.experiment;
  std::erase_if(loaded.issues, [&](const config::ConfigIssue& issue) {
    if (issue.severity != config::ConfigIssue::Severity::Error || issue.file == "--set") {
      return false;
    }
    const bool train = issue.key.starts_with("dataset.train."),
               val = issue.key.starts_with("dataset.val.");
    const bool start = issue.key == "model.weights";
    if (train) experiment.dataset.train = {};
    if (val) experiment.dataset.val = {};
    if (start) experiment.model.weights = weights.string();
    return train || val || start;
  });
  loaded.throwOnError();
  return experiment;
}

/// Those in a packed run, unless a file is named.
fs::path weightsOfPacked(const pack::PackedRun& run, const ModelOptions& options) {
  const std::string& given = options.weights;
  const auto own = run.weights();
  const bool isOwn = own && (given.empty() || given == "best" || given == "last" ||
                             given == std::to_string(*run.manifest().weightsStep));
  if (isOwn) return *own;
  if (isFile(given)) return given;
  throw UserError(
      options.target + ": " +
      (own ? "has the weights of step " + std::to_string(*run.manifest().weightsStep) + " alone"
           : std::string("was packed without weights")) +
      "; name others with --weights FILE, or pack the run again with --weights");
}

std::string checkpointOf(const run_folder::Layout& run, const ModelOptions& options) {
  if (!options.weights.empty()) return options.weights;
  return options.prefersBest && run_folder::bestCheckpoint(run) ? "best" : "last";
}

void resolveRun(ModelSource& source, const ModelOptions& options) {
  source.run.emplace(source.packed ? source.packed->folder() : source.target);
  run_folder::requireValidConfig(*source.run);
  source.weights =
      source.packed ? weightsOfPacked(*source.packed->packed(), options)
                    : run_folder::resolveWeights(*source.run, checkpointOf(*source.run, options));
  source.experiment =
      usableWith(config::loadExperiment(source.run->config(), overridesOfRun(options.overrides)),
                 source.weights);
  source.files = {source.run->config()};
  const bool isPackedOwn = source.packed && source.weights == source.packed->packed()->weights();
  source.step = isPackedOwn ? *source.packed->packed()->manifest().weightsStep
                            : run_folder::stepOfWeights(*source.run, source.weights).value_or(0);
  if (source.step > 0) {
    if (const auto error = run_folder::checkpointFileError(source.weights))
      throw Error(*error + "; name another checkpoint with --weights");
  }
}

/// What a training leaves and a person copies elsewhere: config.yaml beside its weights.
bool isModelFolder(const fs::path& folder) {
  return isFile((folder / "model.safetensors").string()) &&
         isFile((folder / "config.yaml").string());
}

void refuseOtherWeights(const ModelOptions& options) {
  if (!options.weights.empty())
    throw UserError("--weights " + options.weights + ": " + options.target + " names its weights");
}

void resolveModelFolder(ModelSource& source, const ModelOptions& options) {
  refuseOtherWeights(options);
  source.weights = source.target / "model.safetensors";
  source.files = {source.target / "config.yaml"};
  source.experiment = usableWith(
      config::loadExperiment(source.files[0], overridesOfRun(options.overrides)), source.weights);
}

/// The file's metadata hold its experiment.
void resolveWeightsFile(ModelSource& source, const ModelOptions& options) {
  refuseOtherWeights(options);
  source.weights = source.target;
  const auto text = run_folder::experimentOfWeights(source.target);
  if (!text)
    throw UserError(options.target +
                    ": its metadata have no experiment (older weights, or those of another "
                    "program): put its config.yaml beside it as DIR/config.yaml and "
                    "DIR/model.safetensors, and give DIR; or give an experiment with --weights " +
                    options.target);
  source.experiment =
      usableWith(config::loadExperimentText(*text, source.target.filename().string(),
                                            overridesOfRun(options.overrides)),
                 source.weights);
}

void resolveConfig(ModelSource& source, const ModelOptions& options) {
  const std::string& weights = options.weights;
  std::vector<std::string> overrides = options.overrides;
  if (!weights.empty()) {
    const std::string error = base::inputFileError(weights, "a weights file");
    if (!error.empty()) {
      throw UserError("--weights " + weights + ": " + error +
                      " (best, last and STEP are for run folders)");
    }
    overrides.push_back("model.weights=" + config::writeText(fs::absolute(weights).string()));
  }
  config::LoadedExperiment loaded = config::loadExperiment(source.target, overrides);
  loaded.throwOnError();
  source.weights = loaded.experiment.model.weights;
  if (source.weights.empty()) {
    throw UserError(source.target.string() +
                    ": model.weights is not set: give --weights FILE, or a run folder instead");
  }
  applyFacts(loaded, source.weights);
  source.files = std::move(loaded.files);
  source.experiment = std::move(loaded.experiment);
}

}  // namespace

protocol::TrainedModel ModelSource::model() const {
  return {config::writeExperiment(experiment), weights.string(), step};
}

Inputs ModelSource::inputs() const {
  Inputs inputs;
  for (const fs::path& file : files) inputs.add(file, "the experiment");
  inputs.add(weights, "the weights");
  if (packed) inputs.add(target, "the packed run");
  const config::DatasetConfig& dataset = experiment.dataset;
  for (const auto& [key, paths] :
       {std::pair{"dataset.train", &dataset.train}, std::pair{"dataset.val", &dataset.val}}) {
    inputs.add(paths->annotations, std::string(key) + ".annotations");
    inputs.addImages(paths->images, std::string(key) + ".images");
  }
  return inputs;
}

ModelSource resolveModel(const ModelOptions& options, const fs::path& workerProgram,
                         const RankRequest& request) {
  const std::string& target = options.target;
  if (config::isUrl(options.weights))
    throw UserError("--weights " + options.weights + ": " + config::kWeightsUrlError);
  ModelSource source;
  std::error_code error;
  source.target = fs::canonical(target, error);
  if (error) throw UserError(target + ": no such experiment file, run folder or weights file");
  if (const RunArgument run(target); run.packed() != nullptr) {
    source.packed = run;
    resolveRun(source, options);
  } else if (source.target.extension() == ".safetensors") {
    resolveWeightsFile(source, options);
  } else if (isFolder(source.target) && isModelFolder(source.target)) {
    resolveModelFolder(source, options);
  } else if (isFolder(source.target)) {
    if (!run_folder::isRunFolder(source.target))
      throw UserError(run_folder::notARunMessage(target));
    resolveRun(source, options);
  } else {
    resolveConfig(source, options);
  }
  source.weights = fs::absolute(source.weights);
  if (source.step == 0) source.step = run_folder::trainedStepOfWeights(source.weights).value_or(0);
  resolveClassWeights(source.experiment);
  source.ranks = resolveMachine(source.experiment, workerProgram, request);
  return source;
}

void requireSplit(const ModelSource& source, protocol::Split split) {
  const config::DatasetConfig& dataset = source.experiment.dataset;
  const config::DatasetSplit& paths = split == protocol::Split::Train ? dataset.train : dataset.val;
  if (!paths.annotations.empty() && !paths.images.empty()) return;
  const std::string key = std::string("dataset.") + base::textOf(split);
  const char* other = split == protocol::Split::Train ? "val" : "train";
  throw UserError(source.target.string() + ": " + key + " is not set" +
                  (source.run ? ", or its files are missing" : "") + "; use --split " + other +
                  ", or --set " + key + ".images=… and " + key + ".annotations=…");
}

void addModelOptions(Command& command, ModelOptions& options) {
  command
      .option("target", options.target,
              "Run folder, packed run, weights file (.safetensors), a folder with config.yaml and "
              "model.safetensors, or experiment file")
      .required()
      .metavar("RUN|CONFIG");
  command
      .option("--weights", options.weights,
              options.prefersBest ? "Weights to load (default: the best checkpoint of RUN, or its "
                                    "latest where it has none, or model.weights of CONFIG)"
                                  : "Weights to load (default: the latest checkpoint of RUN, or "
                                    "model.weights of CONFIG)")
      .metavar("best|last|STEP|FILE");
}

void addSplitOption(Command& command, std::optional<protocol::Split>& split) {
  const char* help = !split                           ? "Dataset split: val or train"
                     : *split == protocol::Split::Val ? "Dataset split (default: val)"
                                                      : "Dataset split (default: train)";
  command.option("--split", split, help);
}

void addWorkersOption(Command& command, RankRequest& ranks) {
  command
      .option(
          "--workers", ranks.workers,
          "Number of ranks (processes) that share the images; not data-loading threads (default: "
          "one per GPU, or one on the CPU)")
      .metavar("N");
}

}  // namespace lockstep::cli
