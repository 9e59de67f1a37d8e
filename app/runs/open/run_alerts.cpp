#include "app/runs/open/run_alerts.h"

#include <QCoreApplication>
#include <algorithm>

#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

using enum protocol::AlertKind;

struct AlertText {
  Q_DECLARE_TR_FUNCTIONS(AlertBanner)
};

/// The last step of an alert. A failure that is repeated after a resume has the step of the resume.
std::int64_t lastStep(const protocol::Alert& alert) { return std::max(alert.step, alert.to); }

bool losesLoss(const std::optional<protocol::AlertKind>& kind) {
  return kind == LearningRateTooHigh || kind == ShortWarmup || kind == ExplodingPart ||
         kind == NonFinite;
}

/// With %1 for the step. Nothing: a kind of a newer version.
QString titleOf(const std::optional<protocol::AlertKind>& kind) {
  if (!kind) return AlertText::tr("Alert at step %1");
  switch (*kind) {
    case Overfitting:
      return AlertText::tr("Overfitting since step %1");
    case NonFinite:
      return AlertText::tr("Non-finite loss at step %1");
    case CheckpointFailed:
      return AlertText::tr("The checkpoint of step %1 was not saved");
    case WriteFailed:
      return AlertText::tr("A file was not written at step %1");
    case LossJump:
      return AlertText::tr("Loss spike at step %1");
    case SlowRank:
      return AlertText::tr("A rank is slow since step %1");
    case RunFailed:
      return AlertText::tr("The run failed at step %1");
    case GradientImbalance:
      return AlertText::tr("Gradients out of balance at step %1");
    case WeightNormJump:
      return AlertText::tr("Weight norms jump at step %1");
    case LearningRateTooHigh:
      return AlertText::tr("Learning rate too high at step %1");
    case LearningRateTooLow:
      return AlertText::tr("Learning rate too low at step %1");
    case ShortWarmup:
      return AlertText::tr("Warm-up too short: loss rises at step %1");
    case Plateau:
      return AlertText::tr("Plateau at step %1");
    case AnchorMismatch:
      return AlertText::tr("Anchors do not fit the objects at step %1");
    case ClassNotFound:
      return AlertText::tr("A class is not found at step %1");
    case DataStarved:
      return AlertText::tr("Training waits for images at step %1");
    case ConstantClipping:
      return AlertText::tr("Gradients always clipped at step %1");
    case DeadPart:
      return AlertText::tr("A part does not learn at step %1");
    case ExplodingPart:
      return AlertText::tr("Gradients explode at step %1");
  }
  return {};
}

}  // namespace

QString alertTitle(const protocol::Alert& alert) {
  return titleOf(alert.kind.value()).arg(stepToShow(alert));
}

std::int64_t stepToShow(const protocol::Alert& alert) {
  if (alert.kind == Overfitting) return alert.from;  // step of the lowest held-out loss
  return lastStep(alert);
}

std::pair<std::int64_t, std::int64_t> evidenceSteps(const protocol::Alert& alert) {
  return alert.to > 0 ? std::pair(alert.from, alert.to) : std::pair(alert.step, alert.step);
}

std::vector<protocol::Alert> adviceIn(const std::vector<protocol::Alert>& alerts) {
  std::vector<protocol::Alert> advice;
  for (auto alert = alerts.rbegin(); alert != alerts.rend() && advice.size() < kMaxAdvice;
       ++alert) {
    const bool isKnown = std::ranges::any_of(advice, [&](const protocol::Alert& newer) {
      return newer.kind.text() == alert->kind.text();
    });
    if (!isKnown && !alert->tags.empty()) advice.push_back(*alert);
  }
  return advice;
}

QString changeOf(const protocol::Alert& alert) {
  if (alert.key.empty() || alert.value.empty()) return {};
  return QString::fromStdString(alert.key + "=" + alert.value);
}

ChangePlace placeOfChange(const protocol::Alert& alert,
                          const std::vector<std::int64_t>& checkpointSteps) {
  if (checkpointSteps.empty()) return ChangePlace::Copy;
  const bool isLost =
      losesLoss(alert.kind.value()) && checkpointSteps.front() > evidenceSteps(alert).first;
  return isLost ? ChangePlace::Copy : ChangePlace::Fork;
}

const protocol::Alert* currentAlert(const RunHistory& history, double dismissedUntil) {
  const std::vector<protocol::Alert>& alerts = history.alerts();
  const MetricSeries* heldOut = history.metrics().series(events::tags::kEvalTotalLoss);
  const std::int64_t lowest = heldOut && heldOut->lowest() ? heldOut->step(*heldOut->lowest()) : 0;
  const auto shown = std::find_if(alerts.rbegin(), alerts.rend(), [&](const auto& alert) {
    const bool isOver = alert.kind == Overfitting && lowest > alert.step;
    const bool hasItsOwnBanner = alert.kind == RunFailed;
    return alert.time > dismissedUntil && !isOver && !hasItsOwnBanner;
  });
  return shown == alerts.rend() ? nullptr : &*shown;
}

QString changeText(ChangePlace place, const QString& change) {
  return (place == ChangePlace::Fork ? AlertText::tr("Fork with %1")
                                     : AlertText::tr("Edit a copy with %1"))
      .arg(change);
}

std::vector<LogEntry> alertLines(const std::vector<protocol::Alert>& alerts,
                                 const std::vector<std::int64_t>& checkpointSteps) {
  std::vector<LogEntry> lines;
  for (const protocol::Alert& alert : alerts) {
    const std::int64_t step = lastStep(alert);
    QString text = AlertText::tr("step %1: %2").arg(step).arg(QString::fromStdString(alert.text));
    if (const QString change = changeOf(alert); !change.isEmpty())
      text += u' ' + changeText(placeOfChange(alert, checkpointSteps), change) + u'.';
    lines.push_back({alert.seq, step, alert.time, levelOf(alert.severity), text.toStdString()});
  }
  return lines;
}

}  // namespace lockstep::app
