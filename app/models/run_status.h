#pragma once

#include <QString>
#include <QtGlobal>
#include <optional>

#include "engine/base/open_enum.h"
#include "engine/protocol/run_state.h"

namespace lockstep::app {

/// State of the current run as the top bar shows it, and the commands that are possible.
struct TopBarStatus {
  QString name;
  QString tip{};                             ///< its folder, and what else the list says of it
  base::OpenEnum<protocol::RunState> state;  ///< empty: no run
  qint64 step = 0, maxSteps = 0;
  std::optional<double> secondsLeft, imagesPerSecond, averagePrecision, heldOutLoss;
  QString averagePrecisionName;  ///< "mask AP"
  /// What the two metrics are of, for their tool tips.
  QString averagePrecisionScope, heldOutLossScope;
  bool isHidden = false;   ///< hidden by the filter of the run list
  bool isLive = false;     ///< connected to its engine
  bool canResume = false;  ///< it ended before its last step and can be resumed

  bool isWorking() const;
  bool canStop() const;
  /// The pause button resumes instead.
  bool resumes() const;
  /// Such as "step 120 / 400".
  QString stepText() const;
  /// The widest text that stepText() can return; empty: unknown.
  QString widestStepText() const;
};

}  // namespace lockstep::app
