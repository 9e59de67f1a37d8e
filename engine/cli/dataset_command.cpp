#include <cstdio>
#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/log.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/output_path.h"
#include "engine/config/load.h"
#include "engine/formats/export.h"
#include "engine/formats/format.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

struct ShapesOptions {
  std::string out;
  int train = 0, val = 0;
  std::int64_t seed = 1;
};

int makeShapes(const ShapesOptions& options) {
  const auto workerProgram = supervisor::workerProgramBesideThis();
  supervisor::runOneShotJob(workerProgram,
                            protocol::ShapesJob{.folder = checkNewFolder(options.out).string(),
                                                .trainImages = options.train,
                                                .valImages = options.val,
                                                .seed = options.seed});
  return static_cast<int>(ExitStatus::Done);
}

struct ImportOptions {
  std::string source, out, from = "auto", group, classes, exif;
  std::optional<double> val;
  std::int64_t seed = 1;
  bool copiesImages = false, keepsEmpty = false;
};

struct ExportOptions {
  std::string source, to, out;
};

/// `auto|coco|lvis|…`
template <typename Enum>
std::string namesOf(std::string names = "") {
  for (const auto& one : base::kEnumTexts<Enum>) {
    if (!names.empty()) names += '|';
    names += one.text;
  }
  return names;
}

/// Throws UserError unless the option's value is one of the enum's names.
template <typename Enum>
void checkName(const char* option, const std::string& name, const char* what) {
  if (!base::parseEnum<Enum>(name))
    throw UserError(std::string(option) + " '" + name + "': unknown " + what + "; known are " +
                    namesOf<Enum>());
}

std::string existingSource(const std::string& path) {
  if (!pathExists(path)) throw UserError(path + ": no such file or folder");
  return std::filesystem::absolute(path).lexically_normal().string();
}

template <typename Job>
int runDatasetJob(Job job) {
  const protocol::DatasetReport report =
      supervisor::runOneShotJob(supervisor::workerProgramBesideThis(), std::move(job));
  for (const std::string& line : report.warnings) base::logWarning("dataset", line);
  base::printText(report.text);
  return static_cast<int>(ExitStatus::Done);
}

struct DatasetCheckOptions {
  std::string config, out, fix;
  std::vector<std::string> overrides;
};

/// Throws UserError with the experiment's errors; its warnings go to standard error.
config::LoadedExperiment loadChecked(const std::string& file,
                                     const std::vector<std::string>& overrides) {
  config::LoadedExperiment loaded = config::loadExperiment(file, overrides);
  loaded.throwOnError();
  for (const config::ConfigIssue& issue : loaded.issues) base::printMessage(issue.format());
  return loaded;
}

int checkDataset(const DatasetCheckOptions& options) {
  const config::LoadedExperiment loaded = loadChecked(options.config, options.overrides);
  Inputs inputs;
  for (const auto& file : loaded.files) inputs.add(file, "CONFIG");
  for (const config::DatasetSplit* split :
       {&loaded.experiment.dataset.train, &loaded.experiment.dataset.val}) {
    inputs.add(split->annotations, "the annotations");
    inputs.addImages(split->images, "the dataset");
  }
  const auto normal = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  if (!options.out.empty() && !options.fix.empty() && normal(options.out) == normal(options.fix))
    throw UserError("--out " + options.out + ": is the folder of --fix; name a file");
  std::optional<OutputFile> out;
  if (!options.out.empty()) out.emplace(options.out, "--out", inputs);
  protocol::CheckDatasetJob job{
      .configYaml = config::writeExperiment(loaded.experiment),
      .experiment = std::filesystem::absolute(options.config).lexically_normal().string(),
      .out = out ? out->workerFile().string() : "",
      .fixFolder = options.fix.empty() ? "" : checkNewFolder(options.fix).string()};
  const protocol::DatasetReport report =
      supervisor::runOneShotJob(supervisor::workerProgramBesideThis(), std::move(job));
  if (out) out->writeWorkerResult();
  if (!out || !out->isStandardOutput()) {
    base::printText(report.text);
    if (out) std::printf("written:    %s\n", out->name().c_str());
    if (!options.fix.empty() && pathExists(options.fix + "/experiment.yaml")) {
      std::printf("next:       lockstep-engine dataset check %s/experiment.yaml\n",
                  options.fix.c_str());
    }
  }
  if (!report.failure.empty()) {
    throw Error((pathExists(options.fix) ? options.fix : options.config) +
                ": unusable: " + report.failure);
  }
  return static_cast<int>(ExitStatus::Done);
}

