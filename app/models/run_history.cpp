#include "app/models/run_history.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/error.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

namespace tags = events::tags;

void insertStep(std::vector<std::int64_t>& steps, std::int64_t step) {
  const auto at = std::lower_bound(steps.begin(), steps.end(), step);
  if (at == steps.end() || *at != step) steps.insert(at, step);
}

/// seq of a message that is an event of the log; nothing for the others.
std::optional<std::int64_t> seqOf(const protocol::EngineMessage& message) {
  return std::visit(
      [](const auto& event) -> std::optional<std::int64_t> {
        if constexpr (requires { event.time; }) {
          return event.seq;
        } else {
          return std::nullopt;
        }
      },
      message);
}

constexpr double kProgressSeconds = 10;

/// ` loss_total=0.53` of a tag at exactly this step, or nothing.
std::string valueAt(const MetricStore& metrics, const char* tag, std::int64_t step) {
  const MetricSeries* series = metrics.series(tag);
  if (!series || series->size() == 0 || series->step(series->size() - 1) != step) return {};
  char value[32];
  std::snprintf(value, sizeof value, "=%.4g", series->value(series->size() - 1));
  return " " + std::string(tags::nameIn(tag)) + value;
}

}  // namespace

void RunHistory::add(const events::Record& record) {
  if (record.seq <= lastSeq_) return;
  lastSeq_ = record.seq;
  if (record.kind == events::Record::Kind::Scalars) {
    metrics_.append(record.step, record.wallTime, record.scalars);
    logProgress(record.seq, record.step, record.wallTime);
  }
  if (record.kind == events::Record::Kind::Event)
    applyEvent(record.json, record.seq, record.step, record.wallTime);
  // The engine has cut the file; of a foreign log, what lies at or after the new start is an
  // orphan.
  if (record.kind == events::Record::Kind::SessionStart) metrics_.cutAfter(record.step - 1);
}

void RunHistory::add(const events::RecordView& record, const std::vector<std::string>& tags) {
  if (record.seq <= lastSeq_) return;
  lastSeq_ = record.seq;
  if (record.kind == events::Record::Kind::Scalars) {
    const bool sameTags = std::equal(
        record.scalars.begin(), record.scalars.end(), viewedTags_.begin(), viewedTags_.end(),
        [](const events::ScalarView& scalar, std::size_t tag) { return scalar.tag == tag; });
    if (!sameTags) {
      viewedTags_.clear();
      viewedValues_.clear();
      for (const events::ScalarView& scalar : record.scalars) {
        viewedTags_.push_back(scalar.tag);
        viewedValues_.push_back({tags[scalar.tag], 0});
      }
    }
    for (std::size_t i = 0; i < viewedValues_.size(); ++i)
      viewedValues_[i].second = record.scalars[i].value;
    metrics_.append(record.step, record.wallTime, viewedValues_);
    logProgress(record.seq, record.step, record.wallTime);
  }
  if (record.kind == events::Record::Kind::Event)
    applyEvent(record.json, record.seq, record.step, record.wallTime);
  if (record.kind == events::Record::Kind::SessionStart) metrics_.cutAfter(record.step - 1);
}

/// A line of progress every ten seconds of the run's own time, so that the same records give the
/// same lines.
void RunHistory::logProgress(std::int64_t seq, std::int64_t step, double time) {
  const MetricSeries* loss = metrics_.series(tags::kTrainTotalLoss);
  if (!loss || loss->size() == 0 || loss->step(loss->size() - 1) != step) return;
  if (time - lastProgress_ < kProgressSeconds) return;
  lastProgress_ = time;
  std::string text = "step=" + std::to_string(step);
  for (const char* tag : {tags::kTrainTotalLoss, tags::kLearningRate, tags::kImagesPerSecond})
    text += valueAt(metrics_, tag, step);
  log_.push_back({seq, step, time, "step", text});
}

