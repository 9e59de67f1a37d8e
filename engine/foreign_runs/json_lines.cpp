#include "engine/foreign_runs/json_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/foreign_runs/foreign_tags.h"

namespace lockstep::foreign_runs {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(AppendedLines::kPaddingBytes >= simdjson::SIMDJSON_PADDING);

const char* const kFormats[] = {"a line of detectron2's metrics", "a line of mmengine's scalars"};

/// Python writes what JSON lacks: NaN, Infinity.
std::optional<double> nonFinite(std::string_view token) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (token.starts_with("NaN")) return std::nan("");
  if (token.starts_with("Infinity")) return kInfinity;
  if (token.starts_with("-Infinity")) return -kInfinity;
  return std::nullopt;
}

/// Of a value that is a number; nullopt for any other.
struct Number {
  std::optional<double> value;
  bool isValid = true;
};
Number numberIn(ondemand::value value) {
  const std::string_view token = value.raw_json_token();
  if (token.empty()) return {{}, false};
  const char first = token.front();
  if (first == 'N' || first == 'I' || token.starts_with("-I")) {
    const auto number = nonFinite(token);
    return {number, number.has_value()};
  }
  if (first != '-' && (first < '0' || first > '9')) return {};
  double number = 0;
  if (value.get_double().get(number) == simdjson::SUCCESS) return {number};
  return {{}, false};
}

/// Calls `visit` for each member that is a number. False: the line is no JSON object.
template <typename Visit>
bool forEachNumber(ondemand::parser& parser, std::string_view line, const Visit& visit) {
  ondemand::document document;
  ondemand::object object;
  const simdjson::padded_string_view padded(line.data(), line.size(),
                                            line.size() + AppendedLines::kPaddingBytes);
  if (parser.iterate(padded).get(document) || document.get_object().get(object)) return false;
  for (auto member : object) {
    std::string_view key;
    ondemand::value value;
    if (member.unescaped_key().get(key) || member.value().get(value)) return false;
    const Number number = numberIn(value);
    if (!number.isValid) return false;
    if (number.value) visit(key, *number.value);
  }
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing is behind it
}

std::optional<std::int64_t> stepOf(double value) {
  if (!(std::abs(value) <= static_cast<double>(kMaxStep)) || value != std::floor(value))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

bool JsonLines::addAppended(RecordStream& stream, Faults& faults) {
  if (!keys_)
    keys_ = {stream.numberOf("iteration"), stream.numberOf("step"), stream.numberOf("iter"),
             stream.numberOf("time"), stream.numberOf("train/time")};
  return lines_.visit(
      [&](const AppendedLines::Line& line) {
        if (!parse(line.text, stream) || !addLine(stream))
          faults.add(lines_.placeOf(line) + ": is not " +
                     kFormats[static_cast<std::size_t>(dialect_)] + "; left out");
      },
      faults);
}

bool JsonLines::parse(std::string_view line, RecordStream& stream) {
  points_.clear();
  return forEachNumber(parser_, line, [&](std::string_view key, double value) {
    points_.push_back({stream.numberOf(key), value});
  });
}

/// Removes the value of a key that is no curve.
std::optional<std::int64_t> JsonLines::takeStep(std::size_t key) {
  const auto found = std::ranges::find(points_, key, &ForeignPoint::tag);
  if (found == points_.end()) return std::nullopt;
  const auto step = stepOf(found->value);
  points_.erase(found);
  return step;
}

/// False: it has no step.
bool JsonLines::addLine(RecordStream& stream) {
  std::optional<std::int64_t> step;
  bool isTraining = true;
  if (dialect_ == Dialect::Detectron2) {
    step = takeStep(keys_->iteration);
  } else {
    const auto iteration = takeStep(keys_->iter);
    step = takeStep(keys_->step);
    isTraining = iteration.has_value();
    if (isTraining) {
      step = iteration;
    } else if (step && lastTrainingStep_) {
      // The step of an evaluation is its epoch, unless it is told to count training steps.
      step = std::max(*step, *lastTrainingStep_);
    }
  }
  if (!step) return false;
  if (isTraining) {
    passTime(*step);
  } else {
    markAsEvaluation(stream);
  }
  stream.add(*step, time_, points_);
  return true;
}

/// mmengine gives losses and times of an evaluation the names that those of a training step have.
void JsonLines::markAsEvaluation(RecordStream& stream) {
  for (ForeignPoint& point : points_) {
    if (isOfTraining(stream.nameOf(point.tag)))
      point.tag = stream.numberOf("val/" + stream.nameOf(point.tag));
  }
}

void JsonLines::passTime(std::int64_t step) {
  for (const ForeignPoint& point : points_) {
    const bool isTime = point.tag == keys_->time || point.tag == keys_->trainTime;
    if (isTime && std::isfinite(point.value) && point.value >= 0) stepSeconds_ = point.value;
  }
  if (lastTrainingStep_ && step > *lastTrainingStep_)
    time_ += stepSeconds_ * static_cast<double>(step - *lastTrainingStep_);
  lastTrainingStep_ = step;
}

std::optional<std::int64_t> lastStepIn(Dialect dialect, std::string_view line) {
  std::optional<std::int64_t> step;
  simdjson::ondemand::parser parser;
  const bool isWhole = forEachNumber(parser, line, [&](std::string_view key, double value) {
    if (key == (dialect == Dialect::Detectron2 ? "iteration" : "iter")) step = stepOf(value);
  });
  return isWhole ? step : std::nullopt;
}

}  // namespace lockstep::foreign_runs
