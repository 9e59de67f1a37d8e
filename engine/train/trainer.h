#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>

#include "engine/config/due.h"
#include "engine/train/bad_images.h"
#include "engine/train/checkpoint_writer.h"
#include "engine/train/held_out_evaluation.h"
#include "engine/train/request_service.h"
#include "engine/train/step_runner.h"
#include "engine/train/training.h"
#include "engine/train/training_model.h"

namespace lockstep::train {

/// Trains one experiment: one explicit loop of steps, and what is due between them. Writes partial
/// files into the run folder; the supervisor moves them into place. Every rank of the world has a
/// trainer, and all take the same branches: what is not a function of step and configuration, rank
/// 0 decides for all.
class Trainer {
 public:
  /// `experiment` is resolved (durations in steps, threads, absolute paths). Reads annotations.
  /// Throws Error.
  Trainer(const config::Experiment& experiment, const run_folder::Layout& layout,
          const TrainerContext& context);

  /// Resumes from a complete checkpoint (read by rank 0); initial weights are not loaded. The state
  /// of another optimizer or of other trained parameters, as a fork may have, is left out with a
  /// warning. Throws Error naming the file that is broken or does not fit.
  void resume(const std::filesystem::path& checkpointFolder);

  struct Outcome {
    std::int64_t step = 0;
    bool stopped = false;  ///< on request, before its end
  };
  /// Reads the initial weights unless it resumes, and blocks until the last step or a stop. Throws
  /// Error.
  Outcome run();

  /// The current model, in training mode.
  const model::MaskRcnn& model() const { return *model_.model(); }

 private:
  /// Throws unless every rank's annotations equal rank 0's.
  void checkSameData();
  /// Whether the training has reached its end: the last step, or early stopping.
  bool isAtEnd() const;
  void trainStep(std::int64_t step);
  /// Lets rank 0 decide whether the range test has diverged. Called on all ranks.
  void endAtDivergence();
  /// Logs what the range test suggests. Throws Error, on all ranks, if it suggests nothing.
  void endRangeTest();
  /// A rank has found an image that it cannot read: the step is sampled again without it, or the
  /// training ends with a checkpoint. Called on all ranks.
  void leaveOutBadImages(std::int64_t step);
  config::Due dueAfter(std::int64_t step, bool isLast) const;
  /// What is still due after a resume: a run that was stopped or found an image that cannot be read
  /// left only a checkpoint, and early stopping is known only when its evaluation is done.
  config::Due missing(bool isLast);
  void runDue(const config::Due& due);
  /// Keeps the last complete step before the run ends. Called on all ranks.
  void saveBeforeEnd();
  /// Throws the error that ends all ranks, after saving a checkpoint of the last step.
  [[noreturn]] void endWithLastStep(const std::exception_ptr& error);

  Training training_;
  TrainingModel model_;
  StepRunner steps_;
  BadImages badImages_;
  HeldOutEvaluation heldOut_;
  CheckpointWriter checkpoints_;
  RequestService requests_;
  bool isResumed_ = false;
};

}  // namespace lockstep::train