int importDataset(const ImportOptions& options) {
  const bool isDetected = options.from == "auto";
  if (!isDetected) checkName<formats::Format>("--from", options.from, "format");
  if (!options.exif.empty()) checkName<formats::ExifUse>("--exif", options.exif, "value");
  if (options.val && !(*options.val > 0 && *options.val < 1))
    throw UserError("--val: must be greater than 0 and less than 1");
  if (!options.classes.empty()) {
    const std::string error = base::inputFileError(options.classes, "a text file");
    if (!error.empty()) throw UserError("--classes " + options.classes + ": " + error);
  }
  protocol::ImportJob job{.source = existingSource(options.source),
                          .out = checkNewFolder(options.out).string(),
                          .format = isDetected ? "" : options.from,
                          .valShare = options.val,
                          .seed = options.seed,
                          .groupPattern = options.group,
                          .classes = options.classes,
                          .copiesImages = options.copiesImages,
                          .exif = options.exif,
                          .keepsEmpty = options.keepsEmpty};
  const int status = runDatasetJob(job);
  std::printf("next:       lockstep-engine config check %s/experiment.yaml --data\n",
              options.out.c_str());
  return status;
}

int exportDataset(const ExportOptions& options) {
  checkName<formats::ExportFormat>("--to", options.to, "format");
  return runDatasetJob(protocol::ExportJob{.source = existingSource(options.source),
                                           .out = checkNewFolder(options.out).string(),
                                           .format = options.to});
}

struct PreviewOptions {
  std::string config, out;
  std::vector<std::string> overrides;
  int batches = 4;
};

int previewBatches(const PreviewOptions& options) {
  config::LoadedExperiment loaded = loadChecked(options.config, options.overrides);
  config::RuntimeConfig& runtime = loaded.experiment.runtime;
  if (runtime.workers == 0) runtime.workers = static_cast<int>(expectedDevices(runtime).size());
  return runDatasetJob(
      protocol::PreviewJob{.configYaml = config::writeExperiment(loaded.experiment),
                           .out = checkNewFolder(options.out).string(),
                           .batches = options.batches});
}

void addShapes(Command& dataset) {
  Command shapes =
      dataset.command("shapes", "Generate synthetic images with exact masks, in COCO format");
  auto options = std::make_shared<ShapesOptions>();
  constexpr int kFewest = 1, kMost = 1'000'000;
  shapes
      .option("--out", options->out,
              "Folder to create, with train/, val/, annotations/ and experiment.yaml")
      .required()
      .metavar("DIR");
  shapes.option("--train", options->train, "Number of training images")
      .required()
      .metavar("N")
      .range(kFewest, kMost);
  shapes.option("--val", options->val, "Number of validation images")
      .required()
      .metavar("N")
      .range(kFewest, kMost);
  shapes.option("--seed", options->seed, "Random seed of the images")
      .metavar("S")
      .notNegative()
      .showDefault();
  shapes.run([options] { return makeShapes(*options); });
}

