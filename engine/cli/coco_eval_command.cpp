#include <cmath>
#include <future>
#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/log.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/coco_eval_params.h"
#include "engine/cli/coco_evaluation.h"
#include "engine/cli/commands.h"
#include "engine/cli/extra_metrics_text.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"

namespace lockstep::cli {
namespace {

struct CocoEvalOptions {
  std::string gt, dt, type, out, compare, report, images;
  bool withArrays = false, withAnalysis = false, withMatches = false;
  std::optional<double> scoreThreshold, iouThreshold;
  CocoEvalParamOptions params;
  std::string figures;

  bool needsAnalysis() const { return withAnalysis || withMatches || !report.empty(); }
  bool needsMasks() const { return type != "bbox" || !report.empty() || !figures.empty(); }
};

std::set<coco::ExtraMetric> extraMetricsOf(const CocoEvalOptions& options) {
  if (options.figures.empty()) return {};
  return parseExtraMetrics(options.figures);
}

/// Validates the command line before any work.
void checkCocoEvalOptions(const CocoEvalOptions& options) {
  for (const std::string& file : {options.gt, options.dt, options.compare}) {
    if (file.empty()) continue;
    const std::string error = base::inputFileError(file, "a JSON file");
    if (!error.empty()) throw UserError(file + ": " + error);
  }
  if (!options.images.empty() && !isFolder(options.images))
    throw UserError("--images " + options.images + ": no such folder");
  if (options.scoreThreshold && !options.needsAnalysis() && options.figures.empty())
    throw UserError("--score-threshold is for --analysis, --matches, --report and --figures");
  if (options.iouThreshold && !options.needsAnalysis() && options.figures.empty())
    throw UserError("--iou-threshold is for --analysis, --matches, --report and --figures");
  const bool isOfAllCategories =
      options.params.categories.empty() && !options.params.isClassAgnostic;
  if (extraMetricsOf(options).contains(coco::ExtraMetric::Lvis) && !isOfAllCategories) {
    throw UserError(
        "--figures lvis evaluates all categories separately: omit --categories and "
        "--class-agnostic");
  }
  if (options.scoreThreshold && !std::isfinite(*options.scoreThreshold))
    throw UserError("--score-threshold: must be a finite number");
  if (options.iouThreshold && !(*options.iouThreshold > 0 && *options.iouThreshold <= 1))
    throw UserError("--iou-threshold: must be above 0 and at most 1");
}

/// What is evaluated.
struct Truth {
  coco::Dataset whole;  ///< as in the file
  coco::CategorySelection selection;
  std::optional<coco::Dataset> selected;  ///< absent: the whole
  coco::Params params;

