#include "engine/supervisor/event_log.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/events/event_record.h"
#include "engine/events/reader.h"
#include "engine/events/tags.h"

namespace lockstep::supervisor {
namespace {

bool hasTrainingLoss(const protocol::Scalars& scalars) {
  return std::ranges::any_of(scalars.values, [](const auto& value) {
    return value.first == events::tags::kTrainTotalLoss;
  });
}

}  // namespace

EventLogSummary summariseEventLog(const std::filesystem::path& eventFile) {
  EventLogSummary summary;
  if (eventFile.empty()) return summary;
  events::Reader reader(eventFile);
  std::int64_t trainedStep = 0;
  while (auto record = reader.next()) {
    summary.newestSeq = record->seq;
    // The end of a session is at a step that was not trained.
    if (record->kind == events::Record::Kind::HyperParameters) {
      summary.hasHyperParameters = true;
      continue;
    }
    summary.newestStep = record->step;
    if (record->kind == events::Record::Kind::SessionStart) {
      summary.lastRestart = protocol::Reset{record->seq - 1, record->step - 1};
      if (!summary.firstRestart) summary.firstRestart = summary.lastRestart;
      summary.alerts.forgetFrom(record->step);
    }
    const auto event = events::eventOf(*std::move(record));
    if (!event) continue;
    summary.newestSentSeq = summary.newestSeq;
    const auto* scalars = std::get_if<protocol::Scalars>(&*event);
    if (scalars != nullptr && scalars->step > trainedStep && hasTrainingLoss(*scalars)) {
      trainedStep = scalars->step;
      ++summary.trainedSteps;
    }
    if (const auto* recorded = std::get_if<protocol::Alert>(&*event)) {
      std::erase_if(summary.unrecordedAlerts, [&](const protocol::Alert& found) {
        return found.kind == recorded->kind &&
               (found.text == recorded->text ||
                (!found.key.empty() && found.tags == recorded->tags));  // in another wording
      });
    }
    for (protocol::Alert& alert : summary.alerts.add(*event))
      summary.unrecordedAlerts.push_back(std::move(alert));
  }
  return summary;
}

EventLog::EventLog(const std::filesystem::path& runFolder, std::optional<std::int64_t> resumeStep,
                   AlertHandler onAlert)
    : onAlert_(std::move(onAlert)), writer_(events::Writer::open(runFolder)) {
  if (resumeStep) truncateAfterStep(*resumeStep);
}

/// Alerts of failed attempts in the part that a cut after that step removes.
std::vector<protocol::Alert> EventLog::failuresAfter(std::int64_t step) const {
  std::vector<protocol::Alert> failures;
  const auto look = [&](const std::optional<protocol::Event>& event) {
    const auto* alert = event ? std::get_if<protocol::Alert>(&*event) : nullptr;
    if (alert != nullptr && alert->kind == protocol::AlertKind::RunFailed)
      failures.push_back(*alert);
  };
  bool isCut = false;
  events::Reader reader(writer_.path());
  reader.visitAvailable([&](const events::RecordView& record) {
    isCut = isCut || (record.kind != events::Record::Kind::FileVersion && record.step > step);
    if (!isCut || record.kind != events::Record::Kind::Event) return;
    look(events::eventOf(record));
  });
  for (const protocol::Event& event : pending_) {
    isCut = isCut || protocol::stepOf(event) > step;
    if (isCut) look(event);
  }
  return failures;
}

void EventLog::truncateAfterStep(std::int64_t step) {
  std::vector<protocol::Alert> failures = failuresAfter(step);
  pending_.clear();
  writeError_.clear();
  writer_.truncateAfterStep(step);
  EventLogSummary summary = summariseEventLog(writer_.path());
  alerts_ = std::move(summary.alerts);
  firstRestart_ = summary.firstRestart;
  lastRestart_ = summary.lastRestart;
  newestSentSeq_ = summary.newestSentSeq;
  newestStep_ = step;
  missingSteps_ = step - summary.trainedSteps;
  hasHyperParameters_ = summary.hasHyperParameters;
  for (protocol::Alert& failure : failures) {
    failure.step = step;
    enqueue(std::move(failure));
  }
  for (const protocol::Alert& alert : summary.unrecordedAlerts) raise(alert);
  retry();
}

std::int64_t EventLog::nextSeq() const {
  return writer_.nextSeq() + static_cast<std::int64_t>(pending_.size());
}

void EventLog::appendEvent(protocol::Event event, std::int64_t step, double time) {
  std::visit(
      [&](auto& held) {
        held.step = step;
        held.time = time;
      },
      event);
  append(std::move(event));
}

void EventLog::appendSummary(events::Record record) {
  if (!retry()) throw Error(writeError_);
  const bool isHyperParameters = record.kind == events::Record::Kind::HyperParameters;
  writer_.append(std::move(record));
  hasHyperParameters_ = hasHyperParameters_ || isHyperParameters;
}

void EventLog::append(protocol::Event event) {
  newestStep_ = protocol::stepOf(event);
  // While events wait, one try a second (retry) is enough.
  const bool goesToTheDisk = pending_.empty();
  enqueue(std::move(event));
  if (goesToTheDisk) retry();
}

/// Appends it, and then the alerts that it raises.
void EventLog::enqueue(protocol::Event event) {
  const std::vector<protocol::Alert> raised = alerts_.add(event);
  newestSentSeq_ = nextSeq();
  std::visit([this](auto& held) { held.seq = newestSentSeq_; }, event);
  pending_.push_back(std::move(event));
  for (const protocol::Alert& alert : raised) raise(alert);
}

/// At its own step.
void EventLog::raise(const protocol::Alert& alert) {
  enqueue(alert);
  onAlert_(alert);
}

void EventLog::noteWriteError(const std::string& reason) {
  const bool isNew = writeError_.empty();
  writeError_ = reason;
  if (!isNew) return;
  enqueue(protocol::Log{.step = newestStep_,
                        .time = base::wallTimeSeconds(),
                        .level = base::LogLevel::Warning,
                        .text = reason + " (training continues)",
                        .kind = protocol::LogKind::WriteFailed});
}

bool EventLog::retry() {
  while (!pending_.empty()) {
    try {
      writer_.append(events::recordOf(pending_.front()));
    } catch (const Error& error) {
      noteWriteError(error.what());
      return false;
    }
    pending_.pop_front();
  }
  writeError_.clear();
  return true;
}

void EventLog::sync() {
  if (!retry()) throw Error(writeError_);
  writer_.sync();
}

}  // namespace lockstep::supervisor
