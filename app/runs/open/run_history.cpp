#include "app/runs/open/run_history.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "engine/base/error.h"
#include "engine/config/experiment.h"
#include "engine/config/yaml_tree.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

namespace tags = events::tags;

void insertStep(std::vector<std::int64_t>& steps, std::int64_t step) {
  const auto at = std::lower_bound(steps.begin(), steps.end(), step);
  if (at == steps.end() || *at != step) steps.insert(at, step);
}

constexpr double kProgressSeconds = 10;

/// monitor.log_every of a resolved experiment, which is in steps. Nothing but its text is read: the
/// loader would look for the experiment's files.
std::optional<std::int64_t> logEveryOf(const std::string& experiment) {
  try {
    const config::YamlNode root = config::parseYaml(experiment);
    const config::YamlNode* monitor = root.find("monitor");
    const config::YamlNode* every = monitor ? monitor->find("log_every") : nullptr;
    if (!every) return config::MonitorConfig().logEvery.steps();
    std::int64_t steps = 0;
    const char* const end = every->text.data() + every->text.size();
    const auto read = std::from_chars(every->text.data(), end, steps);
    if (read.ec == std::errc() && read.ptr == end) return steps;
  } catch (const config::YamlError&) {
  }
  return std::nullopt;
}

/// ` loss_total=0.53` if the tag's last value is of this step, else "".
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
  if (record.kind == events::Record::Kind::SessionStart) {
    std::vector<std::string> replaced;
    for (const auto& [tag, value] : record.scalars) replaced.push_back(tag);
    startSession(record.step, replaced);
  }
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
  if (record.kind == events::Record::Kind::SessionStart) {
    std::vector<std::string> replaced;
    for (const events::ScalarView& scalar : record.scalars) replaced.push_back(tags[scalar.tag]);
    startSession(record.step, replaced);
  }
}

/// The engine has truncated the file; in a log of another program, values from this step on are
/// orphaned, of all tags or of those that are replaced.
void RunHistory::startSession(std::int64_t step, const std::vector<std::string>& replaced) {
  if (!replaced.empty()) return metrics_.cutAfter(step - 1, replaced);
  metrics_.cutAfter(step - 1);
  if (step > 1) insertStep(resumeSteps_, step - 1);
}

/// Adds a progress line that engine.log has too, at most every ten seconds of the records' time, so
/// that the same records give the same lines.
void RunHistory::logProgress(std::int64_t seq, std::int64_t step, double time) {
  const MetricSeries* loss = metrics_.series(tags::kTrainTotalLoss);
  if (!loss || loss->size() == 0 || loss->step(loss->size() - 1) != step) return;
  if (time - lastProgress_ < kProgressSeconds) return;
  if (logEvery_ && (*logEvery_ == 0 || step % *logEvery_ != 0)) return;
  lastProgress_ = time;
  std::string text = "step=" + std::to_string(step);
  for (const char* tag : {tags::kTrainTotalLoss, tags::kLearningRate, tags::kImagesPerSecond})
    text += valueAt(metrics_, tag, step);
  log_.push_back({seq, step, time, LogEntry::Level::Progress, text});
}

void RunHistory::applyEvent(std::string_view json, std::int64_t seq, std::int64_t step,
                            double time) {
  try {
    std::visit([this](const auto& event) { apply(event); },
               protocol::decodeEvent(json, seq, step, time));
  } catch (const Error& error) {
    log_.push_back({seq, step, time, LogEntry::Level::Warning,
                    std::string("an event of the log cannot be read: ") + error.what()});
  }
}

bool RunHistory::add(const protocol::EngineMessage& message) {
  if (const auto* reset = std::get_if<protocol::Reset>(&message)) {
    forgetAfter(reset->seq, reset->step);
    return true;
  }
  return std::visit(
      [this](const auto& event) {
        if constexpr (requires { apply(event); }) {
          if (event.seq <= lastSeq_) return false;
          lastSeq_ = event.seq;
          apply(event);
          return true;
        }
        return false;
      },
      message);
}

void RunHistory::apply(const protocol::Scalars& scalars) {
  metrics_.append(scalars.step, scalars.time, scalars.values);
  logProgress(scalars.seq, scalars.step, scalars.time);
}

void RunHistory::apply(const protocol::Config& config) {
  logEvery_ = logEveryOf(config.experiment);
}

void RunHistory::apply(const protocol::State& state) {
  using enum protocol::RunState;
  if (state.state == Starting && state.step > 0) insertStep(resumeSteps_, state.step);
  // An evaluation has a line of its own, so entering and leaving it need none.
  const bool wasEvaluating = state_ && state_->state == Evaluating;
  if (state.state != Evaluating && !(state.state == Running && wasEvaluating)) {
    log_.push_back({state.seq, state.step, state.time,
                    state.error ? LogEntry::Level::Error : LogEntry::Level::Info,
                    state.state.text() + " step=" + std::to_string(state.step) +
                        (state.error ? ": " + state.error->message : "")});
  }
  state_ = state;
}

void RunHistory::apply(const protocol::Log& log) {
  log_.push_back({log.seq, log.step, log.time, levelOf(log.level), log.text});
}

void RunHistory::apply(const protocol::Checkpoint& checkpoint) {
  log_.push_back({checkpoint.seq, checkpoint.step, checkpoint.time, LogEntry::Level::Info,
                  checkpoint.path + (checkpoint.best ? " (best)" : "")});
  if (checkpoint.best)
    for (auto& earlier : checkpoints_) earlier.best = false;
  checkpoints_.push_back(checkpoint);
}

void RunHistory::apply(const protocol::Evaluation& evaluation) {
  std::string text = "evaluation step=" + std::to_string(evaluation.step);
  for (const char* tag : {tags::kEvalTotalLoss, tags::kMaskAp, tags::kBoxAp})
    text += valueAt(metrics_, tag, evaluation.step);
  log_.push_back({evaluation.seq, evaluation.step, evaluation.time, LogEntry::Level::Info, text});
  insertStep(evaluationSteps_, evaluation.step);
}

void RunHistory::apply(const protocol::Predictions& predictions) {
  insertStep(predictionSteps_, predictions.step);
}

void RunHistory::apply(const protocol::Alert& alert) { alerts_.push_back(alert); }

void RunHistory::forgetAfter(std::int64_t seq, std::int64_t step) {
  metrics_.cutAfter(step);
  auto isLater = [&](const auto& event) { return event.seq > seq || event.step > step; };
  log_.erase(std::remove_if(log_.begin(), log_.end(), isLater), log_.end());
  checkpoints_.erase(std::remove_if(checkpoints_.begin(), checkpoints_.end(), isLater),
                     checkpoints_.end());
  auto isLaterStep = [&](std::int64_t other) { return other > step; };
  for (auto* steps : {&evaluationSteps_, &predictionSteps_, &resumeSteps_})
    steps->erase(std::remove_if(steps->begin(), steps->end(), isLaterStep), steps->end());
  std::erase_if(alerts_, isLater);
  if (state_ && isLater(*state_)) state_.reset();
  lastProgress_ = 0;
  lastSeq_ = std::min(lastSeq_, seq);
}

}  // namespace lockstep::app
