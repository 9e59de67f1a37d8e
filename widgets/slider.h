#pragma once

#include <QSlider>
#include <QStyle>

namespace lockstep::widgets {

/// The slider used everywhere in the window. A press beside the handle moves the handle there and
/// starts a drag; a wheel notch and the page keys move it a tenth of the range. Its keys move it
/// also where they are shortcuts of the window.
class Slider : public QSlider {
  Q_OBJECT

 public:
  explicit Slider(QWidget* parent = nullptr);

 protected:
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void sliderChange(SliderChange change) override;

 private:
  QRect rectOf(QStyle::SubControl control) const;
  int valueAt(QPoint position) const;

  bool follows_ = false;  ///< pressed beside the handle: the handle follows the pointer
};

}  // namespace lockstep::widgets
