// Precision-recall and score-threshold curves.
#include <algorithm>
#include <numeric>

#include "engine/base/number_text.h"
#include "engine/coco/report/html.h"
#include "engine/coco/report/line_chart.h"
#include "engine/coco/report/sections.h"

namespace lockstep::coco::report {
namespace {

constexpr std::size_t kMostCharts = 12;

std::vector<std::array<double, 2>> pointsOf(const RecallCurve& curve) {
  std::vector<std::array<double, 2>> points;
  for (std::size_t r = 0; r < curve.size(); ++r)
    points.push_back({kRecallThresholds[r], std::max(curve[r], 0.0)});
  return points;
}

std::uint64_t objectsOf(const Analysis& analysis, std::size_t row) {
  const Counts& counts = analysis.operatingPoint.classes[row];
  return counts.truePositives + counts.falseNegatives;
}

/// Classes with objects, most objects first.
std::vector<std::size_t> byObjects(const Analysis& analysis) {
  std::vector<std::size_t> rows(analysis.curves.classes.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::erase_if(rows, [&](std::size_t k) { return objectsOf(analysis, k) == 0; });
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return objectsOf(analysis, a) > objectsOf(analysis, b);
  });
  return rows;
}

Line lineOf(const std::vector<CountsAtScore>& sweep, const char* name, const char* style,
            double (Counts::*value)() const) {
  Line line{name, style, {}};
  for (const CountsAtScore& at : sweep) {
    const double y = (at.counts.*value)();
    if (y >= 0) line.points.push_back({at.score, y});  // -1: undefined without detections
  }
  return line;
}

}  // namespace

std::string precisionRecallCurves(const Analysis& analysis) {
  const PrecisionRecall& curves = analysis.curves;
  if (curves.ap < 0) return "";
  LineChart chart{.xName = "recall", .yName = "precision", .lines = {}, .markedX = {}};
  const bool isOneClass = byObjects(analysis).size() == 1;
  chart.lines.push_back({(isOneClass ? "AP " : "mean over classes, AP ") + figure(curves.ap),
                         "line1", pointsOf(curves.meanPrecision)});
  if (!isOneClass) {
    chart.lines.push_back({"all classes pooled, AP " + figure(curves.pooled.ap), "line2",
                           pointsOf(curves.pooled.precision)});
  }
  return "<section>\n<h2>Precision against recall, IoU ≥ " +
         base::shortNumber(analysis.iouThreshold, 4) + "</h2>\n" + drawn(chart) + "</section>\n";
}

std::string classCurves(const Analysis& analysis) {
  std::vector<std::size_t> rows = byObjects(analysis);
  if (rows.size() < 2) return "";
  const std::string shown = rows.size() > kMostCharts ? "The twelve classes with the most objects"
                                                      : "Classes by their number of objects";
  rows.resize(std::min(rows.size(), kMostCharts));
  std::string text = "<section>\n<h2>Precision against recall by class</h2>\n<p class=\"note\">" +
                     shown + ", with AP at IoU ≥ " + base::shortNumber(analysis.iouThreshold, 4) +
                     "; both axes go from 0 to 1.</p>\n<div class=\"smalls\">\n";
  for (const std::size_t k : rows) {
    const PrecisionRecallCurve& curve = analysis.curves.classes[k];
    text += smallChart(analysis.overlaps.categories()[k].name, figure(curve.ap),
                       pointsOf(curve.precision));
  }
  return text + "</div>\n</section>\n";
}

std::string scoreCurves(const Analysis& analysis) {
  const auto& sweep = analysis.byScore;
  LineChart chart{.xName = "score threshold",
                  .yName = "precision, recall and F1",
                  .xLow = sweep.front().score,
                  .xHigh = sweep.back().score,
                  .lines = {},
                  .markedX = analysis.scoreThreshold};
  chart.lines.push_back(lineOf(sweep, "precision", "line1", &Counts::precision));
  chart.lines.push_back(lineOf(sweep, "recall", "line2", &Counts::recall));
  chart.lines.push_back(lineOf(sweep, "F1", "line3", &Counts::f1));
  return "<section>\n<h2>Metrics by score threshold</h2>\n" + drawn(chart) +
         "<p class=\"note\">All classes together at IoU ≥ " +
         base::shortNumber(analysis.iouThreshold, 4) + "; the vertical line is " +
         base::shortNumber(analysis.scoreThreshold, 4) +
         (analysis.isAtBestF1 ? ", where F1 is best" : "") + ".</p>\n</section>\n";
}

}  // namespace lockstep::coco::report
