#include "widgets/control_paint.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <QStyleOption>
#include <QVariant>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "widgets/literal_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets::paint {
namespace {

bool has(const QStyleOption& option, QStyle::StateFlag flag) { return option.state & flag; }

ButtonLook plainButton(const QStyleOption& option, const Theme& theme) {
  ButtonLook look{{theme.card, theme.cardBorder}, theme.text};
  if (has(option, QStyle::State_MouseOver)) look.box.fill = theme.hover;
  if (has(option, QStyle::State_Sunken)) look.box.fill = theme.selection;
  if (has(option, QStyle::State_HasFocus)) look.box.border = theme.accent;
  if (!has(option, QStyle::State_Enabled)) look = {{theme.panel, theme.divider}, theme.textFaint};
  if (has(option, QStyle::State_On)) look.box = {theme.selection, theme.accent};
  return look;
}

ButtonLook primaryButton(const QStyleOption& option, const Theme& theme) {
  if (!has(option, QStyle::State_Enabled))
    return {{theme.selection, theme.selection}, theme.textFaint};
  ButtonLook look{{theme.accent, theme.accent}, theme.accentText};
  if (has(option, QStyle::State_MouseOver)) look.box.fill = blend(theme.accent, theme.text, 0.15);
  if (has(option, QStyle::State_HasFocus)) look.box.border = theme.text;
  return look;
}

ButtonLook quietButton(const QStyleOption& option, const Theme& theme) {
  ButtonLook look{{}, theme.textMuted};
  if (has(option, QStyle::State_MouseOver)) look = {{theme.hover, {}}, theme.text};
  if (has(option, QStyle::State_HasFocus)) look.box.border = theme.accent;
  if (has(option, QStyle::State_On)) look = {{theme.selection, {}}, theme.text};
  if (has(option, QStyle::State_On) && has(option, QStyle::State_HasFocus))
    look.box.border = theme.accent;
  if (!has(option, QStyle::State_Enabled)) look.text = theme.textFaint;
  return look;
}

ButtonLook iconButton(const QStyleOption& option, const Theme& theme) {
  ButtonLook look{{}, theme.text};
  if (has(option, QStyle::State_MouseOver) || has(option, QStyle::State_On))
    look.box.fill = theme.hover;
  if (has(option, QStyle::State_HasFocus)) look.box.border = theme.accent;
  return look;
}

QPolygonF tickAt(const QPointF& centre) {
  return QPolygonF{{-3.4, 0.2}, {-1, 2.6}, {3.6, -2.6}}.translated(centre);
}

/// Of a groove that is filled up to a place.
void drawGroove(QPainter& painter, const QRectF& groove, double filledPx, const QColor& color) {
  const double radius = groove.height() / 2;
  painter.setPen(Qt::NoPen);
  painter.setBrush(currentTheme().cardBorder);
  painter.drawRoundedRect(groove, radius, radius);
  painter.setBrush(color);
  painter.drawRoundedRect(
      QRectF(groove.topLeft(), QSizeF(std::clamp(filledPx, 0.0, groove.width()), groove.height())),
      radius, radius);
}

}  // namespace

QString roleOf(const QWidget* widget) {
  return widget ? widget->property("role").toString() : QString();
}

void drawBox(QPainter& painter, const QRect& rect, const Box& box) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(box.border.isValid() ? QPen(box.border, 1) : QPen(Qt::NoPen));
  painter.setBrush(box.fill.isValid() ? QBrush(box.fill) : QBrush(Qt::NoBrush));
  const double inset = box.border.isValid() ? 0.5 : 0;
  painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), box.radius,
                          box.radius);
  painter.restore();
}

void drawChevron(QPainter& painter, const QRectF& rect, Direction direction, const QColor& color) {
  constexpr double kHalfWidthPx = 3.5, kHalfHeightPx = 1.75;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(rect.center());
  painter.rotate(direction == Direction::Down   ? 0
                 : direction == Direction::Up   ? 180
                 : direction == Direction::Left ? 90
                                                : -90);
  painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPolyline(QPolygonF{
      {-kHalfWidthPx, -kHalfHeightPx}, {0, kHalfHeightPx}, {kHalfWidthPx, -kHalfHeightPx}});
  painter.restore();
}

ButtonLook buttonLook(const QStyleOption& option, const QString& role) {
  const Theme& theme = currentTheme();
  if (role == QLatin1String("primary")) return primaryButton(option, theme);
  if (role == QLatin1String("quiet") || role == QLatin1String("small"))
    return quietButton(option, theme);
  if (role == QLatin1String("icon")) return iconButton(option, theme);
  if (role == QLatin1String("link")) {
    return {{{}, has(option, QStyle::State_HasFocus) ? theme.accent : QColor()}, theme.accent};
  }
  ButtonLook look = plainButton(option, theme);
  if (role == QLatin1String("danger") && has(option, QStyle::State_Enabled))
    look.text = theme.error;
  return look;
}

