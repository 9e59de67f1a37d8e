#pragma once

#include <QAbstractSpinBox>

namespace lockstep::widgets {

/// A line with arrows up and down that takes any text: what a step does is up to its owner.
class StepBox : public QAbstractSpinBox {
  Q_OBJECT

 public:
  explicit StepBox(QWidget* parent = nullptr);

  using QAbstractSpinBox::lineEdit;
  void stepBy(int steps) override;

 Q_SIGNALS:
  /// An arrow, its key, a page key or the wheel; negative: down.
  void stepRequested(int steps);

 protected:
  StepEnabled stepEnabled() const override;
};

}  // namespace lockstep::widgets
