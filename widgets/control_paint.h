#pragma once

#include <QColor>
#include <QMargins>
#include <QRect>
#include <QString>

class QPainter;
class QStyleOption;
class QStyleOptionFrame;
class QStyleOptionHeader;
class QStyleOptionMenuItem;
class QStyleOptionProgressBar;
class QStyleOptionSlider;
class QStyleOptionSpinBox;
class QStyleOptionTab;
class QWidget;

/// The parts that WorkbenchStyle draws, in the colours of currentTheme().
namespace lockstep::widgets::paint {

/// The property of setRole(); empty without a widget.
QString roleOf(const QWidget* widget);

/// A box with rounded corners and a border of one pixel; invalid colours are left out.
struct Box {
  QColor fill, border;
  double radius = 6;
};
void drawBox(QPainter& painter, const QRect& rect, const Box& box);

enum class Direction { Up, Down, Left, Right };
void drawChevron(QPainter& painter, const QRectF& rect, Direction direction, const QColor& color);

struct ButtonLook {
  Box box;
  QColor text;
};
ButtonLook buttonLook(const QStyleOption& option, const QString& role);
/// Between the frame's outside and icon or text.
QMargins buttonPadding(const QWidget* widget);

/// Of a line edit or a combo box, with its text's place.
inline constexpr QMargins kInputPadding(9, 5, 9, 5);
inline constexpr int kDropDownPx = 20;
void drawInput(QPainter& painter, const QStyleOption& option, const QWidget* widget);

/// Width of the arrows of a spin box.
inline constexpr int kStepsPx = 18;
QRect stepArrow(const QRect& box, bool isUp);
void drawSpinBox(QPainter& painter, const QStyleOptionSpinBox& option, const QWidget* widget);
void drawCheckBox(QPainter& painter, const QStyleOption& option);

/// Of a frame that is a card, a banner, an edit's or a popup's.
void drawFrame(QPainter& painter, const QStyleOption& option, const QWidget* widget);

void drawTabShape(QPainter& painter, const QStyleOptionTab& option);
QColor tabTextColor(const QStyleOptionTab& option);

inline constexpr QMargins kMenuItemPadding(22, 5, 26, 5);
void drawMenuItem(QPainter& painter, const QStyleOptionMenuItem& option);

inline constexpr int kSliderHandlePx = 12;
QRect sliderGroove(const QStyleOptionSlider& option);
QRect sliderHandle(const QStyleOptionSlider& option);
void drawSlider(QPainter& painter, const QStyleOptionSlider& option);

inline constexpr int kScrollBarPx = 10;
QRect scrollBarHandle(const QStyleOptionSlider& option);
void drawScrollBar(QPainter& painter, const QStyleOptionSlider& option);

inline constexpr int kProgressBarPx = 4;
void drawProgressBar(QPainter& painter, const QStyleOptionProgressBar& option);

}  // namespace lockstep::widgets::paint
