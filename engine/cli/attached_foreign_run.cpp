#include "engine/cli/attached_foreign_run.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "engine/base/error.h"
#include "engine/events/event_record.h"
#include "engine/foreign_runs/run_summary.h"

namespace lockstep::cli {
namespace {

using events::Record;

/// Stands for all tags.
constexpr std::size_t kEveryTag = static_cast<std::size_t>(-1);
/// The files may be replaced while they are read, but not for ever.
constexpr int kMaxReadings = 5;

base::OpenEnum<protocol::RunState> stateOf(const foreign_runs::ForeignRun& run,
                                           const foreign_runs::ForeignRunSummary& summary) {
  if (summary.state) return *summary.state;
  return base::OpenEnum<protocol::RunState>(base::textOf(run.source));
}

[[noreturn]] void throwRestless(const foreign_runs::ForeignRun& run) {
  throw Error(run.folder.string() + ": its files change while they are read");
}

}  // namespace

void ReplacedValues::add(const events::RecordView& record) {
  lastSeq_ = record.seq;
  if (record.kind == Record::Kind::Scalars || record.kind == Record::Kind::Event)
    newestSeq_ = record.seq;
  if (record.kind == Record::Kind::Scalars) newestStep_ = record.step;
  if (record.kind != Record::Kind::SessionStart) return;
  const auto cut = [&](std::size_t tag) {
    std::vector<Cut>& cuts = cuts_[tag];
    while (!cuts.empty() && cuts.back().step >= record.step) cuts.pop_back();  // this one says more
    cuts.push_back({record.seq, record.step});
  };
  if (record.scalars.empty()) cut(kEveryTag);
  for (const events::ScalarView& scalar : record.scalars) cut(scalar.tag);
}

/// The first later cut has the lowest step of all later ones.
bool ReplacedValues::contains(std::size_t tag, std::int64_t seq, std::int64_t step) const {
  const auto isCut = [&](std::size_t key) {
    const auto found = cuts_.find(key);
    if (found == cuts_.end()) return false;
    const auto later = std::ranges::upper_bound(found->second, seq, {}, &Cut::seq);
    return later != found->second.end() && later->step <= step;
  };
  return !cuts_.empty() && (isCut(kEveryTag) || isCut(tag));
}

void AttachedForeignRun::answer(const protocol::ClientMessage& message, const Send& send) {
  std::visit(
      [&]<typename Message>(const Message& asked) {
        if constexpr (std::is_same_v<Message, protocol::Hello>) {
          greet(asked, send);
        } else if constexpr (std::is_same_v<Message, protocol::Command>) {
          const bool isStatus = asked.name == protocol::CommandName::Status;
          send(protocol::encode(answerTo(asked.id, isStatus)));
        } else {
          send(protocol::encode(answerTo(asked.id, false)));
        }
      },
      message);
}

/// A client that has records may have them of files that were replaced since.
void AttachedForeignRun::greet(const protocol::Hello& hello, const Send& send) {
  lookForReplaced();
  send(protocol::encode(protocol::Welcome{run_.folder.string(), 1, newestSentSeq_,
                                          stateOf(run_, foreign_runs::summarise(run_)),
                                          base::textOf(run_.source)}));
  if (hello.since >= 0) send(protocol::encode(protocol::Reset{-1, -1}));
  sendAll(send);
}

protocol::EngineMessage AttachedForeignRun::answerTo(const std::string& id, bool isStatus) const {
  if (!isStatus) {
    return protocol::ErrorReply{id, std::string("it is a run of ") + base::textOf(run_.source) +
                                        ": only its curves are read"};
  }
  const foreign_runs::ForeignRunSummary summary = foreign_runs::summarise(run_);
  protocol::RunStatus status{.state = stateOf(run_, summary),
                             .step = std::max(summary.lastStep.value_or(0), replaced_.newestStep()),
                             .maxSteps = summary.maxSteps.value_or(0),
                             .seq = newestSentSeq_,
                             .name = summary.name};
  if (const std::int64_t count = reader_ ? reader_->faults().count : 0; count > 0)
    status.leftOut = std::to_string(count) +
                     " of its records could not be read. The first: " + reader_->faults().first;
  return protocol::Ok{id, std::move(status)};
}

void AttachedForeignRun::lookForReplaced() {
  replaced_ = {};
  foreign_runs::RunReader reader(run_);
  if (!reader.visitAppended([this](const events::RecordView& record) { replaced_.add(record); }))
    throwRestless(run_);
  newestSentSeq_ = newestSentSeq();
}

/// A client waits for this record: one whose values were all replaced is never sent.
std::int64_t AttachedForeignRun::newestSentSeq() const {
  if (replaced_.isEmpty()) return replaced_.newestSeq();
  std::int64_t newest = -1;
  foreign_runs::RunReader reader(run_);
  const bool isWhole = reader.visitAppended([&](const events::RecordView& record) {
    const bool isSent =
        record.kind == Record::Kind::Scalars
            ? std::ranges::any_of(record.scalars,
                                  [&](const events::ScalarView& scalar) {
                                    return !replaced_.contains(scalar.tag, record.seq, record.step);
                                  })
            : events::eventOf(record).has_value();
    if (isSent) newest = record.seq;
  });
  if (!isWhole) throwRestless(run_);
  return newest;
}

void AttachedForeignRun::sendAll(const Send& send) {
  for (int reading = 0; reading < kMaxReadings; ++reading) {
    if (reading > 0) {
      send(protocol::encode(protocol::Reset{-1, -1}));
      lookForReplaced();
    }
    reader_.emplace(run_);
    hasResumed_ = false;
    if (sendMore(send)) return;
  }
  throwRestless(run_);
}

void AttachedForeignRun::sendAppended(const Send& send) {
  if (!reader_ || sendMore(send)) return;
  send(protocol::encode(protocol::Reset{-1, -1}));
  lookForReplaced();
  sendAll(send);
}

/// False: what was sent no longer holds.
bool AttachedForeignRun::sendMore(const Send& send) {
  return reader_->visitAppended([&](const events::RecordView& record) {
    sendRecord(record, send);
  }) && !hasResumed_;
}

void AttachedForeignRun::sendRecord(const events::RecordView& record, const Send& send) {
  const bool isNew = record.seq > replaced_.lastSeq();
  hasResumed_ = hasResumed_ || (isNew && record.kind == Record::Kind::SessionStart);
  if (hasResumed_) return;
  if (const auto event = events::eventOf(record)) return send(protocol::lineOf(*event));
  if (record.kind != Record::Kind::Scalars) return;
  protocol::Scalars scalars{record.seq, record.step, record.wallTime, {}};
  for (const events::ScalarView& scalar : record.scalars)
    if (isNew || !replaced_.contains(scalar.tag, record.seq, record.step))
      scalars.values.emplace_back(reader_->tags()[scalar.tag], scalar.value);
  if (!scalars.values.empty()) send(protocol::lineOf(scalars));
}

}  // namespace lockstep::cli
