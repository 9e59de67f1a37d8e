#include "widgets/config_editor/step_box.h"

namespace lockstep::widgets {

StepBox::StepBox(QWidget* parent) : QAbstractSpinBox(parent) { setFocusPolicy(Qt::StrongFocus); }

void StepBox::stepBy(int steps) { Q_EMIT stepRequested(steps); }

QAbstractSpinBox::StepEnabled StepBox::stepEnabled() const {
  return StepUpEnabled | StepDownEnabled;
}

}  // namespace lockstep::widgets
