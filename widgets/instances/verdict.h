#pragma once

#include <QString>

namespace lockstep::widgets {

/// Result of matching an instance at the chosen thresholds.
enum class Verdict {
  TruePositive,
  FalsePositive,
  Missed,
  /// A detection on a crowd region, or over the limit of its class: not counted.
  Ignored,
  Unjudged,  ///< a detection on an image whose objects are not known
};

QString verdictName(Verdict verdict);

}  // namespace lockstep::widgets
