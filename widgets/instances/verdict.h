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

QString verdictName(Verdict verdict);

}  // namespace lockstep::widgets
