#include "widgets/config_editor/switch_button.h"

#include <QPainter>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kTrackWidthPx = 30, kTrackHeightPx = 16;

}  // namespace

SwitchButton::SwitchButton(QWidget* parent) : QAbstractButton(parent) {
  setCheckable(true);
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
}

void SwitchButton::setInherited(bool inherited) {
  isInherited_ = inherited;
  update();
}

QSize SwitchButton::sizeHint() const {
  return {kTrackWidthPx + 8 + fontMetrics().horizontalAdvance(QStringLiteral("off")), 22};
}

void SwitchButton::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF track(1, (height() - kTrackHeightPx) / 2.0, kTrackWidthPx, kTrackHeightPx);
  const bool isFaint = isInherited_ || !isEnabled();
  const QColor on = isFaint ? theme.textFaint : theme.accent;
  painter.setPen(QPen(hasFocus()    ? theme.accent
                      : isChecked() ? on
                                    : theme.textFaint,
                      hasFocus() ? 1.6 : 1.0));
  painter.setBrush(isChecked() ? on : theme.field);
  painter.drawRoundedRect(track, kTrackHeightPx / 2.0, kTrackHeightPx / 2.0);
  const double radius = kTrackHeightPx / 2.0 - 3.0;
  const double x = isChecked() ? track.right() - radius - 3 : track.left() + radius + 3;
  painter.setPen(Qt::NoPen);
  painter.setBrush(isChecked() ? theme.card : theme.textFaint);
  painter.drawEllipse(QPointF(x, track.center().y()), radius, radius);
  painter.setPen(isFaint ? theme.textFaint : theme.text);
  painter.drawText(rect().adjusted(kTrackWidthPx + 8, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                   isChecked() ? tr("on") : tr("off"));
}

}  // namespace lockstep::widgets
