#include "engine/cli/evaluation_table.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "engine/base/number_text.h"
#include "engine/base/utf8.h"

namespace lockstep::cli {
namespace {

std::string metricRow(const std::string& name, const std::string& first,
                      const std::string& second = "") {
  char text[160];
  std::snprintf(text, sizeof text, second.empty() ? "%-18s %10s%s\n" : "%-18s %10s %10s\n",
                name.c_str(), first.c_str(), second.c_str());
  return text;
}

std::string metricIn(const std::vector<protocol::Figure>& figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &protocol::Figure::name);
  return found == figures.end() ? "-" : metricValueText(found->value);
}

}  // namespace

std::string padded(std::string text, std::size_t width) {
  const std::size_t characters = base::utf8Length(text);
  if (characters < width) text.append(width - characters, ' ');
  return text;
}

std::string metricValueText(double value) {
  if (value < 0) return "-";
  char number[32];
  std::snprintf(number, sizeof number, "%.4f", value);
  return number;
}

std::string evaluationTable(const protocol::EvaluateResult& evaluation) {
  std::string text = metricRow("step", std::to_string(evaluation.step)) +
                     metricRow("images", std::to_string(evaluation.images));
  if (evaluation.badImages > 0)
    text += metricRow("bad_images", std::to_string(evaluation.badImages));
  for (const auto& [name, value] : evaluation.losses)
    text += metricRow(name, base::shortNumber(value));
  if (evaluation.bbox.empty() && evaluation.segm.empty()) return text;
  text += "\n" + metricRow("", "bbox", "segm");
  const auto& named = evaluation.bbox.empty() ? evaluation.segm : evaluation.bbox;
  for (const auto& [name, value] : named)
    text += metricRow(name, metricIn(evaluation.bbox, name), metricIn(evaluation.segm, name));
  return text + (evaluation.pastLimit.empty() ? "" : "\n" + evaluation.pastLimit + "\n");
}

}  // namespace lockstep::cli
