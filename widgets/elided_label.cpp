#include "widgets/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <algorithm>

namespace lockstep::widgets {

ElidedLabel::ElidedLabel(Qt::TextElideMode mode, QWidget* parent) : ElidedLabel({}, mode, parent) {}

ElidedLabel::ElidedLabel(const QString& text, Qt::TextElideMode mode, QWidget* parent)
    : QLabel(text, parent), mode_(mode) {}

QString ElidedLabel::shownText() const {
  return fontMetrics().elidedText(text(), mode_, contentsRect().width());
}

QSize ElidedLabel::sizeOf(const QString& text) const {
  const QMargins margins = contentsMargins();
  // One pixel more: the advance is rounded, so a text of exactly this width could be elided.
  return {fontMetrics().horizontalAdvance(text) + 1 + margins.left() + margins.right(),
          fontMetrics().height() + margins.top() + margins.bottom()};
}

QSize ElidedLabel::sizeHint() const {
  ensurePolished();
  return sizeOf(text());
}

QSize ElidedLabel::minimumSizeHint() const {
  const QSize dots = sizeOf(QStringLiteral("…"));
  return {std::min(dots.width(), sizeHint().width()), dots.height()};
}

bool ElidedLabel::event(QEvent* event) {
  const bool isCut = event->type() == QEvent::ToolTip && shownText() != text();
  if (!isCut) return QLabel::event(event);
  const QString more = toolTip().contains(text()) ? toolTip()
                       : toolTip().isEmpty()      ? text()
                                                  : text() + QLatin1Char('\n') + toolTip();
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), more, this);
  return true;
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  drawFrame(&painter);
  style()->drawItemText(&painter, contentsRect(),
                        static_cast<int>(QStyle::visualAlignment(layoutDirection(), alignment())) |
                            Qt::TextSingleLine,
                        palette(), isEnabled(), shownText(), foregroundRole());
}

}  // namespace lockstep::widgets
