#include "engine/supervisor/event_journal.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/events/tags.h"

namespace lockstep::supervisor {
namespace {

events::Record eventRecord(const protocol::EngineMessage& event, std::int64_t step, double time) {
  events::Record record;
  record.kind = events::Record::Kind::Event;
  record.step = step;
  record.wallTime = time;
  record.json = protocol::encodeEvent(event);
  return record;
}

/// Of a Record or a RecordView.
std::optional<protocol::Alert> alertIn(const auto& record) {
  if (record.kind != events::Record::Kind::Event) return std::nullopt;
  try {
    const auto event = protocol::decodeEvent(record.json, record.seq, record.step, record.wallTime);
    if (const auto* alert = std::get_if<protocol::Alert>(&event)) return *alert;
  } catch (const Error&) {  // of another version of the program
  }
  return std::nullopt;
}

bool hasTrainingLoss(const events::Record& record) {
  return std::ranges::any_of(record.scalars, [](const auto& scalar) {
    return scalar.first == events::tags::kTrainTotalLoss;
  });
}

}  // namespace

JournalSummary summariseJournal(const std::filesystem::path& eventFile) {
  JournalSummary summary;
  if (eventFile.empty()) return summary;
  events::Reader reader(eventFile);
  std::int64_t trainedStep = 0;
  while (const auto record = reader.next()) {
    if (record->step > trainedStep && hasTrainingLoss(*record)) {
      trainedStep = record->step;
      ++summary.trainedSteps;
    }
    if (const auto told = alertIn(*record)) {
      std::erase_if(summary.untoldAlerts, [&](const protocol::Alert& found) {
        return found.kind == told->kind && found.text == told->text;
      });
    }
    if (record->kind == events::Record::Kind::SessionStart) {
      summary.lastRestart = protocol::Reset{record->seq - 1, record->step - 1};
      if (!summary.firstRestart) summary.firstRestart = summary.lastRestart;
    }
    for (protocol::Alert& alert : summary.alerts.add(*record))
      summary.untoldAlerts.push_back(std::move(alert));
    summary.newestSeq = record->seq;
    summary.newestStep = record->step;
  }
  return summary;
}

EventJournal::EventJournal(const std::filesystem::path& runFolder,
                           std::optional<std::int64_t> resumeStep, AlertHandler onAlert)
    : onAlert_(std::move(onAlert)), writer_(events::Writer::open(runFolder)) {
  if (resumeStep) cutAfterStep(*resumeStep);
}

/// Of the run, in what a cut after that step takes away.
std::vector<protocol::Alert> EventJournal::failuresAfter(std::int64_t step) const {
  std::vector<protocol::Alert> failures;
  bool isCut = false;
  const auto look = [&](const auto& record) {
    isCut = isCut || (record.kind != events::Record::Kind::FileVersion && record.step > step);
    if (!isCut) return;
    if (auto alert = alertIn(record); alert && alert->kind == "run_failed")
      failures.push_back(std::move(*alert));
  };
  events::Reader reader(writer_.path());
  reader.visitAvailable(look);
  for (const events::Record& record : waiting_) look(record);
  return failures;
}

void EventJournal::cutAfterStep(std::int64_t step) {
  const std::vector<protocol::Alert> failures = failuresAfter(step);
  waiting_.clear();
  trouble_.clear();
  writer_.cutAfterStep(step);
  JournalSummary summary = summariseJournal(writer_.path());
  alerts_ = std::move(summary.alerts);
  firstRestart_ = summary.firstRestart;
  lastRestart_ = summary.lastRestart;
  newestStep_ = step;
  lackingSteps_ = step - summary.trainedSteps;
  for (const protocol::Alert& failure : failures) enqueue(eventRecord(failure, step, failure.time));
  for (const protocol::Alert& alert : summary.untoldAlerts) tell(alert);
  retry();
}

std::int64_t EventJournal::nextSeq() const {
  return writer_.nextSeq() + static_cast<std::int64_t>(waiting_.size());
}

void EventJournal::appendScalars(std::int64_t step, double time,
                                 const events::ScalarValues& values) {
  events::Record record;
  record.kind = events::Record::Kind::Scalars;
  record.step = step;
  record.wallTime = time;
  record.scalars = values;
  append(std::move(record));
}

void EventJournal::appendEvent(const protocol::EngineMessage& event, std::int64_t step,
                               double time) {
  append(eventRecord(event, step, time));
}

void EventJournal::append(events::Record record) {
  newestStep_ = record.step;
  // Behind records that wait, one try a second (retry) is enough.
  const bool goesToTheDisk = waiting_.empty();
  enqueue(std::move(record));
  if (goesToTheDisk) retry();
}

/// With the alerts that it gives rise to behind it.
void EventJournal::enqueue(events::Record record) {
  const std::vector<protocol::Alert> raised = alerts_.add(record);
  record.seq = nextSeq();
  waiting_.push_back(std::move(record));
  for (const protocol::Alert& alert : raised) {
    enqueue(eventRecord(alert, alert.step, alert.time));
    onAlert_(alert);
  }
}

/// An alert that was found earlier and never told: at its own step.
void EventJournal::tell(const protocol::Alert& alert) {
  enqueue(eventRecord(alert, alert.step, alert.time));
  onAlert_(alert);
}

void EventJournal::noteTrouble(const std::string& reason) {
  const bool isNew = trouble_.empty();
  trouble_ = reason;
  if (!isNew) return;
  protocol::Log log;
  log.level = "warning";
  log.text = reason + " (training goes on)";
  log.kind = protocol::kWriteFailed;
  enqueue(eventRecord(log, newestStep_, base::wallTimeSeconds()));
}

bool EventJournal::retry() {
  while (!waiting_.empty()) {
    try {
      writer_.append(waiting_.front());
    } catch (const Error& error) {
      noteTrouble(error.what());
      return false;
    }
    waiting_.pop_front();
  }
  trouble_.clear();
  return true;
}

void EventJournal::sync() {
  if (!retry()) throw Error(trouble_);
  writer_.sync();
}

}  // namespace lockstep::supervisor
