#pragma once

#include <QComboBox>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// The choice of what curves are drawn over.
class AxisChoice : public QComboBox {
  Q_OBJECT

 public:
  explicit AxisChoice(QWidget* parent = nullptr);

  XAxis axis() const { return static_cast<XAxis>(currentData().toInt()); }
  void setAxis(XAxis axis);

 Q_SIGNALS:
  void axisChanged(lockstep::widgets::XAxis axis);
};

}  // namespace lockstep::widgets
