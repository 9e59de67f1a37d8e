#include "app/runs/open/run_tail.h"

#include <algorithm>
#include <utility>

#include "app/runs/list/listed_run.h"
#include "engine/base/error.h"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

events::Record recordOf(const events::RecordView& view, const std::vector<std::string>& tags) {
  events::Record record{view.seq, view.wallTime, view.step, view.kind, {}, std::string(view.json)};
  for (const events::ScalarView& scalar : view.scalars)
    record.scalars.emplace_back(tags[scalar.tag], scalar.value);
  return record;
}

}  // namespace

RunTail::Stamp RunTail::Stamp::of(const fs::path& file) {
  std::error_code ignored;
  return {fs::file_size(file, ignored), fs::last_write_time(file, ignored)};
}

void RunTail::read(const fs::path& folder, std::optional<std::int64_t> since) {
  Stamp stamp;
  try {
    if (foreign_ || (!run_folder::isRunFolder(folder) && foreign_runs::sourceOf(folder))) {
      readForeign(folder);
    } else {
      readOwn(folder, since, stamp);
    }
  } catch (const std::exception& exception) {
    error = QString::fromUtf8(exception.what());
    broken_ = Broken{stamp, error};
  }
}

void RunTail::readOwn(const fs::path& folder, std::optional<std::int64_t> since, Stamp& stamp) {
  // First the attempt, then the records: after a resume in between the engine sends a reset, and
  // no stale records stay.
  summary = run_folder::summarise(folder);
  const run_folder::Layout layout(folder);
  checkpointSteps = run_folder::checkpointSteps(layout);
  std::error_code ignored;
  hasConfig = fs::exists(layout.config(), ignored);
  if (hasConfig) readPlan(layout);
  if (!since) return;
  const fs::path file = events::findEventFile(folder);
  if (file.empty()) return noteMissing(folder);
  stamp = Stamp::of(file);
  if (broken_ && broken_->stamp == stamp) throw Error(broken_->error.toStdString());
  if (std::exchange(broken_, std::nullopt)) reader_.reset();
  readEvents(file, *since);
  if (const std::int64_t damaged = reader_->damagedRecords(); damaged > 0) {
    leftOut = tr("%1: %Ln damaged record(s) are missing from curves and log", "",
                 static_cast<int>(damaged))
                  .arg(QString::fromStdString(file.string()));
  } else if (hasEndedAfter(lastStep_)) {
    leftOut = tr("%1 ends at step %2 of %3: curves and log after it are lost")
                  .arg(QString::fromStdString(file.string()))
                  .arg(lastStep_)
                  .arg(summary.info.step);
  }
}

/// A run that has ended made more steps than its log has.
bool RunTail::hasEndedAfter(std::int64_t step) const {
  const auto& state = summary.info.state.value();
  return state && protocol::hasEnded(*state) && summary.info.step > step;
}

/// A queued run has no event log yet.
void RunTail::noteMissing(const fs::path& folder) {
  if (!hasEndedAfter(0)) return;
  leftOut = tr("%1 has no event log, events.out.tfevents…: its curves and its log are lost")
                .arg(QString::fromStdString(folder.string()));
}

/// Once per attempt: a resume may change the configuration.
void RunTail::readPlan(const run_folder::Layout& layout) {
  if (evaluationPlan && planAttempt_ == summary.info.attempt) return;
  try {
    evaluationPlan = readEvaluationPlan(layout);
    planAttempt_ = summary.info.attempt;
  } catch (const std::exception&) {  // reported where the configuration is needed
    evaluationPlan.reset();
  }
}

void RunTail::readEvents(const fs::path& file, std::int64_t since) {
  // A resume has truncated the file: the reader's offset is no longer valid.
  if (reader_ && (reader_->wasTruncated() || summary.info.attempt != attempt_)) reader_.reset();
  attempt_ = summary.info.attempt;
  if (reader_) {
    while (auto record = reader_->next()) {
      lastStep_ = std::max(lastStep_, record->step);
      if (record->seq > since) records.push_back(std::move(*record));
    }
    return;
  }
  reader_.emplace(file);
  whole.emplace();
  whole->metrics().setSmoothing(smoothing);
  lastStep_ = 0;
  reader_->visitAvailable([this](const events::RecordView& record) {
    lastStep_ = std::max(lastStep_, record.step);
    whole->add(record, reader_->tags());
  });
}

void RunTail::readForeign(const fs::path& folder) {
  if (!foreign_) foreign_ = foreign_runs::runIn(folder);
  if (!foreign_) throw Error(folder.string() + ": is not a run any more");
  ListedRun listed = readListedRun(*foreign_);
  summary = std::move(listed.summary);
  program = listed.program;
  const foreign_runs::Visitor visitor = [this](const events::RecordView& record) {
    if (whole) {
      whole->add(record, foreignReader_->tags());
    } else {
      records.push_back(recordOf(record, foreignReader_->tags()));
    }
  };
  if (!foreignReader_ || !foreignReader_->visitAppended(visitor)) {
    foreignReader_.emplace(*foreign_);
    whole.emplace();
    whole->metrics().setSmoothing(smoothing);
    if (!foreignReader_->visitAppended(visitor))
      throw Error(folder.string() + ": its files change while they are read");
  }
  media = foreignReader_->media();
  const foreign_runs::Faults& faults = foreignReader_->faults();
  if (faults.count > 0)
    leftOut =
        tr("%Ln record(s) could not be read. The first: %1", "", static_cast<int>(faults.count))
            .arg(QString::fromStdString(faults.first));
}

}  // namespace lockstep::app
