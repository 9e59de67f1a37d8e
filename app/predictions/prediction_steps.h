#pragma once

#include <QtGlobal>
#include <cstdint>
#include <map>
#include <vector>

#include "app/metrics/metric_store.h"

namespace lockstep::app {

/// The steps of a run whose predictions can be shown: those with stored predictions and those with
/// a checkpoint to predict with.
class PredictionSteps {
 public:
  PredictionSteps() = default;
  /// Steps with stored predictions and steps with a checkpoint, both ascending.
  PredictionSteps(const std::vector<std::int64_t>& stored, const std::vector<std::int64_t>& kept);

  /// Ascending.
  const std::vector<qint64>& all() const { return steps_; }
  bool isEmpty() const { return steps_.empty(); }
  bool contains(qint64 step) const;
  /// The step to show by default: the newest with both a checkpoint and stored predictions, else
  /// the newest with a checkpoint, else the newest with predictions. 0: there is none.
  qint64 initialStep() const { return initialStep_; }
  /// The newest step at or before `step`, else the first one. Must not be empty.
  qint64 atOrBefore(qint64 step) const;
  /// The older of two. Must not be empty.
  qint64 nearestTo(qint64 step) const;
  /// Removes later steps: the run was resumed at `step`.
  void forgetAfter(qint64 step);

 private:
  std::vector<qint64> steps_;
  qint64 initialStep_ = 0;
};

/// The values of a tag by step; empty: the run has none.
std::map<qint64, double> valuesByStep(const MetricStore& metrics, const char* tag);

/// Mask AP by step, or box AP if the model has no masks.
std::map<qint64, double> maskOrBoxAp(const MetricStore& metrics);

}  // namespace lockstep::app