QMargins buttonPadding(const QWidget* widget) {
  const QString role = roleOf(widget);
  if (role == QLatin1String("link") || role == QLatin1String("icon")) return {2, 2, 2, 2};
  if (role == QLatin1String("small")) return {8, 4, 8, 4};
  return widget && widget->inherits("QToolButton") ? QMargins(9, 5, 9, 5) : QMargins(13, 6, 13, 6);
}

void drawInput(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
  const Theme& theme = currentTheme();
  Box box{has(option, QStyle::State_Enabled) ? theme.field : theme.panel, theme.cardBorder};
  if (has(option, QStyle::State_HasFocus)) box.border = theme.accent;
  if (widget && widget->property("invalid").toBool()) box.border = theme.error;
  drawBox(painter, option.rect, box);
}

QRect stepArrow(const QRect& box, bool isUp) {
  const QRect column(box.right() - kStepsPx, box.top() + 2, kStepsPx, (box.height() - 4) / 2);
  return isUp ? column : column.translated(0, column.height());
}

/// Faint arrows, that under the pointer bright: a form has many.
void drawSpinBox(QPainter& painter, const QStyleOptionSpinBox& option, const QWidget* widget) {
  const Theme& theme = currentTheme();
  drawInput(painter, option, widget);
  if (!has(option, QStyle::State_Enabled)) return;
  for (const bool isUp : {true, false}) {
    const auto part = isUp ? QStyle::SC_SpinBoxUp : QStyle::SC_SpinBoxDown;
    const bool isPointedAt = option.activeSubControls == part;
    drawChevron(painter, stepArrow(option.rect, isUp), isUp ? Direction::Up : Direction::Down,
                isPointedAt ? theme.text : theme.textFaint);
  }
}

void drawCheckBox(QPainter& painter, const QStyleOption& option) {
  const Theme& theme = currentTheme();
  const bool isOn = has(option, QStyle::State_On);
  const bool isPointedAt =
      has(option, QStyle::State_MouseOver) || has(option, QStyle::State_HasFocus);
  drawBox(
      painter, option.rect,
      {isOn ? theme.accent : theme.field, isOn || isPointedAt ? theme.accent : theme.textFaint, 3});
  if (!isOn && !has(option, QStyle::State_NoChange)) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(QRectF(option.rect).center());
  painter.setPen(QPen(isOn ? theme.accentText : theme.accent, 1.8, Qt::SolidLine, Qt::RoundCap,
                      Qt::RoundJoin));
  if (isOn)
    painter.drawPolyline(tickAt({}));
  else
    painter.drawLine(QPointF(-3, 0), QPointF(3, 0));
  painter.restore();
}

void drawFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
  const Theme& theme = currentTheme();
  const QString role = roleOf(widget);
  if (role == QLatin1String("card"))
    return drawBox(painter, option.rect, {theme.card, theme.cardBorder, 8});
  if (widget && widget->inherits("QAbstractItemView")) return;
  if (widget && (widget->inherits("QTextEdit") || widget->inherits("QPlainTextEdit"))) {
    const bool isEnabled = has(option, QStyle::State_Enabled);
    return drawBox(painter, option.rect, {isEnabled ? theme.field : theme.panel, theme.cardBorder});
  }
  const bool isPopup = widget && widget->windowType() == Qt::Popup;
  drawBox(painter, option.rect, {isPopup ? theme.card : QColor(), theme.cardBorder, 0});
}

void drawTabShape(QPainter& painter, const QStyleOptionTab& option) {
  if (!has(option, QStyle::State_Selected)) return;
  constexpr int kUnderlinePx = 2;
  const QRect& rect = option.rect;
  painter.fillRect(QRect(rect.left(), rect.bottom() + 1 - kUnderlinePx, rect.width(), kUnderlinePx),
                   currentTheme().accent);
}

QColor tabTextColor(const QStyleOptionTab& option) {
  const Theme& theme = currentTheme();
  if (has(option, QStyle::State_HasFocus)) return theme.accent;
  if (!has(option, QStyle::State_Enabled)) return theme.textFaint;
  const bool isBright = has(option, QStyle::State_Selected) || has(option, QStyle::State_MouseOver);
  return isBright ? theme.text : theme.textMuted;
}

