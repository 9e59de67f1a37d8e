#include "engine/supervisor/checkpoint_keeper.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/run_recorder.h"

namespace lockstep::supervisor {

CheckpointKeeper::CheckpointKeeper(RunRecorder& recorder, RunLog& log,
                                   std::chrono::duration<double> patience)
    : recorder_(recorder), log_(log), patience_(patience) {}

void CheckpointKeeper::keep(const protocol::CheckpointReady& ready) {
  if (ready.last && ready.error.empty()) return keepLast(ready);
  if (recorder_.commitCheckpoint(ready)) {
    logKept(ready);
  } else if (ready.last) {
    lost_ = {ready.error, ready.elsewhere};
  }
}

void CheckpointKeeper::keepLast(const protocol::CheckpointReady& ready) {
  if (tryToKeep(ready, /*withLog=*/true)) return;
  warn(log_, recorder_,
       "the last checkpoint cannot be saved: " + refused_->reason + "; retrying for " +
           base::shortNumber(patience_.count()) + " s: free disk space");
}

bool CheckpointKeeper::tryToKeep(const protocol::CheckpointReady& ready, bool withLog) {
  try {
    recorder_.commitOrThrow(ready, withLog);
  } catch (const Error& error) {
    if (!refused_) {
      const auto patience = std::chrono::duration_cast<Clock::duration>(patience_);
      refused_ = {ready, Clock::now() + patience, ""};
    }
    refused_->reason = error.what();
    return false;
  }
  logKept(ready);
  reset();  // it may have been lost before, and then written again at the same step
  return true;
}

void CheckpointKeeper::retry() {
  if (!refused_) return;
  const protocol::CheckpointReady ready = refused_->ready;
  const bool isLastTry = Clock::now() >= refused_->deadline;
  // At last without what the event log lacks: the weights are worth more than their curves.
  if (tryToKeep(ready, /*withLog=*/!isLastTry) || !isLastTry) return;
  lost_ = {refused_->reason, ""};
  refused_.reset();
  recorder_.recordLostCheckpoint(ready.step, lost_->reason);
  saveToFallback(ready.step);
}

void CheckpointKeeper::saveToFallback(std::int64_t step) {
  const run_folder::Layout& layout = recorder_.layout();
  // It may be in its place, and only run.json or the event log could not be written.
  if (std::ranges::binary_search(run_folder::checkpointSteps(layout), step)) return;
  try {
    lost_->fallbackFolder = run_folder::rescueCheckpoint(layout, step).string();
  } catch (const Error& error) {
    lost_->reason += std::string("; nor could it be saved elsewhere: ") + error.what();
  }
}

void CheckpointKeeper::stopRetrying() {
  if (refused_) refused_->deadline = Clock::now();
}

void CheckpointKeeper::reset() {
  refused_.reset();
  lost_.reset();
}

void CheckpointKeeper::logKept(const protocol::CheckpointReady& ready) {
  log_.write("train",
             "checkpoint step=" + std::to_string(ready.step) + (ready.best ? " best" : ""));
}

}  // namespace lockstep::supervisor
