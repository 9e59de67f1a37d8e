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

/// Whatever the command line says wrong, before any work.
void check(const CocoEvalOptions& options) {
  for (const std::string& file : {options.gt, options.dt, options.compare}) {
    if (file.empty()) continue;
    const std::string fault = base::inputFileFault(file, "a JSON file");
    if (!fault.empty()) throw base::mendable(file + ": " + fault);
  }
  if (!options.images.empty() && !isFolder(options.images))
    throw base::mendable("--images " + options.images + ": no such folder");
  if (options.scoreThreshold && !options.needsAnalysis())
    throw base::mendable("--score-threshold is for --analysis, --matches and --report");
  if (options.iouThreshold && !options.needsAnalysis())
    throw base::mendable("--iou-threshold is for --analysis, --matches and --report");
  if (options.scoreThreshold && !std::isfinite(*options.scoreThreshold))
    throw base::mendable("--score-threshold: must be a finite number");
  if (options.iouThreshold && !(*options.iouThreshold > 0 && *options.iouThreshold <= 1))
    throw base::mendable("--iou-threshold: must be above 0 and at most 1");
}

coco::ResultsFile loadResults(const std::string& file, const coco::Dataset& groundTruth) {
  auto results = coco::ResultsFile::load(file, groundTruth);
  if (results.strangerCount() > 0) {
    base::logWarning("coco-eval",
                     file + ": " + std::to_string(results.strangerCount()) + " of " +
                         std::to_string(results.count()) +
                         " results are of categories that the annotations do not name; they "
                         "are left out, as pycocotools does");
  }
  return results;
}

coco::ResultsComparison compare(const CocoEvalOptions& options, const coco::Dataset& groundTruth,
                                const coco::WeighedAp& results) {
  const auto others = loadResults(options.compare, groundTruth);
  const auto matches = coco::matchResults(groundTruth, others, iouType(options.type));
  const coco::WeighedAp weighed(matches, groundTruth.categories());
  return {options.dt, options.compare, groundTruth.images().size(),
          coco::accumulate(matches, groundTruth.categories()), coco::compareAp(results, weighed)};
}

CocoEvaluation evaluated(const CocoEvalOptions& options, const coco::Dataset& groundTruth,
                         const coco::ResultsFile& results) {
  const coco::IouType type = iouType(options.type);
  const auto matches = coco::matchResults(groundTruth, results, type);
  CocoEvaluation evaluation;
  evaluation.type = options.type;
  evaluation.figures = coco::accumulate(matches, groundTruth.categories());
  if (options.withArrays)
    evaluation.arrays = coco::accumulateArrays(matches, groundTruth.categories());
  if (!options.needsAnalysis() && options.compare.empty()) return evaluation;
  const coco::WeighedAp weighed(matches, groundTruth.categories());
  if (!options.compare.empty()) evaluation.comparison = compare(options, groundTruth, weighed);
  if (options.needsAnalysis()) {
    evaluation.analysis =
        coco::analyse(coco::OverlapSet(groundTruth, results, type), weighed,
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
                        .figures = evaluation.figures,
                        .analysis = *evaluation.analysis,
                        .comparison = evaluation.comparison ? &*evaluation.comparison : nullptr,
                        .imagesFolder = options.images});
  file.write(report.html);
  if (report.missingImages.empty()) return;
  const std::size_t count = report.missingImages.size();
  base::logWarning("coco-eval", options.report + ": without " + std::to_string(count) +
                                    (count == 1 ? " picture: " : " pictures, the first of them ") +
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
    throw base::mendable("--report " + options.report + ": --out is the same file");
  const auto groundTruth = coco::Dataset::load(options.gt);
  if (const std::string text = groundTruth.newIds().text(); !text.empty())
    base::logWarning("coco-eval", options.gt + ": " + text);
  const auto results = loadResults(options.dt, groundTruth);
  const CocoEvaluation evaluation = evaluated(options, groundTruth, results);
  if (out) out->write(cocoEvalJson(evaluation, groundTruth, options.withMatches));
  if (report) writeReport(*report, options, groundTruth, results, evaluation);
  const bool isTaken = (out && out->isStandardOutput()) || (report && report->isStandardOutput());
  if (!isTaken) {
    std::fputs(cocoEvalTable(evaluation, options.withAnalysis || options.withMatches).c_str(),
               stdout);
  }
  return static_cast<int>(ExitStatus::Done);
}

void addAnalysisOptions(Command& command, CocoEvalOptions& options, Option out) {
  command
      .option("--compare", options.compare,
              "Other results: are they better than --dt? By a paired bootstrap over images")
      .text("F");
  command.flag("--analysis", options.withAnalysis,
               "Also how sure AP is, what kinds of errors cost how much of it, and counts at a "
               "score and an IoU threshold");
  command
      .flag("--matches", options.withMatches,
            "--analysis, and in --out what became of every detection and object")
      .needs(out);
  Option report = command
                      .option("--report", options.report,
                              "All of it as one page: tables, curves and the worst images")
                      .text("F.html");
  command
      .option("--images", options.images,
              "Folder of the image files, which the page then shows under the outlines")
      .text("DIR")
      .needs(report);
  command
      .option("--score-threshold", options.scoreThreshold,
              "Score from which a detection counts (default: that of the best F1)")
      .text("S");
  command
      .option("--iou-threshold", options.iouThreshold,
              "IoU from which a detection is right (default: 0.5)")
      .text("T");
}

}  // namespace

void addCocoEvalCommand(Command& program) {
  Command command = program.command(
      "coco-eval", "COCO's twelve figures of a results file, and what lies behind them");
  auto options = std::make_shared<CocoEvalOptions>();
  command.option("--gt", options->gt, "Annotations").required().text("F");
  command.option("--dt", options->dt, "Results").required().text("F");
  command.option("--type", options->type, "Overlap of boxes, of masks or of their boundaries")
      .required()
      .text("bbox|segm|boundary")
      .oneOf({"bbox", "segm", "boundary"});
  Option out = command.option("--out", options->out, "Everything as JSON (-: standard output)")
                   .text("F.json");
  command
      .flag("--precision", options->withArrays,
            "Also every precision, recall and score in --out, as pycocotools keeps them")
      .needs(out);
  addAnalysisOptions(command, *options, out);
  command.run([options] { return evaluate(*options); });
}

}  // namespace lockstep::cli