void RunHistory::logEvent(const protocol::EngineMessage& event) {
  if (const auto* state = std::get_if<protocol::State>(&event)) {
    // An evaluation has a line of its own; going into it and back needs none.
    const bool wasEvaluating = state_ && state_->state == "evaluating";
    if (state->state == "evaluating" || (state->state == "running" && wasEvaluating)) return;
    const bool failed = state->error.has_value();
    log_.push_back({state->seq, state->step, state->time, failed ? "error" : "info",
                    state->state + " step=" + std::to_string(state->step) +
                        (failed ? ": " + state->error->message : "")});
  } else if (const auto* evaluation = std::get_if<protocol::Evaluation>(&event)) {
    std::string text = "evaluation step=" + std::to_string(evaluation->step);
    for (const char* tag : {tags::kEvalTotalLoss, tags::kMaskAp, tags::kBoxAp})
      text += valueAt(metrics_, tag, evaluation->step);
    log_.push_back({evaluation->seq, evaluation->step, evaluation->time, "info", text});
  } else if (const auto* checkpoint = std::get_if<protocol::Checkpoint>(&event)) {
    log_.push_back({checkpoint->seq, checkpoint->step, checkpoint->time, "info",
                    checkpoint->path + (checkpoint->best ? " (best)" : "")});
  }
}

void RunHistory::applyEvent(std::string_view json, std::int64_t seq, std::int64_t step,
                            double time) {
  try {
    apply(protocol::decodeEvent(json, seq, step, time));
  } catch (const Error& error) {
    log_.push_back({seq, step, time, "warning",
                    std::string("an event of the log cannot be read: ") + error.what()});
  }
}

bool RunHistory::add(const protocol::EngineMessage& message) {
  if (const auto* reset = std::get_if<protocol::Reset>(&message)) {
    forgetAfter(reset->seq, reset->step);
    return true;
  }
  const auto seq = seqOf(message);
  if (!seq || *seq <= lastSeq_) return false;
  lastSeq_ = *seq;
  apply(message);
  return true;
}

void RunHistory::apply(const protocol::EngineMessage& message) {
  logEvent(message);
  if (const auto* scalars = std::get_if<protocol::Scalars>(&message)) {
    metrics_.append(scalars->step, scalars->time, scalars->values);
    logProgress(scalars->seq, scalars->step, scalars->time);
  } else if (const auto* state = std::get_if<protocol::State>(&message)) {
    state_ = *state;
  } else if (const auto* log = std::get_if<protocol::Log>(&message)) {
    log_.push_back({log->seq, log->step, log->time, log->level, log->text});
  } else if (const auto* checkpoint = std::get_if<protocol::Checkpoint>(&message)) {
    if (checkpoint->best)
      for (auto& earlier : checkpoints_) earlier.best = false;
    checkpoints_.push_back(*checkpoint);
  } else if (const auto* evaluation = std::get_if<protocol::Evaluation>(&message)) {
    insertStep(evaluationSteps_, evaluation->step);
  } else if (const auto* predictions = std::get_if<protocol::Predictions>(&message)) {
    insertStep(predictionSteps_, predictions->step);
  } else if (const auto* alert = std::get_if<protocol::Alert>(&message)) {
    alerts_.push_back(*alert);
  }
}

void RunHistory::forgetAfter(std::int64_t seq, std::int64_t step) {
  metrics_.cutAfter(step);
  auto isLater = [&](const auto& event) { return event.seq > seq || event.step > step; };
  log_.erase(std::remove_if(log_.begin(), log_.end(), isLater), log_.end());
  checkpoints_.erase(std::remove_if(checkpoints_.begin(), checkpoints_.end(), isLater),
                     checkpoints_.end());
  auto isLaterStep = [&](std::int64_t other) { return other > step; };
  for (auto* steps : {&evaluationSteps_, &predictionSteps_})
    steps->erase(std::remove_if(steps->begin(), steps->end(), isLaterStep), steps->end());
  std::erase_if(alerts_, isLater);
  if (state_ && isLater(*state_)) state_.reset();
  lastProgress_ = 0;
  lastSeq_ = std::min(lastSeq_, seq);
}

}  // namespace lockstep::app
