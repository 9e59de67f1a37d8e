#include "widgets/image_view/wipe_divider.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kShareOfKey = 0.05;
constexpr int kWidthPx = 12, kHandleHeightPx = 36;

}  // namespace

WipeDivider::WipeDivider(QWidget* parent) : QWidget(parent) {
  setFixedWidth(scaledPx(kWidthPx));
  setCursor(Qt::SplitHCursor);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Divider between A and B"));
  setToolTip(tr("Drag it, or press Left and Right: A is before it, B after it"));
}

void WipeDivider::setShare(double share) {
  share_ = share;
  const int x = static_cast<int>(std::lround(share * parentWidget()->width()));
  setGeometry(x - width() / 2, 0, width(), parentWidget()->height());
}

QString WipeDivider::spokenValue() const {
  return tr("%1 % of the width").arg(std::lround(100 * share_));
}

void WipeDivider::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor color = hasFocus() || underMouse() ? theme.accent : theme.text;
  painter.fillRect(width() / 2 - 1, 0, 3, height(), theme.window);
  painter.fillRect(width() / 2, 0, 1, height(), color);
  const int handle = scaledPx(kHandleHeightPx);
  const QRectF grip(0.5, (height() - handle) / 2.0, width() - 1, handle);
  painter.setPen(color);
  painter.setBrush(theme.card);
  painter.drawRoundedRect(grip, 4, 4);
  for (const double x : {width() / 2.0 - 1.5, width() / 2.0 + 1.5})
    painter.drawLine(QPointF(x, grip.top() + 10), QPointF(x, grip.bottom() - 10));
}

void WipeDivider::mouseMoveEvent(QMouseEvent* event) {
  if (!event->buttons().testFlag(Qt::LeftButton) || parentWidget()->width() == 0) return;
  const double at = mapToParent(event->position()).x() / parentWidget()->width();
  Q_EMIT moved(std::clamp(at, 0.0, 1.0));
}

void WipeDivider::keyPressEvent(QKeyEvent* event) {
  const int direction = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  if (direction == 0) return QWidget::keyPressEvent(event);
  Q_EMIT moved(std::clamp(share_ + direction * kShareOfKey, 0.0, 1.0));
  announce(this, *this);
}

}  // namespace lockstep::widgets
