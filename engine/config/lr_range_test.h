#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/config/learning_rate_schedule.h"

/// The learning-rate range test: training while the learning rate rises exponentially, until the
/// loss diverges. Source: Smith, "Cyclical Learning Rates for Training Neural Networks", 2017,
/// section 3.3; exponential, with a smoothed loss and a stop at 4 times its minimum as in fastai's
/// and Lightning's lr_find. Which learning rates it suggests is our own, see
/// suggestLearningRates().
namespace lockstep::config {

/// 20 steps per decade.
inline constexpr std::int64_t kRangeTestSteps = 140;

/// From a rate at which nothing is learned, with AdamW either, to one at which everything diverges.
LearningRateSweep rangeTestSweep(std::int64_t steps);

/// The experiment that a range test of `experiment` trains: its schedule and warm-up, held-out set,
/// EMA, tensor statistics, checkpoints and commands are left out. Durations must be in steps.
Experiment rangeTestOf(Experiment experiment);

/// A step of a range test, as in the event log.
struct RangeTestStep {
  float learningRate = 0;
  float loss = 0;          ///< weighted sum of the step
  float smoothedLoss = 0;  ///< NaN: a loss or gradient of the step is not finite
};

/// The course of a range test.
class RangeTest {
 public:
  /// isFinite: whether all losses and gradients of the step are.
  void add(float learningRate, float loss, bool isFinite);
  /// Not empty. smoothedLoss is the exponential average of the losses, with the bias of its start
  /// corrected.
  const std::vector<RangeTestStep>& steps() const { return steps_; }
  bool hasDiverged() const;

 private:
  std::vector<RangeTestStep> steps_;
  double average_ = 0, weight_ = 0;  ///< of the losses, and the sum of their weights
};

struct LearningRateSuggestion {
  /// For solver.base_lr with a warm-up, which the slow rise of the test has, too.
  double baseLr = 0;
  double steepest = 0;             ///< in the middle of the loss's fall
  std::optional<double> diverges;  ///< absent: it did not diverge

  /// `base_lr=0.0191 steepest=0.000115 diverges=0.137`, or `diverges=none`
  std::string text() const;
};

/// nullopt: the loss diverged before it could be judged, or there are hardly any steps.
///
/// All but `diverges` is read from a curve of the logarithm of the losses, smoothed by a Gaussian
/// over the steps before and after: unlike the exponential average it does not lag behind.
///   diverges  the rate of the first step whose exponential average is over 4 times its minimum, or
///             that has a loss or gradient which is not finite
///   base_lr   half of the rate above the minimum at which the curve has risen by 40 %, but at
///             most an eighth of `diverges`; where it does not rise, the rate at the minimum. The
///             minimum itself, where others take a tenth, lies anywhere in a flat valley, while
///             its upper edge varies little with the seed
///   steepest  the rate at which half of the fall to the minimum is behind: where a fall of
///             sigmoid shape is steepest. The largest of many noisy slopes may lie a decade beside
std::optional<LearningRateSuggestion> suggestLearningRates(const std::vector<RangeTestStep>& steps);

}  // namespace lockstep::config
