#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/log.h"
#include "engine/cli/coco_evaluation.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"
#include "engine/coco/report/report.h"

namespace lockstep::cli {
namespace {

struct CocoEvalOptions {
  std::string gt, dt, type, out, compare, report, images;
  bool withArrays = false, withAnalysis = false, withMatches = false;
  std::optional<double> scoreThreshold, iouThreshold;

  bool needsAnalysis() const { return withAnalysis || withMatches || !report.empty(); }
};

coco::IouType iouType(const std::string& name) {
  if (name == "bbox") return coco::IouType::Box;
  return name == "segm" ? coco::IouType::Mask : coco::IouType::Boundary;
}

/// Validates the command line before any work.
void check(const CocoEvalOptions& options) {
  for (const std::string& file : {options.gt, options.dt, options.compare}) {
    if (file.empty()) continue;
    const std::string error = base::inputFileError(file, "a JSON file");
    if (!error.empty()) throw UserError(file + ": " + error);
  }
  if (!options.images.empty() && !isFolder(options.images))
    throw UserError("--images " + options.images + ": no such folder");
  if (options.scoreThreshold && !options.needsAnalysis())
    throw UserError("--score-threshold is for --analysis, --matches and --report");
  if (options.iouThreshold && !options.needsAnalysis())
    throw UserError("--iou-threshold is for --analysis, --matches and --report");
  if (options.scoreThreshold && !std::isfinite(*options.scoreThreshold))
    throw UserError("--score-threshold: must be a finite number");
  if (options.iouThreshold && !(*options.iouThreshold > 0 && *options.iouThreshold <= 1))
    throw UserError("--iou-threshold: must be above 0 and at most 1");
}

coco::ResultsFile loadResults(const std::string& file, const coco::Dataset& groundTruth) {
  auto results = coco::ResultsFile::load(file, groundTruth);
  if (results.unknownCategoryCount() > 0) {
    base::logWarning("coco-eval",
                     file + ": " + std::to_string(results.unknownCategoryCount()) + " of " +
                         std::to_string(results.count()) +
                         " results have a category that the annotations do not list; they are "
                         "skipped, as in pycocotools");
  }
  return results;
}

coco::ResultsComparison compare(const CocoEvalOptions& options, const coco::Dataset& groundTruth,
                                const coco::WeightedAp& results) {
  const auto others = loadResults(options.compare, groundTruth);
  const auto matches = coco::matchResults(groundTruth, others, iouType(options.type));
  const coco::WeightedAp weighted(matches, groundTruth.categories());
  return {options.dt, options.compare, groundTruth.images().size(),
          coco::accumulate(matches, groundTruth.categories()), coco::compareAp(results, weighted)};
}

CocoEvaluation evaluated(const CocoEvalOptions& options, const coco::Dataset& groundTruth,
                         const coco::ResultsFile& results) {
  const coco::IouType type = iouType(options.type);
  const auto matches = coco::matchResults(groundTruth, results, type);
  CocoEvaluation evaluation;
  evaluation.type = options.type;
  evaluation.metrics = coco::accumulate(matches, groundTruth.categories());
  if (options.withArrays)
    evaluation.arrays = coco::accumulateArrays(matches, groundTruth.categories());
  if (!options.needsAnalysis() && options.compare.empty()) return evaluation;
  const coco::WeightedAp weighted(matches, groundTruth.categories());
  if (!options.compare.empty()) evaluation.comparison = compare(options, groundTruth, weighted);
  if (options.needsAnalysis()) {
    evaluation.analysis =
        coco::analyse(coco::OverlapSet(groundTruth, results, type), weighted,
                      {options.iouThreshold.value_or(.5), options.scoreThreshold});
  }
  return evaluation;
}

void writeReport(const OutputFile& file, const CocoEvalOptions& options,
                 const coco::Dataset& groundTruth, const coco::ResultsFile& results,
                 const CocoEvaluation& evaluation) {
  const coco::Report report =
      coco::makeReport({.groundTruthName = options.gt,
                        .resultsName = options.dt,
                        .type = iouType(options.type),
                        .groundTruth = groundTruth,
                        .results = results,
                        .figures = evaluation.metrics,
                        .analysis = *evaluation.analysis,
                        .comparison = evaluation.comparison ? &*evaluation.comparison : nullptr,
                        .imagesFolder = options.images});
  file.write(report.html);
  if (report.missingImages.empty()) return;
  const std::size_t count = report.missingImages.size();
  base::logWarning("coco-eval", options.report + ": " + std::to_string(count) +
                                    (count == 1 ? " image is missing: "
                                                : " images are missing, the first of them ") +
                                    report.missingImages.front());
}

Inputs inputsOf(const CocoEvalOptions& options) {
  Inputs inputs;
  inputs.add(options.gt, "--gt");
  inputs.add(options.dt, "--dt");
  inputs.add(options.compare, "--compare");
  inputs.addImages(options.images, "--images");
  return inputs;
}

int evaluate(const CocoEvalOptions& options) {
  check(options);
  const Inputs inputs = inputsOf(options);
  std::optional<OutputFile> out, report;
  if (!options.out.empty()) out.emplace(options.out, "--out", inputs);
  if (!options.report.empty()) report.emplace(options.report, "--report", inputs);
  if (out && report && out->isSameAs(*report))
    throw UserError("--report " + options.report + ": --out is the same file");
  const auto groundTruth = coco::Dataset::load(options.gt);
  if (const std::string text = groundTruth.newIds().text(); !text.empty())
    base::logWarning("coco-eval", options.gt + ": " + text);
  const auto results = loadResults(options.dt, groundTruth);
  const CocoEvaluation evaluation = evaluated(options, groundTruth, results);
  if (out) out->write(cocoEvalJson(evaluation, groundTruth, options.withMatches));
  if (report) writeReport(*report, options, groundTruth, results, evaluation);
  const bool usesStdout =
      (out && out->isStandardOutput()) || (report && report->isStandardOutput());
  if (!usesStdout) {
    std::fputs(cocoEvalTable(evaluation, options.withAnalysis || options.withMatches).c_str(),
               stdout);
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
              "Score threshold (default: the one with the best F1), for --analysis, --matches and "
              "--report")
      .metavar("S");
  command
      .option("--iou-threshold", options.iouThreshold,
              "IoU threshold of a true positive (default: 0.5), for --analysis, --matches and "
              "--report")
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
  addAnalysisOptions(command, *options, out);
  command.run([options] { return evaluate(*options); });
}

}  // namespace lockstep::cli
