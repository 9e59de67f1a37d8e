#include "widgets/instances/verdict.h"

#include <QCoreApplication>

namespace lockstep::widgets {

QString verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::TruePositive:
      return QCoreApplication::translate("Verdict", "true positive");
    case Verdict::FalsePositive:
      return QCoreApplication::translate("Verdict", "false positive");
    case Verdict::Missed:
      return QCoreApplication::translate("Verdict", "false negative");
    case Verdict::Ignored:
      return QCoreApplication::translate("Verdict", "ignored");
    case Verdict::Unjudged:
      return QCoreApplication::translate("Verdict", "prediction");
  }
  return {};
}

QString verdictAbbreviation(Verdict verdict) {
  switch (verdict) {
    case Verdict::TruePositive:
      return QCoreApplication::translate("Verdict", "TP");
    case Verdict::FalsePositive:
      return QCoreApplication::translate("Verdict", "FP");
    case Verdict::Missed:
      return QCoreApplication::translate("Verdict", "FN");
    default:
      return verdictName(verdict);
  }
}

}  // namespace lockstep::widgets
