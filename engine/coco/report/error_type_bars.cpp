#include <algorithm>

#include "engine/base/number_text.h"
#include "engine/coco/report/html.h"
#include "engine/coco/report/sections.h"

namespace lockstep::coco::report {
namespace {

struct Row {
  const char *name, *meaning;
  ErrorCost cost;
};

std::vector<Row> rowsOf(const ErrorCosts& errors) {
  std::vector<Row> rows;
  for (std::size_t e = 0; e < kErrorTypeCount; ++e)
    rows.push_back({kErrorTypeWords[e].name, kErrorTypeWords[e].sentence, errors.types[e]});
  rows.push_back({"all false positives", "The first five", errors.falsePositives});
  rows.push_back({"all false negatives", "", errors.falseNegatives});
  return rows;
}

std::string drawnRow(const Row& row, double highest, std::size_t index) {
  constexpr double kLeft = 226, kWidth = 218, kStep = 34;
  const double y = static_cast<double>(index) * kStep + (index >= kErrorTypeCount ? 12 : 0);
  const double width = highest > 0 ? kWidth * row.cost.apCost / highest : 0;
  const auto text = [&](const char* style, double x, double dy, const std::string& content) {
    return std::string("<text class=\"") + style + "\" x=\"" + coordinate(x) + "\" y=\"" +
           coordinate(y + dy) + "\">" + content + "</text>";
  };
  return text("begin", 0, 15, row.name) + text("faint", 0, 29, row.meaning) +
         text("end", kLeft - 10, 15, grouped(row.cost.count)) + "<rect class=\"" +
         (index < kErrorTypeCount ? "cost" : "cost all") + "\" x=\"" + coordinate(kLeft) +
         "\" y=\"" + coordinate(y + 3) + "\" width=\"" + coordinate(width) + "\" height=\"16\"/>" +
         text("begin", kLeft + width + 8, 16, base::signedNumber(row.cost.apCost, 3)) + "\n";
}

}  // namespace

std::string errorTypeBars(const Analysis& analysis) {
  const ErrorCosts& errors = analysis.errors;
  if (errors.ap < 0) return "";
  const std::vector<Row> rows = rowsOf(errors);
  double highest = 0;
  for (const Row& row : rows) highest = std::max(highest, row.cost.apCost);
  std::string text =
      "<section>\n<h2>Errors and their AP cost</h2>\n<p class=\"note\">Detections of every score "
      "at "
      "IoU ≥ " +
      base::shortNumber(analysis.iouThreshold, 4) +
      ": how many errors of each kind, and by how much AP (" + figure(errors.ap) +
      ") rises if they alone are fixed (TIDE's dAP). The costs do not add up.</p>\n"
      "<svg class=\"chart\" viewBox=\"0 0 500 288\" role=\"img\" aria-label=\"AP cost "
      "of errors\">\n";
  for (std::size_t i = 0; i < rows.size(); ++i) text += drawnRow(rows[i], highest, i);
  return text + "</svg>\n</section>\n";
}

}  // namespace lockstep::coco::report
