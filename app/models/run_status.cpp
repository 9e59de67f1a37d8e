#include "app/models/run_status.h"

#include <QCoreApplication>

namespace lockstep::app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("TopBar", text); }

}  // namespace

bool RunStatus::isWorking() const {
  return state == QLatin1String("running") || state == QLatin1String("evaluating");
}

bool RunStatus::canStop() const {
  return isLive && (isWorking() || state == QLatin1String("paused"));
}

bool RunStatus::resumes() const { return state == QLatin1String("paused") || canResume; }

QString RunStatus::stepText() const {
  if (state.isEmpty()) return {};
  return maxSteps > 0 ? tr("step %1 / %2").arg(step).arg(maxSteps) : tr("step %1").arg(step);
}

QString RunStatus::widestStepText() const {
  return maxSteps > 0 ? tr("step %1 / %2").arg(maxSteps).arg(maxSteps) : QString();
}

}  // namespace lockstep::app
