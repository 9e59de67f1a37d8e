#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/standard_streams.h"
#include "engine/base/temporary_folder.h"
#include "engine/cli/coco_eval_params.h"
#include "engine/cli/coco_evaluation.h"
#include "engine/cli/commands.h"
#include "engine/cli/evaluation_table.h"
#include "engine/cli/extra_metrics_text.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/model_source.h"
#include "engine/cli/output_path.h"
#include "engine/coco/evaluation/judged_by.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/protocol/json_text.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

struct EvaluateOptions {
  ModelOptions model;
  std::optional<protocol::Split> split = protocol::Split::Val;
  std::string out, report, figures;
  std::optional<double> scoreThreshold;
  bool perImage = false, isPycocotoolsExact = false;
  RankRequest ranks;

  bool needsDetections() const { return !report.empty() || !figures.empty(); }
};

void checkEvaluateOptions(const EvaluateOptions& options) {
  checkWorkers(options.ranks);
  if (!options.figures.empty()) parseExtraMetrics(options.figures);
  if (!options.scoreThreshold) return;
  if (!options.needsDetections())
    throw UserError("--score-threshold is for --report and --figures");
  if (!std::isfinite(*options.scoreThreshold))
    throw UserError("--score-threshold: must be a finite number");
}

const config::DatasetSplit& splitOf(const ModelSource& source, protocol::Split split) {
  const config::DatasetConfig& dataset = source.experiment.dataset;
  return split == protocol::Split::Val ? dataset.val : dataset.train;
}

/// The images that are evaluated, if all can be read.
coco::Dataset loadTruth(const std::string& annotations, int maxImages) {
  coco::Dataset dataset = coco::Dataset::load(annotations);
  if (maxImages == 0) return dataset;
  dataset.keepImages([&](std::size_t index, const coco::Image&) {
    return index < static_cast<std::size_t>(maxImages);
  });
  return dataset;
}

/// Title of an evaluation: `droplets, step 400, validation images`.
std::string nameOf(const ModelSource& source, protocol::Split split) {
  return source.experiment.name +
         (source.step > 0 ? ", step " + std::to_string(source.step) : std::string()) +
         (split == protocol::Split::Val ? ", validation images" : ", training images");
}

/// What the written detections add to the evaluation's metrics: the error report and the metrics
/// of --figures, both of the masks, or of the boxes if the model or the dataset has no masks.
class DetectionsReview {
 public:
  /// Throws UserError if the metrics need masks that the dataset does not have.
  DetectionsReview(const EvaluateOptions& options, const ModelSource& source)
      : options_(options),
        source_(source),
        split_(splitOf(source, *options.split)),
        truth_(loadTruth(split_.annotations, source.experiment.evaluation.maxImages)) {
    if (!options.figures.empty())
      requireMasks(truth_, split_.annotations, parseExtraMetrics(options.figures));
  }

  void evaluate(const std::filesystem::path& detections,
                const protocol::EvaluateResult& evaluation) {
    truth_.keepImages([&](std::size_t, const coco::Image& image) {
      return std::ranges::find(evaluation.badImageIds, image.id.value) ==
             evaluation.badImageIds.end();
    });
    const bool isOfMasks =
        coco::judgedBy(truth_, source_.experiment.model.masks) == coco::IouType::Mask;
    results_.emplace(coco::ResultsFile::load(detections, truth_));
    ResultsRequest request{.type = isOfMasks ? "segm" : "bbox",
                           .params = config::apParams(source_.experiment.evaluation),
                           .withAnalysis = !options_.report.empty(),
                           .scoreThreshold = options_.scoreThreshold};
    request.params.pycocotoolsExact = options_.isPycocotoolsExact;
    if (!options_.figures.empty()) request.extra = parseExtraMetrics(options_.figures);
    evaluation_ = evaluateResults(truth_, *results_, request);
  }

