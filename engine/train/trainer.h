#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/coco/files/dataset.h"
#include "engine/config/due.h"
#include "engine/config/experiment.h"
#include "engine/config/learning_rate_schedule.h"
#include "engine/data/device_feed.h"
#include "engine/data/sample_loader.h"
#include "engine/data/sampler.h"
#include "engine/dist/world.h"
#include "engine/eval/evaluator.h"
#include "engine/model/mask_rcnn.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/replay_file.h"
#include "engine/run_folder/run_folder.h"
#include "engine/solver/weight_average.h"
#include "engine/solver/weight_update.h"
#include "engine/train/failure.h"
#include "engine/train/loaded_model.h"
#include "engine/train/mailbox.h"
#include "engine/train/phase.h"
#include "engine/train/step_recorder.h"

namespace lockstep::train {

/// What a trainer works with and lives shorter than.
struct TrainerContext {
  dist::World& world;
  Mailbox& mailbox;
  PhaseReport& phase;
  /// Takes what training tells, on its thread and in order: the scalars of a step come before an
  /// evaluation or a checkpoint of it. May not change training.
  std::function<void(const protocol::WorkerMessage&)> tell;
  int gpu = 0;                     ///< its index, where runtime.device is one
  int machineRanks = 1;            ///< that share this machine's cores
  double checkpointPatience = 60;  ///< seconds that the last checkpoint is tried for, once refused
};

/// Trains one experiment: one explicit loop, and what happens between steps. Writes partial files
/// into the run folder; the supervisor puts them in their place. Every rank of the world has a
/// trainer, all take the same branches: what is not a function of step and configuration, rank 0
/// decides for all.
class Trainer {
 public:
  /// `experiment` is resolved (durations in steps, threads, absolute paths). Reads annotations.
  /// Throws Error.
  Trainer(const config::Experiment& experiment, const run_folder::Layout& layout,
          const TrainerContext& context);
  ~Trainer();

  /// Goes on from a whole checkpoint (rank 0's counts), without the start weights. A state of
  /// another optimizer or of other trained parameters, as a fork may have, is left with a line that
  /// says so. Throws Error naming the file that is broken or does not fit.
  void resume(const std::filesystem::path& checkpointFolder);

  struct Outcome {
    std::int64_t step = 0;
    bool stopped = false;  ///< on request, before max_steps
  };
  /// Reads the start weights unless it goes on from a checkpoint, and blocks until the last step or
  /// a stop. Throws Error.
  Outcome run();

  /// As it stands, in training mode.
  const model::MaskRcnn& model() const { return *model_; }

 private:
  enum class Wish { GoOn, Stop };

