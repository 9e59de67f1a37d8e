#include "app/models/run_status.h"

#include <QCoreApplication>

namespace lockstep::app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("TopBar", text); }

}  // namespace

bool TopBarStatus::isWorking() const {
  return state == protocol::RunState::Running || state == protocol::RunState::Evaluating;
}

bool TopBarStatus::canStop() const {
  return isLive && (isWorking() || state == protocol::RunState::Paused);
}

bool TopBarStatus::resumes() const { return state == protocol::RunState::Paused || canResume; }

QString TopBarStatus::stepText() const {
  if (state.isEmpty()) return {};
  return maxSteps > 0 ? tr("step %1 / %2").arg(step).arg(maxSteps) : tr("step %1").arg(step);
}

QString TopBarStatus::widestStepText() const {
  return maxSteps > 0 ? tr("step %1 / %2").arg(maxSteps).arg(maxSteps) : QString();
}

}  // namespace lockstep::app