  std::string table() const {
    return evaluation_.extra ? extraMetricsTable(*evaluation_.extra, truth_.categories()) : "";
  }
  void writeReport(const OutputFile& file) const {
    cli::writeReport(file,
                     {split_.annotations, nameOf(source_, *options_.split), split_.images,
                      coco::kMaxDetectionsKey},
                     truth_, *results_, evaluation_);
  }
  /// The evaluation's JSON with the members of the metrics that were asked for.
  std::string addedTo(const std::string& json) const {
    std::string members;
    NestedJson writer(members);
    writer.beginObject();
    if (evaluation_.extra) writeExtraMetrics(writer, *evaluation_.extra, truth_.categories());
    writer.endObject();
    nlohmann::ordered_json all = protocol::parseOrderedJson(json);
    all.update(protocol::parseOrderedJson(members));
    return all.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

 private:
  const EvaluateOptions& options_;
  const ModelSource& source_;
  const config::DatasetSplit& split_;
  coco::Dataset truth_;
  std::optional<coco::ResultsFile> results_;
  CocoEvaluation evaluation_;
};

int evaluateModel(const EvaluateOptions& options) {
  checkEvaluateOptions(options);
  const auto workerProgram = supervisor::workerProgramBesideThis();
  const ModelSource source = resolveModel(options.model, workerProgram, options.ranks);
  requireSplit(source, *options.split);
  std::optional<DetectionsReview> review;
  if (options.needsDetections()) review.emplace(options, source);
  protocol::EvaluateJob job{.model = source.model(),
                            .split = *options.split,
                            .perImage = options.perImage,
                            .pycocotoolsExact = options.isPycocotoolsExact};
  std::optional<OutputFile> out, report;
  if (!options.out.empty()) {
    out.emplace(options.out, "--out", source.inputs());
    job.out = out->workerFile().string();
  }
  if (!options.report.empty()) report.emplace(options.report, "--report", source.inputs());
  if (out && report && out->isSameAs(*report))
    throw UserError("--report " + options.report + ": --out is the same file");
  std::optional<base::TemporaryFolder> folder;
  if (options.needsDetections())
    job.detections = (folder.emplace().path() / "detections.json").string();
  const protocol::EvaluateResult result =
      supervisor::runOneShotJob(workerProgram, job, source.ranks);
  if (review) review->evaluate(job.detections, result);
  if (out && !options.figures.empty()) {
    out->write(review->addedTo(base::readFile(job.out)));
  } else if (out) {
    out->writeWorkerResult();
  }
  if (report) review->writeReport(*report);
  const bool usesStdout =
      (out && out->isStandardOutput()) || (report && report->isStandardOutput());
  if (!usesStdout) base::printText(evaluationTable(result) + (review ? review->table() : ""));
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addEvaluateCommand(Command& program) {
  Command command = program.command("evaluate", "Compute losses and COCO metrics of a model");
  auto options = std::make_shared<EvaluateOptions>();
  addModelOptions(command, options->model);
  command.overrides(options->model.overrides, "evaluation.max_images=100");
  addSplitOption(command, options->split);
  addWorkersOption(command, options->ranks);
  const Option out =
      command.option("--out", options->out, "Write all results as JSON (-: standard output)")
          .metavar("F.json");
  command.flag("--per-image", options->perImage, "Add the losses of every image to --out")
      .needs(out);
  command
      .option("--report", options->report,
              "Write an HTML report of the masks, or of the boxes if there are no masks: tables, "
              "curves and the worst images")
      .metavar("F.html");
  addFiguresOption(command, options->figures);
  command
      .option("--score-threshold", options->scoreThreshold,
              "Score threshold (default: the one with the best F1), for --report and --figures")
      .metavar("S");
  addPycocotoolsExactFlag(command, options->isPycocotoolsExact);
  command.run([options] { return evaluateModel(*options); });
}

}  // namespace lockstep::cli
