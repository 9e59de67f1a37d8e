#pragma once

#include <QSlider>
#include <QStyle>

namespace lockstep::widgets {

/// The slider of the whole window. A press beside the handle takes the handle there and drags it on
/// from there; a notch of the wheel and the page keys go a tenth of the range, never from one end
/// to the other.
class Slider : public QSlider {
  Q_OBJECT

 public:
  explicit Slider(QWidget* parent = nullptr);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void sliderChange(SliderChange change) override;

 private:
  QRect rectOf(QStyle::SubControl part) const;
  int valueAt(QPoint position) const;

  bool follows_ = false;  ///< pressed beside the handle, which goes with the pointer since
};

}  // namespace lockstep::widgets
