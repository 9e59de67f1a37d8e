#pragma once

#include <QtGlobal>
#include <cstdint>
#include <map>
#include <vector>

#include "app/models/metric_store.h"

namespace lockstep::app {

/// The steps of a run whose predictions can be shown: those with stored predictions and those with
/// a checkpoint to predict with.
class PredictionSteps {
 public:
  PredictionSteps() = default;
  /// Both rise.
  PredictionSteps(const std::vector<std::int64_t>& stored, const std::vector<std::int64_t>& kept);

  /// Rising.
  const std::vector<qint64>& all() const { return steps_; }
  bool isEmpty() const { return steps_.empty(); }
  /// Shown while nobody chose: the newest that can be predicted with, before all one that shows
  /// something; where no checkpoint is kept, the newest with stored predictions. 0: there is none.
  qint64 toOpenWith() const { return toOpenWith_; }
  /// The newest at or before a step, else the first. There must be one.
  qint64 atOrBefore(qint64 step) const;
  /// The run was resumed there.
  void forgetAfter(qint64 step);

 private:
  std::vector<qint64> steps_;
  qint64 toOpenWith_ = 0;
};

/// AP of masks by step, of boxes where the model has no masks.
std::map<qint64, double> maskOrBoxAp(const MetricStore& metrics);

}  // namespace lockstep::app
