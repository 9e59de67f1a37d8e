#pragma once

#include <QCoreApplication>
#include <vector>

#include "app/metrics/learning_rate_steps.h"
#include "app/runs/open/shown_run.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// What has happened in the runs that are shown, as marks on the x axis.
class RunMarks {
  Q_DECLARE_TR_FUNCTIONS(MonitorPage)

 public:
  /// Of the first run everything, of the others where they are forks of another run: they are
  /// looked at beside it.
  std::vector<widgets::EventMark> of(const std::vector<ShownRun>& runs, widgets::XAxis axis);

 private:
  LearningRateSteps learningRate_;  ///< of the first run
};

}  // namespace lockstep::app
