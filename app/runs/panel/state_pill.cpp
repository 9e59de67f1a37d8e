#include "app/runs/panel/state_pill.h"

#include <QPainter>
#include <algorithm>

#include "app/runs/panel/run_state_color.h"

namespace lockstep::app {

StatePill::StatePill(QWidget* parent) : QWidget(parent) {
  setFont(widgets::interfaceFont(12, QFont::DemiBold));
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StatePill::setState(const base::OpenEnum<protocol::RunState>& state) {
  if (state == state_) return;
  state_ = state;
  setAccessibleName(QString::fromStdString(state.text()));
  updateGeometry();
  update();
}

int StatePill::widthOf(const QString& text) const {
  return fontMetrics().horizontalAdvance(text) + 34;
}

QSize StatePill::sizeHint() const {
  const QString own = QString::fromStdString(state_.text());
  return {std::max(widthOf(QStringLiteral("evaluating")), widthOf(own)), widgets::scaledPx(22)};
}

void StatePill::paintEvent(QPaintEvent*) {
  if (state_.isEmpty()) return;
  const QString text = QString::fromStdString(state_.text());
  const QColor color = stateColor(state_, widgets::currentTheme());
  QColor background = color;
  background.setAlpha(42);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(background);
  painter.drawRoundedRect(QRect(0, 0, widthOf(text), height()), height() / 2.0, height() / 2.0);
  painter.setBrush(color);
  painter.drawEllipse(QPointF(13, height() / 2.0), 3.5, 3.5);
  painter.setPen(color);
  painter.drawText(rect().adjusted(22, 0, 0, 0), Qt::AlignVCenter, text);
}

}  // namespace lockstep::app
