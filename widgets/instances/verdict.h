#pragma once

#include <QString>

namespace lockstep::widgets {

/// How an instance stands to the other side at the chosen thresholds.
enum class Verdict {
  TruePositive,
  FalsePositive,
  Missed,
  /// A detection on a crowd region, or past the hundred best of its class: counts neither way.
  Ignored,
};

/// What is wrong with an instance.
enum class InstanceError {
  None,
  Localisation,  ///< right class, but the overlap is too small for a match
  Duplicate,     ///< its object is already taken by a detection with a higher score
  WrongClass,    ///< matches an object of another class
  Background,    ///< matches nothing
  Missed,
};

QString verdictName(Verdict verdict);
QString errorName(InstanceError error);

}  // namespace lockstep::widgets
