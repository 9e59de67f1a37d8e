#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/config/due.h"
#include "engine/eval/evaluator.h"
#include "engine/train/bad_images.h"
#include "engine/train/prediction_pictures.h"
#include "engine/train/training.h"
#include "engine/train/training_model.h"

namespace lockstep::train {

/// For the held-out set of a training, on one rank alone.
eval::EvaluatorOptions evaluatorOptions(const Training& training);

/// Evaluates and predicts on the held-out set with the current weights (EMA if enabled), and writes
/// the results. All public functions are called on all ranks; an error of one is thrown on all.
class HeldOutEvaluation {
 public:
  HeldOutEvaluation(Training& training, TrainingModel& model, BadImages& badImages);

  /// Whether dataset.val is given.
  bool hasData() const { return evaluator_ != nullptr; }
  /// What is due of evaluation and predictions. Returns whether it is the best so far.
  bool run(const config::Due& due);
  /// An evaluation with AP on request; it does not count for early stopping. Returns whether it is
  /// the best so far.
  bool evaluateOnRequest();

 private:
  struct Options {
    eval::EvaluationRequest figures;
    bool writesPredictions = false;
    bool countsForEarlyStop = true;
  };
  bool evaluate(const Options& options);
  void predict();
  // The rest on rank 0 alone.
  /// Returns whether it is the best so far.
  bool keep(const eval::Evaluation& evaluation, const Options& options);
  void sendScalars(const eval::Evaluation& evaluation);
  /// Warns once that images have more detections or objects than AP counts.
  void warnPastLimit(const eval::Evaluation& evaluation);
  bool write(const eval::Evaluation& evaluation);
  bool updateBest(const eval::Evaluation& evaluation);
  void writePredictions(const eval::Detected& found);
  void logWriteError(const std::string& what, const Error& error);
  /// Indices of the first images of the held-out set.
  std::vector<std::size_t> firstImages(int count) const;

  Training& training_;
  TrainingModel& model_;
  BadImages& badImages_;
  std::unique_ptr<eval::Evaluator> evaluator_;  ///< of all ranks together; null without dataset.val
  PredictionPictures pictures_;
  bool isWarnedPastLimit_ = false;
};

}  // namespace lockstep::train
