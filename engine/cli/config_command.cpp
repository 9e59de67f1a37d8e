#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/commands.h"
#include "engine/cli/data_check.h"
#include "engine/cli/input_path.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/precision_choice.h"
#include "engine/cli/worker_check.h"
#include "engine/config/documentation.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/shapes_experiment.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using config::ConfigIssue;
using config::LoadedExperiment;

struct ConfigCheckOptions {
  std::string file;
  std::vector<std::string> overrides;
  bool data = false;
};

struct ShowOptions {
  std::string file;
  std::vector<std::string> overrides;
  bool origins = false;
};

struct ConfigDiffOptions {
  std::string left, right;
};

void printLine(const std::string& line) { base::printText(line + "\n"); }

/// Returns whether any of them is an error.
bool printIssues(const std::vector<ConfigIssue>& issues) {
  bool hasError = false;
  for (const ConfigIssue& issue : issues) {
    base::printMessage(issue.format());
    hasError = hasError || issue.severity == ConfigIssue::Severity::Error;
  }
  return hasError;
}

std::string valueOf(const config::Experiment& experiment, const char* key) {
  return config::findField(key)->text(experiment);
}

/// What follows from the keys, on one line.
std::string derivedFacts(const config::Experiment& experiment) {
  const config::ModelConfig& model = experiment.model;
  const bool isInSteps = experiment.solver.maxSteps.unit == config::Duration::Unit::Steps;
  std::string text = model.backbone + ", " + base::textOf(model.resolvedNorm()) + " norm, ";
  if (const int frozen = model.resolvedFreezeStages(); frozen > 0) {
    text += base::counted(static_cast<std::uint64_t>(frozen), "frozen stage") + ", ";
  }
  text += model.weights.empty() ? "from scratch"
                                : "from " + fs::path(model.weights).filename().string();
  text += "; " + valueOf(experiment, "solver.max_steps") + (isInSteps ? " steps" : "") + " of " +
          base::counted(static_cast<std::uint64_t>(experiment.solver.batchSize), "image");
  const char* before = "; runs commands on: ";
  for (const auto& [event, command] : experiment.monitor.onEvent.byEvent()) {
    text += before + event;
    before = ", ";
  }
  return text;
}

std::string dataFacts(const config::Experiment& experiment, const DataCheck& check) {
  const std::int64_t steps =
      experiment.solver.maxSteps.steps(check.drawsPerEpoch, experiment.solver.batchSize);
  const double epochs = static_cast<double>(steps) * experiment.solver.batchSize /
                        static_cast<double>(check.drawsPerEpoch);
  const auto split = [](std::size_t images, const char* kind, std::size_t objects) {
    return base::counted(images, kind) + " (" + base::counted(objects, "object") + "), ";
  };
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                "; %lld %s = %.1f epochs; largest batch %d x %d x %d px, about %.1f GiB",
                static_cast<long long>(steps), steps == 1 ? "step" : "steps", epochs,
                check.largestBatch.images, check.largestBatch.widthPx, check.largestBatch.heightPx,
                check.largestBatch.bytes() / 0x1p30);
  return "; " +
         split(static_cast<std::size_t>(check.trainImages), "training image",
               check.trainAnnotations) +
         (check.drawsPerEpoch == check.trainImages
              ? ""
              : base::counted(static_cast<std::uint64_t>(check.drawsPerEpoch), "draw") +
                    " per epoch, ") +
         (check.valImages == 0 ? "no validation images, "
                               : split(check.valImages, "validation image", check.valAnnotations)) +
         base::counted(check.classes, "class") + text.data();
}

/// The issues that a worker finds in the images and the weights; `facts` gets the number of images
/// it checked.
std::vector<ConfigIssue> pixelIssues(const LoadedExperiment& loaded, std::string& facts) {
  constexpr int kImagesPerSplit = 64;
  const protocol::CheckResult result =
      askWorkerCheck(loaded.experiment, supervisor::workerProgramBesideThis(),
                     {.imagesPerSplit = kImagesPerSplit});
  std::vector<ConfigIssue> issues = issuesOf(result, facts);
  for (ConfigIssue& issue : issues) setLocation(issue, loaded);
  return issues;
}

