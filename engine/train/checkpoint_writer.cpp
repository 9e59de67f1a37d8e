#include "engine/train/checkpoint_writer.h"

#include <torch/types.h>

#include <algorithm>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/base/number_text.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/train/exception_text.h"
#include "engine/train/loaded_model.h"

namespace lockstep::train {
namespace {

using protocol::Phase;

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::duration<double> kRetryInterval{2};

}  // namespace

void CheckpointWriter::save(bool isBest, bool isLast) {
  if (training_.rangeTest) return;
  // The best is written again: the supervisor learns which it is, and state.json says so.
  run_folder::TrainingState& state = training_.state;
  if (!training_.isRankZero() || (training_.savedStep == state.step && !isBest)) return;
  training_.enter(Phase::Checkpoint);
  protocol::CheckpointReady ready{
      state.step, training_.layout.partialCheckpoint(state.step).string(), isBest, isLast, "", ""};
  try {
    write(ready.partial);
  } catch (const Error& error) {
    ready.error = error.what();
    if (isLast) retry(ready);
  } catch (const std::exception& exception) {
    ready.error = exceptionText(exception);
  }
  if (ready.error.empty()) {
    training_.savedStep = state.step;
    training_.savedBest = state.best;
  } else {
    if (!ready.elsewhere.empty()) training_.savedStep = state.step;
    state.best = training_.savedBest;  // a later one that has its checkpoint is the best
  }
  training_.send(ready);
}

void CheckpointWriter::write(const fs::path& partial) {
  std::error_code ignored;
  fs::remove_all(partial, ignored);
  try {
    const solver::NamedTensors optimizer = model_.optimizerState();
    const auto averaged = model_.averageInPlace();
    checkpoint::saveCheckpoint(partial, model_.model()->namedState(),
                               modelFacts(training_.experiment, training_.data.trainSet), optimizer,
                               training_.state);
  } catch (...) {
    fs::remove_all(partial, ignored);
    throw;
  }
}

void CheckpointWriter::retry(protocol::CheckpointReady& ready) {
  const std::chrono::duration<double> patience(training_.context.checkpointPatience);
  training_.log(base::LogLevel::Warning,
                "the last checkpoint cannot be written: " + ready.error + "; retrying for " +
                    base::shortNumber(patience.count()) + " s more: free disk space");
  const Clock::time_point begin = Clock::now();
  while (Clock::now() - begin < patience) {
    std::this_thread::sleep_for(std::min(kRetryInterval, patience));
    ++training_.context.phase.images;  // the heartbeat shows that this rank is alive
    try {
      write(ready.partial);
      ready.error.clear();
      return;
    } catch (const Error& error) {
      ready.error = error.what();
    }
  }
  saveToFallback(ready);
}

void CheckpointWriter::saveToFallback(protocol::CheckpointReady& ready) {
  try {
    const fs::path folder = run_folder::ensureRescueFolder(training_.layout.folder());
    const fs::path place = folder / run_folder::stepName(training_.state.step);
    const fs::path partial = folder / ("." + place.filename().string() + ".partial");
    write(partial);
    fs::remove_all(place);
    fs::rename(partial, place);
    base::syncToDisk(folder);
    ready.elsewhere = place.string();
  } catch (const std::exception& exception) {
    ready.error += "; nor could it be written elsewhere: " + exceptionText(exception);
  }
}

}  // namespace lockstep::train
