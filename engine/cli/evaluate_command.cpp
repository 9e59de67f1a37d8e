#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/cli/coco_evaluation.h"
#include "engine/cli/commands.h"
#include "engine/cli/evaluation_table.h"
#include "engine/cli/extra_metrics_text.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/model_source.h"
#include "engine/cli/output_path.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

struct EvaluateOptions {
  ModelOptions model;
  std::optional<protocol::Split> split = protocol::Split::Val;
  std::string out, report, figures;
  std::optional<double> scoreThreshold;
  bool perImage = false;
  RankRequest ranks;

  bool needsDetections() const { return !report.empty() || !figures.empty(); }
};

void check(const EvaluateOptions& options) {
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

/// The images that were evaluated.
coco::Dataset evaluatedTruth(const std::string& annotations, int maxImages,
                             const std::vector<std::int64_t>& badImageIds) {
  coco::Dataset dataset = coco::Dataset::load(annotations);
  dataset.keepImages([&](std::size_t index, const coco::Image& image) {
    return (maxImages == 0 || index < static_cast<std::size_t>(maxImages)) &&
           std::ranges::find(badImageIds, image.id.value) == badImageIds.end();
  });
  return dataset;
}

/// What was evaluated, as a title: `droplets, step 400, held-out images`.
std::string nameOf(const ModelSource& source, protocol::Split split) {
  return source.experiment.name +
         (source.step > 0 ? ", step " + std::to_string(source.step) : std::string()) +
         (split == protocol::Split::Val ? ", held-out images" : ", training images");
}

/// What the written detections add to the evaluation's metrics: the error report and the metrics
/// of --figures, both of the masks, or of the boxes of a model without a mask head.
class DetectionsReview {
 public:
  DetectionsReview(const EvaluateOptions& options, const ModelSource& source,
                   const std::filesystem::path& detections,
                   const protocol::EvaluateResult& evaluation)
      : split_(splitOf(source, *options.split)),
        name_(nameOf(source, *options.split)),
        truth_(evaluatedTruth(split_.annotations, source.experiment.evaluation.maxImages,
                              evaluation.badImageIds)),
        results_(coco::ResultsFile::load(detections, truth_)) {
    ResultsRequest request{.type = source.experiment.model.masks ? "segm" : "bbox",
                           .params = config::apParams(source.experiment.evaluation),
                           .withAnalysis = !options.report.empty(),
                           .scoreThreshold = options.scoreThreshold};
    if (!options.figures.empty()) request.extra = parseExtraMetrics(options.figures);
    evaluation_ = evaluateResults(truth_, results_, request);
  }

  std::string table() const {
    return evaluation_.extra ? extraMetricsTable(*evaluation_.extra, truth_.categories()) : "";
  }
  void writeReport(const OutputFile& file) const {
    cli::writeReport(file, {split_.annotations, name_, split_.images, coco::kMaxDetectionsKey},
                     truth_, results_, evaluation_);
  }
  /// The evaluation's JSON with the members of the metrics that were asked for.
  std::string addedTo(const std::string& json) const {
    std::string members;
    NestedJson writer(members);
    writer.beginObject();
    if (evaluation_.extra) writeExtraMetrics(writer, *evaluation_.extra, truth_.categories());
    writer.endObject();
    using Json = nlohmann::ordered_json;
    Json all = Json::parse(json);
    all.update(Json::parse(members));
    return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  const config::DatasetSplit& split_;
  std::string name_;
  coco::Dataset truth_;
  coco::ResultsFile results_;
  CocoEvaluation evaluation_;
};

int evaluate(const EvaluateOptions& options) {
  check(options);
  const auto workerProgram = supervisor::workerProgramBesideThis();
  const ModelSource source = resolveModel(options.model, workerProgram, options.ranks);
  requireSplit(source, *options.split);
  protocol::EvaluateJob job{
      .model = source.model(), .split = *options.split, .perImage = options.perImage};
  std::optional<OutputFile> out, report;
  if (!options.out.empty()) {
    out.emplace(options.out, "--out", source.inputs());
    job.out = out->workerFile().string();
  }
  if (!options.report.empty()) report.emplace(options.report, "--report", source.inputs());
  if (out && report && out->isSameAs(*report))
    throw UserError("--report " + options.report + ": --out is the same file");
  std::optional<TemporaryFolder> folder;
  if (options.needsDetections())
    job.detections = (folder.emplace().path() / "detections.json").string();
  const protocol::EvaluateResult result =
      supervisor::runOneShotJob(workerProgram, job, source.ranks);
  std::optional<DetectionsReview> review;
  if (folder) review.emplace(options, source, job.detections, result);
  if (out && !options.figures.empty()) {
    out->write(review->addedTo(base::readFile(job.out)));
  } else if (out) {
    out->writeWorkerResult();
  }
  if (report) review->writeReport(*report);
  const bool usesStdout =
      (out && out->isStandardOutput()) || (report && report->isStandardOutput());
  if (!usesStdout)
    std::fputs((evaluationTable(result) + (review ? review->table() : "")).c_str(), stdout);
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
              "Write an HTML report of the masks: tables, curves and the worst images")
      .metavar("F.html");
  addFiguresOption(command, options->figures);
  command
      .option("--score-threshold", options->scoreThreshold,
              "Score threshold (default: the one with the best F1), for --report and --figures")
      .metavar("S");
  command.run([options] { return evaluate(*options); });
}

}  // namespace lockstep::cli