int checkExperiment(const ConfigCheckOptions& options) {
  LoadedExperiment loaded = config::loadExperiment(options.file, options.overrides);
  if (printIssues(loaded.issues)) return static_cast<int>(ExitStatus::UserError);
  std::string facts = derivedFacts(loaded.experiment);
  if (options.data) {
    config::RuntimeConfig& runtime = loaded.experiment.runtime;
    const auto devices = expectedDevices(runtime);
    runtime.precision = choosePrecision(runtime, devices).precision;
    const DataCheck found = checkData(loaded, devices, /*withAnchors=*/true);
    if (printIssues(found.issues)) return static_cast<int>(ExitStatus::UserError);
    facts += dataFacts(loaded.experiment, found);
    if (printIssues(pixelIssues(loaded, facts))) return static_cast<int>(ExitStatus::UserError);
  }
  printLine(options.file + ": OK: " + facts);
  return static_cast<int>(ExitStatus::Done);
}

/// The file itself, or the resolved experiment of a run folder.
fs::path experimentFile(const std::string& path) {
  return isFolder(path) ? fs::path(path) / "config.yaml" : fs::path(path);
}

int show(const ShowOptions& options) {
  const LoadedExperiment loaded =
      config::loadExperiment(experimentFile(options.file), options.overrides);
  if (printIssues(loaded.issues)) return static_cast<int>(ExitStatus::UserError);
  const auto origin = [&](const std::string& key) -> std::string {
    const auto found = loaded.origins.find(key);
    if (!options.origins || found == loaded.origins.end()) return {};
    const config::Origin& from = found->second;
    return "from " + from.file + (from.line > 0 ? ":" + std::to_string(from.line) : "");
  };
  const std::string text = config::writeExperiment(loaded.experiment, origin);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return static_cast<int>(ExitStatus::Done);
}

/// The experiment of a file or of a run folder. Throws UserError with all errors.
config::Experiment experimentOf(const std::string& path) {
  const LoadedExperiment loaded = config::loadExperiment(experimentFile(path));
  loaded.throwOnError();
  return loaded.experiment;
}

int diffExperiments(const ConfigDiffOptions& options) {
  const config::Experiment left = experimentOf(options.left), right = experimentOf(options.right);
  for (const config::ConfigDifference& change : config::difference(left, right)) {
    printLine(change.key + ": " + change.left + " -> " + change.right);
  }
  return static_cast<int>(ExitStatus::Done);
}

int print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return static_cast<int>(ExitStatus::Done);
}

void addConfigCheck(Command& parent) {
  Command command = parent.command("check", "List all errors of an experiment file");
  auto options = std::make_shared<ConfigCheckOptions>();
  command.option("config", options->file, "Experiment file").required().metavar("CONFIG");
  command.overrides(options->overrides, "solver.base_lr=0.01");
  command.flag("--data", options->data,
               "Also check the annotations, that all image files exist, some of the images, and "
               "whether the weights fit the model");
  command.run([options] { return checkExperiment(*options); });
}

void addShow(Command& parent) {
  Command command =
      parent.command("show", "Print the resolved experiment: the file, its bases and the defaults");
  auto options = std::make_shared<ShowOptions>();
  command.option("config", options->file, "Experiment file or run folder")
      .required()
      .metavar("CONFIG|RUN");
  command.overrides(options->overrides, "solver.base_lr=0.01");
  command.flag("--origins", options->origins,
               "Add a comment to each value: the file and line it comes from");
  command.run([options] { return show(*options); });
}

void addDiff(Command& parent) {
  Command command = parent.command("diff", "Print the keys in which two experiments differ");
  auto options = std::make_shared<ConfigDiffOptions>();
  command.option("left", options->left, "Experiment file or run folder")
      .required()
      .metavar("CONFIG|RUN");
  command.option("right", options->right, "Experiment file or run folder")
      .required()
      .metavar("CONFIG|RUN");
  command.run([options] { return diffExperiments(*options); });
}

}  // namespace

void addConfigCommand(Command& program) {
  Command command = program.command("config", "Check, print and compare experiment files");
  command.requireCommand();
  addConfigCheck(command);
  addShow(command);
  addDiff(command);
  command.command("docs", "Print the reference of all keys as Markdown").run([] {
    return print(config::docsMarkdown());
  });
  command.command("schema", "Print the JSON Schema of experiment files").run([] {
    return print(config::jsonSchema());
  });
  command.command("shapes", "Print the experiment of the synthetic images of `dataset shapes`")
      .run([] { return print(config::kShapesExperiment); });
}

}  // namespace lockstep::cli
