#pragma once

#include <QWidget>

#include "widgets/spoken_value.h"

namespace lockstep::widgets {

/// The line between two pictures that lie on each other. It is moved with the mouse, or by a
/// twentieth of the parent's width with the arrow keys; its owner places it.
class WipeDivider : public QWidget, public SpokenValue {
  Q_OBJECT

 public:
  explicit WipeDivider(QWidget* parent);
  /// Of the parent's width.
  void setShare(double share);
  QAccessible::Role spokenRole() const override { return QAccessible::Slider; }
  QString spokenValue() const override;

 Q_SIGNALS:
  /// A person moves it; 0 … 1.
  void moved(double share);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  double share_ = 0.5;
};

}  // namespace lockstep::widgets
