#include "widgets/slider.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QStyleOptionSlider>
#include <algorithm>

#include "widgets/move_keys.h"

namespace lockstep::widgets {
namespace {

constexpr int kPagesOfRange = 10;

}  // namespace

Slider::Slider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {}

QRect Slider::rectOf(QStyle::SubControl control) const {
  QStyleOptionSlider option;
  initStyleOption(&option);
  return style()->subControlRect(QStyle::CC_Slider, &option, control, this);
}

/// The value that puts the handle nearest to the position.
int Slider::valueAt(QPoint position) const {
  const QRect groove = rectOf(QStyle::SC_SliderGroove), handle = rectOf(QStyle::SC_SliderHandle);
  return QStyle::sliderValueFromPosition(minimum(), maximum(),
                                         position.x() - groove.x() - handle.width() / 2,
                                         groove.width() - handle.width());
}

/// Sent to the widget with the focus before the shortcuts are looked up.
bool Slider::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && isMoveKey(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QSlider::event(event);
}

void Slider::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || rectOf(QStyle::SC_SliderHandle).contains(event->pos())) {
    return QSlider::mousePressEvent(event);
  }
  follows_ = true;
  setSliderDown(true);
  setSliderPosition(valueAt(event->pos()));
}

void Slider::mouseMoveEvent(QMouseEvent* event) {
  if (!follows_) return QSlider::mouseMoveEvent(event);
  setSliderPosition(valueAt(event->pos()));
}

void Slider::mouseReleaseEvent(QMouseEvent* event) {
  if (!follows_ || event->button() != Qt::LeftButton) return QSlider::mouseReleaseEvent(event);
  follows_ = false;
  setSliderDown(false);
}

void Slider::sliderChange(SliderChange change) {
  if (change == SliderRangeChange)
    setPageStep(std::max(1, (maximum() - minimum()) / kPagesOfRange));
  QSlider::sliderChange(change);
}

}  // namespace lockstep::widgets