void drawMenuItem(QPainter& painter, const QStyleOptionMenuItem& option) {
  const Theme& theme = currentTheme();
  if (option.menuItemType == QStyleOptionMenuItem::Separator) {
    const QRect line(option.rect.left() + 6, option.rect.center().y(), option.rect.width() - 12, 1);
    painter.fillRect(line, theme.divider);
    return;
  }
  const bool isEnabled = has(option, QStyle::State_Enabled);
  if (has(option, QStyle::State_Selected) && isEnabled)
    drawBox(painter, option.rect, {theme.selection, {}, 4});
  const QColor color = isEnabled ? theme.text : theme.textFaint;
  const QRect texts = option.rect.marginsRemoved(kMenuItemPadding);
  const QRectF mark(option.rect.left() + 3, option.rect.center().y() - 7, 15, 15);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  if (option.checked && option.checkType != QStyleOptionMenuItem::NotCheckable) {
    painter.setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(color);
    if (option.checkType == QStyleOptionMenuItem::Exclusive) {
      painter.drawEllipse(mark.center(), 2.2, 2.2);
    } else {
      painter.drawPolyline(tickAt(mark.center()));
    }
  } else if (!option.icon.isNull()) {
    option.icon.paint(&painter, mark.toAlignedRect(), Qt::AlignCenter,
                      isEnabled ? QIcon::Normal : QIcon::Disabled);
  }
  if (option.menuItemType == QStyleOptionMenuItem::SubMenu) {
    drawChevron(painter, {option.rect.right() - 17.0, option.rect.center().y() - 6.0, 12, 12},
                Direction::Right, color);
  }
  const QString text = inertText(option.text.section(QLatin1Char('\t'), 0, 0));
  const QString keys = option.text.section(QLatin1Char('\t'), 1);
  painter.setFont(option.font);
  painter.setPen(color);
  constexpr int kFlags = Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextShowMnemonic;
  painter.drawText(texts, kFlags | Qt::AlignLeft,
                   option.fontMetrics.elidedText(text, Qt::ElideMiddle, texts.width(), kFlags));
  painter.setPen(isEnabled ? theme.textMuted : theme.textFaint);
  painter.drawText(texts.adjusted(0, 0, 14, 0), kFlags | Qt::AlignRight, keys);
  painter.restore();
}

QRect sliderGroove(const QStyleOptionSlider& option) {
  constexpr int kGroovePx = 4;
  const QRect& rect = option.rect;
  return {rect.left(), rect.center().y() - kGroovePx / 2 + 1, rect.width(), kGroovePx};
}

QRect sliderHandle(const QStyleOptionSlider& option) {
  const QRect& rect = option.rect;
  const int at =
      QStyle::sliderPositionFromValue(option.minimum, option.maximum, option.sliderPosition,
                                      rect.width() - kSliderHandlePx, option.upsideDown);
  return {rect.left() + at, sliderGroove(option).center().y() - kSliderHandlePx / 2 + 1,
          kSliderHandlePx, kSliderHandlePx};
}

void drawSlider(QPainter& painter, const QStyleOptionSlider& option) {
  const Theme& theme = currentTheme();
  const bool isEnabled = has(option, QStyle::State_Enabled);
  const QColor knob = !isEnabled ? theme.textFaint : theme.isDark ? theme.text : theme.accent;
  const QRectF groove(sliderGroove(option)), handle(sliderHandle(option));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  drawGroove(painter, groove, handle.center().x() - groove.left(),
             isEnabled ? theme.accent : theme.textFaint);
  const bool hasFocus = has(option, QStyle::State_HasFocus);
  painter.setBrush(hasFocus ? theme.accent : knob);
  painter.setPen(hasFocus ? QPen(theme.isDark ? theme.text : theme.selection, 2) : QPen(Qt::NoPen));
  painter.drawEllipse(hasFocus ? handle.adjusted(1, 1, -1, -1) : handle);
  painter.restore();
}

QRect scrollBarHandle(const QStyleOptionSlider& option) {
  constexpr int kMinHandlePx = 24;
  const bool isHorizontal = option.orientation == Qt::Horizontal;
  const int length = isHorizontal ? option.rect.width() : option.rect.height();
  const double range = static_cast<double>(option.maximum) - option.minimum;
  const double share = option.pageStep / std::max(1.0, range + option.pageStep);
  const int handle = std::min(length, std::max(kMinHandlePx, static_cast<int>(share * length)));
  const int at = QStyle::sliderPositionFromValue(
      option.minimum, option.maximum, option.sliderPosition, length - handle, option.upsideDown);
  return isHorizontal
             ? QRect(option.rect.left() + at, option.rect.top(), handle, option.rect.height())
             : QRect(option.rect.left(), option.rect.top() + at, option.rect.width(), handle);
}

void drawScrollBar(QPainter& painter, const QStyleOptionSlider& option) {
  if (option.maximum <= option.minimum) return;
  const Theme& theme = currentTheme();
  const bool isActive = has(option, QStyle::State_MouseOver) &&
                        (option.activeSubControls & QStyle::SC_ScrollBarSlider);
  drawBox(
      painter, scrollBarHandle(option).adjusted(1, 1, -1, -1),
      {isActive || has(option, QStyle::State_Sunken) ? theme.textFaint : theme.cardBorder, {}, 4});
}

void drawProgressBar(QPainter& painter, const QStyleOptionProgressBar& option) {
  const double range = std::max(1.0, static_cast<double>(option.maximum) - option.minimum);
  const double share = (static_cast<double>(option.progress) - option.minimum) / range;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  drawGroove(painter, QRectF(option.rect), share * option.rect.width(), currentTheme().good);
  painter.restore();
}

}  // namespace lockstep::widgets::paint
