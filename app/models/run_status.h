#pragma once

#include <QString>
#include <QtGlobal>
#include <optional>

#include "engine/base/open_enum.h"
#include "engine/protocol/run_state.h"

namespace lockstep::app {

/// What the window tells about the chosen run, and what it can be asked for.
struct RunStatus {
  QString name;
  base::OpenEnum<protocol::RunState> state;  ///< empty: no run
  qint64 step = 0, maxSteps = 0;
  std::optional<double> secondsLeft, imagesPerSecond, averagePrecision, heldOutLoss;
  QString averagePrecisionName;  ///< "last AP"
  bool isHidden = false;         ///< by the filter of the run list
  bool isLive = false;           ///< its engine can be asked
  bool canResume = false;        ///< it ended before its last step, and can go on

  bool isWorking() const;
  bool canStop() const;
  /// The button that pauses resumes instead.
  bool resumes() const;
  /// How far it is.
  QString stepText() const;
  /// As wide as stepText() can get; empty: not known.
  QString widestStepText() const;
};

}  // namespace lockstep::app
