#include <algorithm>
#include <cstdio>
#include <numeric>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/base/utf8.h"
#include "engine/cli/coco_eval_params.h"
#include "engine/cli/coco_evaluation.h"
#include "engine/cli/evaluation_table.h"
#include "engine/cli/extra_metrics_text.h"
#include "engine/coco/analysis/operating_point.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kWorstClasses = 10, kMostConfusions = 10;

/// printf into a string.
template <typename... Values>
std::string line(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string cocoMetrics(const coco::AveragePrecision& figures) {
  std::size_t width = 6;
  for (const std::string& name : figures.names) width = std::max(width, base::utf8Length(name));
  std::string text;
  for (std::size_t i = 0; i < figures.stats.size(); ++i)
    text += padded(figures.names[i], width) + " " + metricValueText(figures.stats[i]) + "\n";
  const std::string past = figures.pastLimit.text(kMaxDetectionsOption);
  return text + (past.empty() ? "" : "\n" + past + "\n");
}

std::string intervals(const coco::ApUncertainty& uncertainty) {
  if (uncertainty.resamples == 0) return "";
  const auto row = [](const char* name, double value, const coco::Interval& interval) {
    return line("%-6s %s   %.4f to %.4f\n", name, metricValueText(value).c_str(), interval.low,
                interval.high);
  };
  return "\n95 % confidence interval over " + std::to_string(uncertainty.resamples) +
         " bootstrap resamples of the images\n" +
         row("AP", uncertainty.figures.ap, uncertainty.ap) +
         (uncertainty.figures.ap50 < 0 ? ""
                                       : row("AP50", uncertainty.figures.ap50, uncertainty.ap50));
}

std::string countsRow(const std::string& name, const coco::Counts& counts) {
  return padded(name, 20) +
         line(" %9s %7s %7s %8llu %8llu %8llu\n", metricValueText(counts.precision()).c_str(),
              metricValueText(counts.recall()).c_str(), metricValueText(counts.f1()).c_str(),
              static_cast<unsigned long long>(counts.truePositives),
              static_cast<unsigned long long>(counts.falsePositives),
              static_cast<unsigned long long>(counts.falseNegatives));
}

/// The classes to list, and whether only those with the lowest F1 are.
std::pair<std::vector<std::size_t>, bool> classesToShow(const coco::OperatingPoint& point) {
  std::vector<std::size_t> rows(point.classes.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= kMostListedClasses) return {rows, false};
  std::erase_if(rows, [&](std::size_t k) { return point.classes[k].f1() < 0; });
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return point.classes[a].f1() < point.classes[b].f1();
  });
  rows.resize(std::min(rows.size(), kWorstClasses));
  return {rows, true};
}

std::string operatingPoint(const coco::Analysis& analysis) {
  const coco::OperatingPoint& point = analysis.operatingPoint;
  std::string text =
      "\nat score >= " + base::shortNumber(analysis.scoreThreshold, 4) +
      (analysis.isAtBestF1 ? " (best F1)" : "") +
      " and IoU >= " + base::shortNumber(analysis.iouThreshold) + "\n" +
      line("%-20s %9s %7s %7s %8s %8s %8s\n", "", "precision", "recall", "F1", "TP", "FP", "FN");
  for (std::size_t s = 0; s < point.sizes.size(); ++s)
    text += countsRow(analysis.overlaps.areas()[s].name, point.sizes[s]);
  const auto [rows, areWorst] = classesToShow(point);
  text += areWorst ? "classes with the lowest F1\n" : "classes\n";
  for (const std::size_t k : rows) {
    const std::string& name = analysis.overlaps.categories()[k].name;
    text += countsRow("  " + base::shortened(name), point.classes[k]);
  }
  return text;
}

std::string confusions(const coco::Analysis& analysis) {
  const auto& categories = analysis.overlaps.categories();
  std::string rows;
  for (const auto& [actual, predicted, count] :
       coco::frequentConfusions(analysis.operatingPoint.confusion, kMostConfusions)) {
    rows += line("%8u  ", count) + base::shortened(categories[actual].name) + " -> " +
            base::shortened(categories[predicted].name) + "\n";
  }
  return rows.empty() ? "" : "\nmost frequent confusions: true class -> predicted class\n" + rows;
}

std::string errors(const coco::Analysis& analysis) {
  const coco::ErrorCosts& costs = analysis.errors;
  if (costs.ap < 0) return "";
  const auto row = [](const char* name, const coco::ErrorCost& cost) {
    return line("%-20s %8llu  %s\n", name, static_cast<unsigned long long>(cost.count),
                base::signedNumber(cost.apCost, 4).c_str());
  };
  std::string text = "\nTIDE errors (all scores): count, dAP at IoU " +
                     base::shortNumber(analysis.iouThreshold) + " (AP " +
                     metricValueText(costs.ap) + ")\n";
  for (std::size_t e = 0; e < coco::kErrorTypeCount; ++e)
    text += row(coco::kErrorTypeNames[e], costs.types[e]);
  return text + row("all false positives", costs.falsePositives) +
         row("all false negatives", costs.falseNegatives);
}

std::string comparison(const coco::ResultsComparison& comparison,
                       const coco::AveragePrecision& figures) {
  const coco::PastLimit& ofOther = comparison.figuresOfB.pastLimit;
  std::string text = "\n" + coco::verdictSentence(comparison) + "\n";
  if (ofOther != figures.pastLimit && !ofOther.isEmpty())
    text += comparison.nameB + ": " + ofOther.text(kMaxDetectionsOption) + "\n";
  return text;
}

}  // namespace

std::string cocoEvalTable(const CocoEvaluation& evaluation, const coco::Dataset& groundTruth,
                          bool withAnalysis) {
  std::string text = cocoMetrics(evaluation.metrics);
  if (evaluation.extra) text += extraMetricsTable(*evaluation.extra, groundTruth.categories());
  if (withAnalysis) {
    const coco::Analysis& analysis = *evaluation.analysis;
    text += intervals(analysis.uncertainty) + operatingPoint(analysis) + confusions(analysis) +
            errors(analysis);
  }
  if (evaluation.comparison) text += comparison(*evaluation.comparison, evaluation.metrics);
  return text;
}

}  // namespace lockstep::cli
