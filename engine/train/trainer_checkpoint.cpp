// How a trainer keeps its state.
#include <torch/types.h>

#include <algorithm>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/base/number_text.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/train/exception_text.h"
#include "engine/train/trainer.h"

namespace lockstep::train {
namespace {

using protocol::Phase;

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::duration<double> kBetweenTries{2};

}  // namespace

void Trainer::saveCheckpoint(bool best, bool last) {
  // The best is written again: the supervisor learns which it is, and state.json says so.
  if (!isLeader() || (savedStep_ == state_.step && !best)) return;
  enter(Phase::Checkpoint);
  protocol::CheckpointReady ready{
      state_.step, layout_.partialCheckpoint(state_.step).string(), best, last, "", ""};
  try {
    writeCheckpoint(ready.partial);
  } catch (const Error& error) {
    ready.error = error.what();
    if (last) insistOnCheckpoint(ready);
  } catch (const std::exception& exception) {
    ready.error = exceptionText(exception);
  }
  if (ready.error.empty()) {
    savedStep_ = state_.step;
    keptBest_ = state_.best;
  } else {
    if (!ready.elsewhere.empty()) savedStep_ = state_.step;
    state_.best = keptBest_;  // a later one that has its checkpoint is the best
  }
  tell(ready);
}

void Trainer::writeCheckpoint(const fs::path& partial) {
  std::error_code ignored;
  fs::remove_all(partial, ignored);
  try {
    const solver::NamedTensors optimizer = optimizerState();
    const auto averaged = averagedWeights();
    checkpoint::saveCheckpoint(partial, model_->namedState(),
                               modelFacts(experiment_.model, trainSet_), optimizer, state_);
  } catch (...) {
    fs::remove_all(partial, ignored);
    throw;
  }
}

void Trainer::insistOnCheckpoint(protocol::CheckpointReady& ready) {
  const std::chrono::duration<double> patience(context_.checkpointPatience);
  log(base::LogLevel::Warning, "the last checkpoint cannot be written: " + ready.error +
                                   "; it is tried for " + base::shortNumber(patience.count()) +
                                   " s more: make room");
  const Clock::time_point begin = Clock::now();
  while (Clock::now() - begin < patience) {
    std::this_thread::sleep_for(std::min(kBetweenTries, patience));  // a disk tells nobody
    ++context_.phase.images;                                         // it does get on
    try {
      writeCheckpoint(ready.partial);
      ready.error.clear();
      return;
    } catch (const Error& error) {
      ready.error = error.what();
    }
  }
  writeElsewhere(ready);
}

void Trainer::writeElsewhere(protocol::CheckpointReady& ready) {
  try {
    const fs::path folder = run_folder::ensureRescueFolder(layout_.folder());
    const fs::path place = folder / run_folder::stepName(state_.step);
    const fs::path partial = folder / ("." + place.filename().string() + ".partial");
    writeCheckpoint(partial);
    fs::remove_all(place);
    fs::rename(partial, place);
    base::syncToDisk(folder);
    ready.elsewhere = place.string();
  } catch (const std::exception& exception) {
    ready.error += "; nor could it be written elsewhere: " + exceptionText(exception);
  }
}

void Trainer::saveBeforeEnd() {
  const Phase phase = context_.phase.phase;  // in which it ends
  flushScalars();
  const bool best = state_.best && state_.best != keptBest_ && state_.best->step == state_.step;
  if (state_.step > 0) saveCheckpoint(best, /*last=*/true);
  context_.world.share("");  // no rank ends the others while rank 0 writes
  context_.phase.phase = phase;
}

void Trainer::endWithLastStep(const std::exception_ptr& fault) {
  try {
    saveBeforeEnd();
  } catch (const std::exception&) {  // the fault that came first is the one to tell
  }
  std::rethrow_exception(fault);
}

}  // namespace lockstep::train
