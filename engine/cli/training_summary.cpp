#include "engine/cli/training_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/coco/evaluation/past_limit.h"
#include "engine/config/losses.h"
#include "engine/config/lr_range_test.h"
#include "engine/events/reader.h"
#include "engine/events/tags.h"
#include "engine/protocol/json_text.h"

namespace lockstep::cli {
namespace {

namespace tags = events::tags;

/// `name: value` of a metric; "" if the evaluation does not have it.
std::string metricLine(const nlohmann::json& evaluation, const std::string& name,
                       const char* section, const char* metric) {
  if (!evaluation.contains(section) || !evaluation[section].is_object()) return {};
  const auto found = evaluation[section].find(metric);
  if (found == evaluation[section].end()) return {};
  const auto value = protocol::numberOf(*found);
  return value ? name + ": " + base::shortNumber(*value) + "\n" : "";
}

/// The objects and detections that exceed the limits of AP; "" where none do.
std::string pastLimitLine(const nlohmann::json& evaluation) {
  const auto section = evaluation.find("past_limit");
  if (section == evaluation.end() || !section->is_object()) return {};
  coco::PastLimit past;
  for (const auto& [name, count] : coco::kPastLimitMembers) {
    const auto found = section->find(name);
    const auto value = found == section->end() ? std::nullopt : protocol::integerOf(*found);
    if (value) past.*count = static_cast<std::size_t>(std::max<std::int64_t>(*value, 0));
  }
  const std::string text = past.text();
  return text.empty() ? text : text + "\n";
}

/// The step of a range test that a record has; nullopt for other records.
std::optional<config::RangeTestStep> rangeTestStep(const events::Record& record) {
  const auto valueOf = [&record](std::string_view tag) -> std::optional<float> {
    for (const auto& [name, value] : record.scalars) {
      if (name == tag) return value;
    }
    return std::nullopt;
  };
  const auto learningRate = valueOf(tags::kLearningRate), loss = valueOf(tags::kTrainTotalLoss),
             smoothed = valueOf(tags::kFindLrLoss);
  if (!learningRate || !loss || !smoothed) return std::nullopt;
  return config::RangeTestStep{*learningRate, *loss, *smoothed};
}

}  // namespace

std::string summariseTraining(const run_folder::Layout& layout) {
  const run_folder::RunInfo info = run_folder::readRunInfo(layout);
  std::string text = "run: " + layout.folder().string() + "\nstate: " + info.state.text() +
                     "\nsteps: " + std::to_string(info.step) + " of " +
                     std::to_string(info.maxSteps) + "\n";
  if (info.best) {
    text += "best " + info.best->metric + ": " + base::shortNumber(info.best->value) + " at step " +
            std::to_string(info.best->step) + "\n";
  }
  const auto evaluations = run_folder::evaluationSteps(layout);
  if (evaluations.empty()) return text;
  const auto evaluation =
      protocol::parseJson(base::readFile(layout.evaluation(evaluations.back())));
  if (!evaluation.is_object()) return text;
  text += "evaluated at step: " + std::to_string(evaluations.back()) + "\n";
  text += metricLine(evaluation, std::string("validation ") + config::kTotalLoss, "losses",
                     config::kTotalLoss);
  text += metricLine(evaluation, "segm/AP", "segm", "AP");
  text += metricLine(evaluation, "bbox/AP", "bbox", "AP");
  return text + pastLimitLine(evaluation);
}

std::string summariseRangeTest(const run_folder::Layout& layout) {
  std::vector<config::RangeTestStep> steps;
  const auto file = events::findEventFile(layout.folder());
  if (!file.empty()) {
    for (const events::Record& record : events::Reader(file).readAvailable()) {
      if (const auto step = rangeTestStep(record)) steps.push_back(*step);
    }
  }
  const auto suggestion = config::suggestLearningRates(steps);
  if (!suggestion)
    throw Error(layout.folder().string() + ": the event log lacks steps of the range test");
  return suggestion->text() + "\n";
}

}  // namespace lockstep::cli