  void makeModel();
  /// runtime.cuda_graphs.
  void useCudaGraphs();
  /// Once, where it does not do for all batches.
  void tellOfCudaGraphs();
  void loadStartWeights();
  /// Rank 0 alone reads and writes files, and tells the supervisor.
  bool isLeader() const { return context_.world.rank() == 0; }
  /// Rank 0's answer, on every rank.
  bool decided(bool answer);
  /// Does what may go wrong on one rank alone; then a fault of one is thrown on all. Called on all
  /// ranks. Collectives within `work` have to tell all ranks of a fault themselves.
  void together(const std::function<void()>& work);
  /// Every rank reads the annotations of its own machine: they must be rank 0's.
  void refuseOtherData();
  /// Whether the training has reached its end: the last step, or early stopping.
  bool isAtEnd() const;
  void trainStep(std::int64_t step);
  /// Begins to load images anew, from this step on.
  void loadFrom(std::int64_t step);
  /// Losses and gradients of all parts. False, on all ranks: one of them has met an image that it
  /// cannot read, and nothing of the step counts.
  bool computeGradients(std::int64_t step, StepRecorder::HostFacts& facts);
  /// Of the next part, or nothing, on all ranks: one of them cannot read an image of it, or reading
  /// fails there.
  std::optional<data::Batch> nextBatch(StepRecorder::HostFacts& facts);
  /// What a forward pass in training changes beside its losses and a step that does not come to its
  /// end must give back.
  std::vector<at::Tensor> copyOfStatistics() const;
  /// Called on all ranks when one has met an image that it cannot read: the step is drawn anew
  /// without it, or the training ends with a checkpoint.
  void leaveOutBadImages(std::int64_t step);
  /// Ends the training with a checkpoint where reading has failed on a rank.
  void refuseReadFault();
  /// An image that a rank has met.
  struct MetImage {
    data::BadImage image;
    int rank = 0;
    std::string host;
  };
  /// Those of all ranks, on all ranks, each once, in order of rank.
  std::vector<MetImage> shareBadImages();
  /// What was left out of this step is the run's from now on.
  void tellLeftOut(std::int64_t step);
  /// Goes on without the images that a checkpoint was made without.
  void resumeBadImages(const run_folder::TrainingState& saved);
  /// The last whole step is kept before the run ends. Called on all ranks.
  void saveBeforeEnd();
  /// Throws the fault that all ranks end of, once what was learnt is kept.
  [[noreturn]] void endWithLastStep(const std::exception_ptr& fault);
  /// That images of the held-out part were left out, each once.
  void tellBadHeldOut(const std::vector<data::ImageFault>& faults);
  /// Hands the scalars of finished steps on. Throws Error when one is not finite.
  void flushScalars();
  /// Called on all ranks. Leaves what is needed to run the step's batch again, and says what
  /// happened.
  Error diverged(const StepRecorder::Fault& fault);
  /// Returns what went wrong, empty: nothing.
  std::string writeReplayWeights(std::int64_t step) const;
  /// `reports`: of every rank. Returns what is told.
  std::string leaveReplay(const StepRecorder::Fault& fault, const std::vector<std::string>& reports,
                          std::string trouble);
  config::Due dueAfter(std::int64_t step, bool isLast) const;
  /// What this step still lacks: where a run stopped on request or met an image that cannot be read
  /// it left a checkpoint alone, and early stopping is known only when its evaluation is done.
  config::Due leftUndone(bool isLast);
  void atBoundary(const config::Due& due);
  /// Evaluations and predictions; returns whether it is the best so far. A fault of one rank is
  /// thrown on all.
  bool lookAtHeldOut(const config::Due& due);
  /// The averaged weights in the model while it lives, where there are any.
  std::unique_ptr<solver::WeightAverage::InPlace> averagedWeights();
  solver::NamedTensors optimizerState() const;
  void resumeOptimizer(solver::NamedTensors saved, const std::string& savedOptimizer);
  /// Evaluates on all ranks, writes and announces; returns whether it is the best so far.
  bool evaluate(const eval::EvaluationRequest& request, bool withPredictions, bool isAsked);
  void shareStatistics();
  /// What rank 0 makes of an evaluation; returns whether it is the best so far.
  bool keep(const eval::Evaluation& evaluation, const eval::EvaluationRequest& request,
            bool withPredictions, bool isAsked);
  void tellScalars(const eval::Evaluation& evaluation);
  /// Once, what AP cannot count.
  void tellPastLimit(const eval::Evaluation& evaluation);
  bool keepEvaluation(const eval::Evaluation& evaluation);
  bool noteBest(const eval::Evaluation& evaluation);
  void writePredictions(const eval::Detected& found);
  void saveCheckpoint(bool best, bool last);
  /// Whole, or nothing of it. Throws.
  void writeCheckpoint(const std::filesystem::path& partial);
  /// Tries the last one again for a while, and then writes it elsewhere.
  void insistOnCheckpoint(protocol::CheckpointReady& ready);
  void writeElsewhere(protocol::CheckpointReady& ready);
  /// What is to be done at this boundary, the same on every rank; asked for before the step.
  std::vector<protocol::Control> agreedRequests();
  /// Puts what any rank was asked for together.
  std::vector<protocol::Control> shareRequests();
  Wish serveRequests();
  void setPaused(bool isPaused);
  std::vector<protocol::Control> requestsWhilePaused();
  void serve(const protocol::Control& control);
  /// These do what is asked for and return the file with the answer.
  std::string fulfil(const protocol::Evaluate&);
  std::string fulfil(const protocol::SaveCheckpoint&);
  std::string fulfil(const protocol::Predict& predict);
  const LoadedModel& otherModel(const std::string& weights);
  /// Says that a file could not be written; training goes on.
  void tellLost(const std::string& what, const Error& error);
  void tell(const protocol::WorkerMessage& message) { context_.tell(message); }
  void tellState(protocol::RunState state);
  void log(base::LogLevel level, std::string text);
  void enter(protocol::Phase phase) { context_.phase.phase = phase; }
  /// Tells the supervisor that an evaluation or prediction gets on.
  eval::Progress countingImages();
  std::vector<std::size_t> watchedImages() const;

  config::Experiment experiment_;
  run_folder::Layout layout_;
  TrainerContext context_;
  at::Device device_;
  int loaderThreads_;
  coco::Dataset trainSet_;
  std::optional<coco::Dataset> heldOutSet_;
  std::unique_ptr<data::SampleLoader> trainLoader_, heldOutLoader_;
  std::unique_ptr<data::Sampler> sampler_;
  std::unique_ptr<data::DeviceFeed> feed_;  ///< of training; its threads use loader and sampler
  std::optional<data::BadImage> badImage_;  ///< that this rank has just met
  std::exception_ptr readFault_;            ///< of its machine, in reading an image
  std::vector<data::ImageFault> leftOut_;   ///< of the step that is not computed yet
  std::set<ImageId> toldHeldOut_;           ///< images of the held-out part that were left out
  bool toldPastLimit_ = false;
  std::unique_ptr<eval::Evaluator> evaluator_;     ///< of all ranks together
  std::unique_ptr<eval::Evaluator> ownEvaluator_;  ///< of this rank, for what rank 0 does alone
  std::shared_ptr<model::MaskRcnn> model_;
  std::unique_ptr<solver::WeightUpdate> update_;
  std::unique_ptr<solver::WeightAverage> average_;  ///< with solver.ema_decay
  std::unique_ptr<dist::GradientAverage> gradients_;
  config::LearningRateSchedule schedule_;
  StepRecorder recorder_;
  run_folder::TrainingState state_;
  std::optional<run_folder::Best> keptBest_;  ///< the best that has its checkpoint
  bool isResumed_ = false;
  bool isCudaGraphTroubleTold_ = false;
  bool stopsEarly_ = false;          ///< as rank 0 says
  std::int64_t savedStep_ = -1;      ///< of the newest checkpoint
  std::int64_t evaluatedStep_ = -1;  ///< of the newest evaluation with AP that was kept
  std::int64_t lossesStep_ = -1;     ///< of the newest held-out losses in the log
  std::chrono::steady_clock::time_point flushed_{};
  std::optional<LoadedModel> other_;  ///< for predictions with other weights than the current ones
  std::string otherWeights_;
};

}  // namespace lockstep::train
