#include "engine/supervisor/run_hyper_parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "engine/config/fields.h"
#include "engine/config/losses.h"
#include "engine/events/tags.h"

namespace lockstep::supervisor {
namespace {

/// Beginnings of keys.
constexpr std::array<std::string_view, 7> kCompared{
    "dataset.",        "augment.",          "model.",      "solver.",
    "runtime.workers", "runtime.precision", "runtime.seed"};
constexpr std::array<std::string_view, 4> kNotCompared{"dataset.train.", "dataset.val.",
                                                       "dataset.loader_threads", "dataset.cache"};

/// Those that people vary most, as one log cannot know which differ.
constexpr std::array<std::string_view, 5> kVaried{"model.backbone", "solver.base_lr",
                                                  "solver.batch_size", "solver.max_steps",
                                                  "solver.weight_decay"};

bool isCompared(const config::Field& field) {
  const auto begins = [&field](std::string_view beginning) {
    return field.key.starts_with(beginning);
  };
  return field.isImplemented && std::ranges::any_of(kCompared, begins) &&
         std::ranges::none_of(kNotCompared, begins);
}

bool isNumber(const config::Field& field) {
  using config::FieldType;
  const bool hasNumbers = field.type == FieldType::Integer || field.type == FieldType::Number ||
                          field.type == FieldType::Duration;
  return hasNumbers && field.choices.empty() && !field.nullable;
}

}  // namespace

std::vector<events::HyperParameter> hyperParametersOf(const config::Experiment& experiment) {
  std::vector<events::HyperParameter> parameters;
  for (const config::Field& field : config::fields()) {
    if (!isCompared(field)) continue;
    events::HyperParameter& parameter = parameters.emplace_back();
    parameter.name = field.key;
    parameter.isVaried = std::ranges::find(kVaried, field.key) != kVaried.end();
    const std::string text = field.text(experiment);
    if (field.type == config::FieldType::Bool) {
      parameter.value = text == "true";
    } else if (isNumber(field)) {
      double number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      parameter.value = number;
    } else {
      parameter.value = text;
    }
  }
  return parameters;
}

/// TensorBoard shows the first five unless told otherwise.
std::vector<std::string> comparedMetrics() {
  std::vector<std::string> metricTags{events::tags::kMaskAp, events::tags::kBoxAp,
                                      events::tags::kEvalTotalLoss, events::tags::kTrainTotalLoss};
  for (const char* name : {"segm/AP50", "segm/AP75", "bbox/AP50", "bbox/AP75"})
    metricTags.push_back(events::tags::eval(name));
  for (const config::LossFacts& loss : config::kLosses)
    metricTags.push_back(events::tags::eval(loss.name));
  return metricTags;
}

/// A stopped run may be resumed: it is neither.
events::SessionStatus sessionStatusOf(protocol::RunState state) {
  switch (state) {
    case protocol::RunState::Finished:
      return events::SessionStatus::Success;
    case protocol::RunState::Failed:
      return events::SessionStatus::Failure;
    default:
      return events::SessionStatus::Unknown;
  }
}

}  // namespace lockstep::supervisor
