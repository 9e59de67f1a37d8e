#include "widgets/bars/bar_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {

BarChart::BarChart(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void BarChart::setBars(std::vector<Bar> bars) {
  bars_ = std::move(bars);
  most_ = 1;
  for (const Bar& bar : bars_) most_ = std::max(most_, bar.count);
  chosen_ = hovered_ = -1;
  cursor_ = 0;
  handleBars();
  update();
}

void BarChart::setChosen(int bar) {
  chosen_ = bar;
  if (bar >= 0) cursor_ = bar;
  update();
}

QString BarChart::spokenValue() const {
  if (bars_.empty()) return tr("nothing");
  return bars_[static_cast<std::size_t>(cursor_)].tip;
}

QColor BarChart::colorOf(int bar) const {
  const Theme& theme = currentTheme();
  if (bar == chosen_) return theme.accent;
  return blend(theme.card, theme.textMuted, bar == hovered_ ? 0.85 : 0.6);
}

void BarChart::paintCursor(QPainter& painter) const {
  if (!hasFocus() || bars_.empty()) return;
  painter.setPen(QPen(currentTheme().accent, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(placeOf(cursor_).adjusted(0.5, 0.5, -0.5, -0.5));
}

int BarChart::barAt(QPointF position) const {
  for (int bar = 0; bar < static_cast<int>(bars_.size()); ++bar)
    if (placeOf(bar).contains(position)) return bar;
  return -1;
}

void BarChart::moveCursor(int bar) {
  if (bars_.empty()) return;
  cursor_ = std::clamp(bar, 0, static_cast<int>(bars_.size()) - 1);
  showCursor(cursor_);
  announce(this, *this);
  update();
}

void BarChart::choose(int bar) {
  if (bar < 0 || !isChoosable_) return;
  cursor_ = bar;
  chosen_ = bar == chosen_ ? -1 : bar;
  update();
  Q_EMIT barChosen(chosen_);
}

bool BarChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int bar = barAt(help->pos());
  QToolTip::showText(help->globalPos(),
                     bar < 0 ? QString() : bars_[static_cast<std::size_t>(bar)].tip, this);
  return true;
}

void BarChart::mouseMoveEvent(QMouseEvent* event) {
  const int bar = barAt(event->position());
  if (bar == hovered_) return;
  hovered_ = bar;
  setCursor(bar < 0 || !isChoosable_ ? Qt::ArrowCursor : Qt::PointingHandCursor);
  update();
}

void BarChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(barAt(event->position()));
}

void BarChart::leaveEvent(QEvent* event) {
  hovered_ = -1;
  update();
  QWidget::leaveEvent(event);
}

void BarChart::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
      return moveCursor(cursor_ - 1);
    case Qt::Key_Right:
    case Qt::Key_Down:
      return moveCursor(cursor_ + 1);
    case Qt::Key_Home:
      return moveCursor(0);
    case Qt::Key_End:
      return moveCursor(static_cast<int>(bars_.size()) - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      return choose(bars_.empty() ? -1 : cursor_);
    default:
      QWidget::keyPressEvent(event);
  }
}

void BarChart::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  showCursor(cursor_);
  update();
}

void BarChart::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

}  // namespace lockstep::widgets
