#include "widgets/instances/verdict.h"

namespace lockstep::widgets {

QString verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::TruePositive:
      return QStringLiteral("true positive");
    case Verdict::FalsePositive:
      return QStringLiteral("false positive");
    case Verdict::Missed:
      return QStringLiteral("false negative");
    case Verdict::Ignored:
      return QStringLiteral("ignored");
  }
  return {};
}

}  // namespace lockstep::widgets
