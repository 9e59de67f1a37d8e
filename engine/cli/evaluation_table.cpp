#include "engine/cli/evaluation_table.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/coco/evaluation/average_precision.h"
#include "engine/config/losses.h"
#include "engine/protocol/json_text.h"

namespace lockstep::cli {
namespace {

std::string row(const std::string& name, const std::string& first, const std::string& second = "") {
  char text[160];
  std::snprintf(text, sizeof text, second.empty() ? "%-18s %10s%s\n" : "%-18s %10s %10s\n",
                name.c_str(), first.c_str(), second.c_str());
  return text;
}

std::string figureIn(const nlohmann::json& section, const char* name) {
  if (!section.is_object() || !section.contains(name)) return "-";
  const auto value = protocol::numberOf(section[name]);
  return value ? figureText(*value) : "-";
}

std::string lossRows(const nlohmann::json& losses) {
  std::string text;
  for (const char* name : config::kLossNames) {
    const auto value = losses.contains(name) ? protocol::numberOf(losses[name]) : std::nullopt;
    if (value) text += row(name, base::shortNumber(*value));
  }
  return text;
}

}  // namespace

std::string figureText(double value) {
  if (value < 0) return "-";
  char number[32];
  std::snprintf(number, sizeof number, "%.4f", value);
  return number;
}

std::string evaluationTable(const std::string& json) {
  const auto evaluation = nlohmann::json::parse(json, nullptr, false);
  if (!evaluation.is_object()) throw Error("the worker's evaluation is no JSON object");
  std::string text;
  for (const char* name : {"step", "images", "bad_images"}) {
    if (evaluation.contains(name)) text += row(name, evaluation[name].dump());
  }
  if (evaluation.contains("losses") && evaluation["losses"].is_object())
    text += lossRows(evaluation["losses"]);
  const auto bbox = evaluation.value("bbox", nlohmann::json()),
             segm = evaluation.value("segm", nlohmann::json());
  if (!bbox.is_object() && !segm.is_object()) return text;
  text += "\n" + row("", "bbox", "segm");
  for (const char* name : coco::kStatNames)
    text += row(name, figureIn(bbox, name), figureIn(segm, name));
  const std::string past = pastLimitLine(evaluation);
  return text + (past.empty() ? "" : "\n") + past;
}

std::string pastLimitLine(const nlohmann::json& evaluation) {
  const auto section = evaluation.find("past_limit");
  if (section == evaluation.end() || !section->is_object()) return {};
  coco::PastLimit past;
  for (const auto& [name, count] : coco::kPastLimitMembers) {
    const auto found = section->find(name);
    const auto value = found == section->end() ? std::nullopt : protocol::integerOf(*found);
    past.*count = static_cast<std::size_t>(std::max<std::int64_t>(value.value_or(0), 0));
  }
  const std::string text = past.text();
  return text.empty() ? text : text + "\n";
}

}  // namespace lockstep::cli
