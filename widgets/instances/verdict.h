#pragma once

#include <QString>

namespace lockstep::widgets {

/// Result of matching an instance at the chosen thresholds.
enum class Verdict {
  TruePositive,
  FalsePositive,
  Missed,
  /// A detection on a crowd region, over the limit of its class, or of a class that the annotations
  /// do not list: not counted.
  Ignored,
  Unjudged,  ///< a detection on an image whose objects are not known
};

QString verdictName(Verdict verdict);
/// `TP`; of those that have no abbreviation their name.
QString verdictAbbreviation(Verdict verdict);

}  // namespace lockstep::widgets
