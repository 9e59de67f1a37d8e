#include "app/runs/state_pill.h"

#include <QPainter>

#include "app/runs/run_state_text.h"

namespace lockstep::app {

StatePill::StatePill(QWidget* parent) : QWidget(parent) {
  setFont(widgets::interfaceFont(12, QFont::DemiBold));
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StatePill::setState(const QString& state) {
  if (state == state_) return;
  state_ = state;
  setAccessibleName(state);
  update();
}

int StatePill::widthOf(const QString& state) const {
  return fontMetrics().horizontalAdvance(state) + 34;
}

QSize StatePill::sizeHint() const {
  return {widthOf(QStringLiteral("evaluating")), 22};  // the longest of them
}

void StatePill::paintEvent(QPaintEvent*) {
  if (state_.isEmpty()) return;
  const QColor color = stateColor(state_, widgets::currentTheme());
  QColor ground = color;
  ground.setAlpha(42);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(QRect(0, 0, widthOf(state_), height()), height() / 2.0, height() / 2.0);
  painter.setBrush(color);
  painter.drawEllipse(QPointF(13, height() / 2.0), 3.5, 3.5);
  painter.setPen(color);
  painter.drawText(rect().adjusted(22, 0, 0, 0), Qt::AlignVCenter, state_);
}

}  // namespace lockstep::app