  const coco::Dataset& dataset() const { return selected ? *selected : whole; }
};

coco::ResultsFile resultsOf(const std::string& file, coco::ParsedResults parsed,
                            const Truth& truth) {
  coco::ResultsFile results(std::move(parsed), truth.whole, truth.selection);
  if (results.unknownCategoryCount() > 0) {
    base::logWarning(
        "coco-eval",
        file + ": " + std::to_string(results.unknownCategoryCount()) + " of " +
            std::to_string(results.count()) + " results " +
            (results.unknownCategoryCount() == 1 ? "has" : "have") +
            " a category that the annotations do not list; skipped, as in pycocotools");
  }
  return results;
}

CocoEvaluation evaluated(const CocoEvalOptions& options, const Truth& truth,
                         const coco::ResultsFile& results) {
  const ResultsRequest request{options.type,
                               truth.params,
                               options.withArrays,
                               options.needsAnalysis(),
                               extraMetricsOf(options),
                               options.scoreThreshold,
                               options.iouThreshold};
  if (options.compare.empty()) return evaluateResults(truth.dataset(), results, request);
  const coco::ResultsFile others =
      resultsOf(options.compare, coco::ParsedResults::load(options.compare), truth);
  const ComparedResults compared{options.dt, options.compare, others};
  return evaluateResults(truth.dataset(), results, request, &compared);
}

Inputs cocoEvalInputs(const CocoEvalOptions& options) {
  Inputs inputs;
  inputs.add(options.gt, "--gt");
  inputs.add(options.dt, "--dt");
  inputs.add(options.compare, "--compare");
  inputs.addImages(options.images, "--images");
  return inputs;
}

Truth truthOf(const CocoEvalOptions& options, const coco::Params& params) {
  Truth truth{coco::Dataset::load(options.gt), {}, {}, params};
  if (const std::string text = truth.whole.newIds().text(); !text.empty())
    base::logWarning("coco-eval", options.gt + ": " + text);
  requireMasks(truth.whole, options.gt, extraMetricsOf(options));
  if (options.type != "bbox" && truth.whole.hasOnlyBoxes()) {
    throw UserError("--type " + options.type + ": needs masks, and no object of " + options.gt +
                    " has one; use --type bbox");
  }
  if (!options.needsMasks()) truth.whole.forgetMasks();
  truth.selection = selectionOf(options.params, truth.whole);
  if (!truth.selection.isAll())
    truth.selected = coco::selectCategories(truth.whole, truth.selection);
  if (const std::string text = coco::idZeroText(truth.dataset());
      !text.empty() && !params.pycocotoolsExact)
    base::logWarning("coco-eval", options.gt + ": " + text);
  return truth;
}

int runCocoEval(const CocoEvalOptions& options) {
  checkCocoEvalOptions(options);
  const coco::Params params = paramsOf(options.params);
  const Inputs inputs = cocoEvalInputs(options);
  std::optional<OutputFile> out, report;
  if (!options.out.empty()) out.emplace(options.out, "--out", inputs);
  if (!options.report.empty()) report.emplace(options.report, "--report", inputs);
  if (out && report && out->isSameAs(*report))
    throw UserError("--report " + options.report + ": --out is the same file");
  // The two files side by side: parts of reading each take one core alone.
  auto parsed =
      std::async(std::launch::async, [&options] { return coco::ParsedResults::load(options.dt); });
  const Truth truth = truthOf(options, params);
  const coco::Dataset& groundTruth = truth.dataset();
  const coco::ResultsFile results = resultsOf(options.dt, parsed.get(), truth);
  const CocoEvaluation evaluation = evaluated(options, truth, results);
  if (out) out->write(cocoEvalJson(evaluation, groundTruth, options.withMatches));
  if (report) {
    writeReport(*report, {options.gt, options.dt, options.images, kMaxDetectionsOption},
                groundTruth, results, evaluation);
  }
  const bool usesStdout =
      (out && out->isStandardOutput()) || (report && report->isStandardOutput());
  if (!usesStdout) {
    base::printText(
        cocoEvalTable(evaluation, groundTruth, options.withAnalysis || options.withMatches));
  }
  return static_cast<int>(ExitStatus::Done);
}

void addAnalysisOptions(Command& command, CocoEvalOptions& options, Option out) {
  command
      .option(
          "--compare", options.compare,
          "Second results file: compare its AP with that of --dt by a paired bootstrap over images")
      .metavar("F");
  command.flag(
      "--analysis", options.withAnalysis,
      "Add confidence intervals of AP, the AP lost to each type of error, and TP, FP and FN at a "
      "score and an IoU threshold");
  command
      .flag("--matches", options.withMatches,
            "As --analysis, and write the match of every detection and object to --out")
      .needs(out);
  Option report = command
                      .option("--report", options.report,
                              "Write an HTML report: tables, curves and the worst images")
                      .metavar("F.html");
  command
      .option("--images", options.images, "Folder of the image files, to show them in the report")
      .metavar("DIR")
      .needs(report);
  command
      .option("--score-threshold", options.scoreThreshold,
              "Score threshold (default: the one with the best F1), for --analysis, --matches, "
              "--report and --figures")
      .metavar("S");
  command
      .option(
          "--iou-threshold", options.iouThreshold,
          "IoU threshold of a true positive (default: 0.5), for --analysis, --matches, --report "
          "and the best F1 of --figures")
      .metavar("T");
}

}  // namespace

void addCocoEvalCommand(Command& program) {
  Command command = program.command(
      "coco-eval", "Compute COCO's twelve metrics of a results file, and analyze its errors");
  auto options = std::make_shared<CocoEvalOptions>();
  command.option("--gt", options->gt, "Ground truth: COCO annotations").required().metavar("F");
  command.option("--dt", options->dt, "Detections: COCO results").required().metavar("F");
  command.option("--type", options->type, "IoU of boxes, masks or mask boundaries")
      .required()
      .metavar("bbox|segm|boundary")
      .oneOf({"bbox", "segm", "boundary"});
  Option out =
      command.option("--out", options->out, "Write all results as JSON (-: standard output)")
          .metavar("F.json");
  command
      .flag("--precision", options->withArrays,
            "Add pycocotools' precision, recall and scores arrays to --out")
      .needs(out);
  addParamOptions(command, options->params);
  addFiguresOption(command, options->figures);
  addAnalysisOptions(command, *options, out);
  command.run([options] { return runCocoEval(*options); });
}

}  // namespace lockstep::cli
