#pragma once

#include <QPoint>
#include <QWidget>
#include <optional>

#include "widgets/spoken_value.h"

namespace lockstep::widgets {

class ImageCanvas;

/// A magnifier over a canvas: the pixels of the image around one of them as large squares, with
/// what is drawn over them, and that pixel's place and colour. It is hidden at first. Then it
/// follows the pointer; the arrow keys move it by a pixel, with Shift by ten, and Escape hides it.
class Loupe : public QWidget, public SpokenValue {
  Q_OBJECT

 public:
  /// `canvas` is its parent.
  explicit Loupe(ImageCanvas* canvas);

  /// Shown at the pointer, or in the middle of what is in view if that is elsewhere.
  void toggle();
  /// Shown with this pixel in its middle; std::nullopt: hidden.
  void showAt(std::optional<QPoint> pixel);
  /// In the middle of it, of the image.
  QPoint pixel() const { return pixel_; }
  /// Side of a pixel of the image in it, px: a whole number.
  int magnification() const;

  QAccessible::Role spokenRole() const override { return QAccessible::Graphic; }
  /// The pixel's place and colour.
  QString spokenValue() const override;

 Q_SIGNALS:
  /// It shows another pixel; std::nullopt: it is hidden.
  void moved(std::optional<QPoint> pixel);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void pointAt(QPoint pixel);
  void place();
  bool handleKey(int key, Qt::KeyboardModifiers modifiers);
  void paintCaption(QPainter& painter) const;

  ImageCanvas* canvas_;
  QPoint pixel_;
};

}  // namespace lockstep::widgets
