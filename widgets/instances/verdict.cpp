#include "widgets/instances/verdict.h"

namespace lockstep::widgets {

QString verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::TruePositive:
      return QStringLiteral("true positive");
    case Verdict::FalsePositive:
      return QStringLiteral("false positive");
    case Verdict::Missed:
      return QStringLiteral("missed");
    case Verdict::Ignored:
      return QStringLiteral("on a crowd");
  }
  return {};
}

QString errorName(InstanceError error) {
  switch (error) {
    case InstanceError::None:
      return {};
    case InstanceError::Localisation:
      return QStringLiteral("localisation");
    case InstanceError::Duplicate:
      return QStringLiteral("duplicate");
    case InstanceError::WrongClass:
      return QStringLiteral("class");
    case InstanceError::Background:
      return QStringLiteral("background");
    case InstanceError::Missed:
      return QStringLiteral("missed");
  }
  return {};
}

}  // namespace lockstep::widgets
