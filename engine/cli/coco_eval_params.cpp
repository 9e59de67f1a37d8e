#include "engine/cli/coco_eval_params.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/cli/command_line.h"

namespace lockstep::cli {

std::vector<std::string> listItems(const std::string& text) {
  std::vector<std::string> items{""};
  for (const char c : text) {
    if (c == ',') {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

namespace {

template <typename Number>
std::optional<Number> numberIn(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

UserError refusal(const char* option, const std::string& value, const std::string& expected) {
  return UserError(std::string(option) + " " + base::shortened(value) + ": expected " + expected);
}

template <typename Number>
bool isRising(const std::vector<Number>& values) {
  return std::ranges::adjacent_find(values, std::greater_equal()) == values.end();
}

void readMaxDetections(const std::string& text, coco::Params& params) {
  constexpr std::size_t kMost = 1'000'000;  // as the message says
  std::vector<std::size_t> counts;
  for (const std::string& part : listItems(text)) {
    const auto count = numberIn<std::size_t>(part);
    if (count && *count >= 1 && *count <= kMost) counts.push_back(*count);
  }
  if (counts.size() != listItems(text).size() || counts.size() != params.maxDetections.size() ||
      !isRising(counts))
    throw refusal(
        kMaxDetectionsOption, text,
        "three numbers of detections in ascending order, at most 1000000, such as 1,10,100");
  std::ranges::copy(counts, params.maxDetections.begin());
}

coco::AreaRange areaIn(const std::string& part, const std::string& all) {
  const auto refuse = [&] {
    return refusal("--areas", all,
                   "NAME=LOW:HIGH in square pixels, separated by commas, such as "
                   "small=0:1024,medium=1024:9216,large=9216:1e10");
  };
  const std::size_t equals = part.find('='), colon = part.find(':', equals);
  if (equals == 0 || equals == std::string::npos || colon == std::string::npos) throw refuse();
  const auto lowest = numberIn<double>(part.substr(equals + 1, colon - equals - 1));
  const auto highest = numberIn<double>(part.substr(colon + 1));
  if (!lowest || !highest || !(*lowest >= 0 && *lowest < *highest)) throw refuse();
  return {{*lowest, *highest}, part.substr(0, equals)};
}

void readAreas(const std::string& text, coco::Params& params) {
  params.areas.resize(1);
  for (const std::string& part : listItems(text)) {
    coco::AreaRange area = areaIn(part, text);
    const bool isTaken =
        std::ranges::find(params.areas, area.name, &coco::AreaRange::name) != params.areas.end();
    if (isTaken)
      throw UserError(
          "--areas: '" + base::shortened(area.name) + "' is given twice" +
          (area.name == params.areas[0].name ? " (all objects have a row anyway)" : ""));
    params.areas.push_back(std::move(area));
  }
  if (params.areas.size() > coco::kMostAreas)
    throw UserError("--areas: at most " + std::to_string(coco::kMostAreas - 1) + " are possible");
}

void readIouThresholds(const std::string& text, coco::Params& params) {
  params.iouThresholds.clear();
  for (const std::string& part : listItems(text)) {
    const auto threshold = numberIn<double>(part);
    if (threshold && *threshold > 0 && *threshold <= 1) params.iouThresholds.push_back(*threshold);
  }
  if (params.iouThresholds.size() != listItems(text).size() || !isRising(params.iouThresholds))
    throw refusal("--iou-thresholds", text,
                  "numbers above 0 and at most 1 in ascending order, such as 0.5,0.75");
  if (params.iouThresholds.size() > coco::kMostIouThresholds)
    throw UserError("--iou-thresholds: at most " + std::to_string(coco::kMostIouThresholds) +
                    " are possible");
}

}  // namespace

void addParamOptions(Command& command, CocoEvalParamOptions& options) {
  command
      .option(kMaxDetectionsOption, options.maxDetections,
              "Detections per class and image that count (default: 1,10,100): AR with each, all "
              "other metrics with the last")
      .metavar("A,B,C");
  command
      .option("--areas", options.areas,
              "Sizes of objects by area in square pixels (default: COCO's small, medium, large)")
      .metavar("NAME=LOW:HIGH,...");
  command
      .option("--iou-thresholds", options.iouThresholds,
              "IoU thresholds that AP and AR are the means over (default: 0.5, 0.55 ... 0.95)")
      .metavar("T,...");
  command
      .option("--categories", options.categories,
              "Only these categories, by id or else name (default: all)")
      .metavar("ID|NAME,...");
  command.flag("--class-agnostic", options.isClassAgnostic,
               "All categories as one class (pycocotools' useCats 0)");
  addPycocotoolsExactFlag(command, options.isPycocotoolsExact);
}

void addPycocotoolsExactFlag(Command& command, bool& isExact) {
  command.flag("--pycocotools-exact", isExact,
               "Count an annotation with id 0 as missed even if it is found, as pycocotools does");
}

coco::Params paramsOf(const CocoEvalParamOptions& options) {
  coco::Params params;
  params.pycocotoolsExact = options.isPycocotoolsExact;
  if (!options.maxDetections.empty()) readMaxDetections(options.maxDetections, params);
  if (!options.areas.empty()) readAreas(options.areas, params);
  if (!options.iouThresholds.empty()) readIouThresholds(options.iouThresholds, params);
  return params;
}

coco::CategorySelection selectionOf(const CocoEvalParamOptions& options,
                                    const coco::Dataset& groundTruth) {
  coco::CategorySelection selection;
  selection.isClassAgnostic = options.isClassAgnostic;
  if (options.categories.empty()) return selection;
  const auto& known = groundTruth.categories();
  for (const std::string& text : listItems(options.categories)) {
    const auto id = numberIn<std::int64_t>(text);
    auto found = std::ranges::find_if(
        known, [&](const coco::Category& one) { return id && one.id.value == *id; });
    if (found == known.end()) found = std::ranges::find(known, text, &coco::Category::name);
    if (found == known.end())
      throw UserError("--categories: the ground truth has no category '" + base::shortened(text) +
                      "'");
    if (!selection.categories.empty() && selection.contains(found->id)) continue;
    selection.categories.push_back(found->id);
  }
  return selection;
}

}  // namespace lockstep::cli