void addImport(Command& dataset) {
  Command command = dataset.command(
      "import", "Import annotations of another format: write COCO files and an experiment.yaml");
  auto options = std::make_shared<ImportOptions>();
  command.option("source", options->source, "Folder or file of the dataset")
      .required()
      .metavar("SOURCE");
  command.option("--out", options->out, "Folder to create, with annotations/ and experiment.yaml")
      .required()
      .metavar("DIR");
  command.option("--from", options->from, "Format of the annotations")
      .metavar(namesOf<formats::Format>("auto").c_str())
      .showDefault();
  command
      .option("--val", options->val,
              "Fraction of the images for validation, split anew and stratified by class (default: "
              "the source's own split, else 0.2)")
      .metavar("SHARE");
  command.option("--seed", options->seed, "Random seed of the split")
      .metavar("S")
      .notNegative()
      .showDefault();
  command
      .option("--group", options->group,
              "Keep images whose paths have the same match of this regular expression (of its "
              "first group, if it has one) in one split: those of a video, patient or plate")
      .metavar("REGEX");
  command
      .option("--classes", options->classes,
              "File with one class name per line: names the classes of YOLO and label images; "
              "objects of other classes are not imported")
      .metavar("F");
  command.flag("--copy", options->copiesImages,
               "Copy the images into DIR (default: leave them where they are)");
  command
      .option("--exif", options->exif,
              "Whether annotations refer to images with their EXIF orientation applied, where the "
              "annotated sizes do not tell (default: the convention of the format, with a warning)")
      .metavar(namesOf<formats::ExifUse>().c_str());
  command.flag("--keep-empty", options->keepsEmpty,
               "Import images without a label, or with invalid objects only, as images without "
               "objects (default: do not import them)");
  command.run([options] { return importDataset(*options); });
}

void addExport(Command& dataset) {
  Command command =
      dataset.command("export", "Write a dataset in the format of an annotation program");
  auto options = std::make_shared<ExportOptions>();
  command
      .option("source", options->source,
              "Folder of the dataset, in any format that can be imported")
      .required()
      .metavar("DIR");
  command.option("--to", options->to, "Format to write")
      .required()
      .metavar(namesOf<formats::ExportFormat>().c_str());
  command.option("--out", options->out, "Folder to create, with images and annotations")
      .required()
      .metavar("DIR");
  command.run([options] { return exportDataset(*options); });
}

void addDatasetCheck(Command& dataset) {
  Command command = dataset.command(
      "check",
      "Check annotations and images for errors, and print statistics. Exit status 0 also with "
      "errors that training accepts; 1 if it refuses the dataset, or with --fix the fixed one");
  auto options = std::make_shared<DatasetCheckOptions>();
  command
      .option("config", options->config,
              "Experiment file; one of dataset.train and dataset.val is enough")
      .required()
      .metavar("CONFIG");
  command
      .option(
          "--out", options->out,
          "File for all errors, warnings and statistics as JSON, also written with exit status 1")
      .metavar("F.json");
  command
      .option("--fix", options->fix,
              "Folder to create, with annotations/ without these errors and an experiment.yaml "
              "that uses them; images stay where they are")
      .metavar("DIR");
  command.overrides(options->overrides, "augment.min_size=[512]");
  command.run([options] { return checkDataset(*options); });
}

void addPreview(Command& dataset) {
  Command command = dataset.command(
      "preview", "Draw training batches as the model gets them: augmented, resized, padded");
  auto options = std::make_shared<PreviewOptions>();
  command.option("config", options->config, "Experiment file").required().metavar("CONFIG");
  command.option("--out", options->out, "Folder to create, with a PNG for each batch")
      .required()
      .metavar("DIR");
  command.overrides(options->overrides, "augment.crop=0.5");
  constexpr int kFewest = 1, kMost = 1000;
  command.option("--batches", options->batches, "Number of batches, from the first step")
      .metavar("N")
      .range(kFewest, kMost)
      .showDefault();
  command.run([options] { return previewBatches(*options); });
}

}  // namespace

void addDatasetCommand(Command& program) {
  Command dataset =
      program.command("dataset", "Check, generate, import, export and preview datasets");
  dataset.requireCommand();
  addDatasetCheck(dataset);
  addShapes(dataset);
  addImport(dataset);
  addExport(dataset);
  addPreview(dataset);
}

}  // namespace lockstep::cli
