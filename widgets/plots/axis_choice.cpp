#include "widgets/plots/axis_choice.h"

namespace lockstep::widgets {

AxisChoice::AxisChoice(QWidget* parent) : QComboBox(parent) {
  setAccessibleName(tr("X axis"));
  addItem(tr("x: step"), static_cast<int>(XAxis::Step));
  addItem(tr("x: epoch"), static_cast<int>(XAxis::Epoch));
  addItem(tr("x: images"), static_cast<int>(XAxis::Images));
  addItem(tr("x: relative time"), static_cast<int>(XAxis::Relative));
  addItem(tr("x: wall time"), static_cast<int>(XAxis::Wall));
  connect(this, &QComboBox::currentIndexChanged, this, [this] { Q_EMIT axisChanged(axis()); });
}

void AxisChoice::setAxis(XAxis axis) {
  if (const int index = findData(static_cast<int>(axis)); index >= 0) setCurrentIndex(index);
}

}  // namespace lockstep::widgets
