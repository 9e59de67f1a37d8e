#pragma once

#include <QImage>
#include <QRectF>
#include <QString>
#include <QTransform>
#include <functional>
#include <map>
#include <memory>

#include "widgets/image_view/canvas_scene.h"
#include "widgets/jobs/keyed_loader.h"

class QPainter;

namespace lockstep::widgets {

/// The fills of a large image at the scale of a view, to the pixel, which CanvasScene keeps only
/// smaller: painted in the background, in squares of the screen. GUI thread only; no call blocks.
class FillTiles {
 public:
  /// `painted`: called when a part of the image, px, can be drawn.
  explicit FillTiles(std::function<void(const QRectF& imagePart)> painted);

  /// nullptr: none.
  void setScene(std::shared_ptr<const CanvasScene> scene);
  /// Draws what is painted of an area, widget px, and notes what is not. `view` maps image px to
  /// widget px. `meanwhile` draws a part, widget px, that is not there yet.
  void draw(QPainter& painter, const QTransform& view, const QRectF& area, bool ofMissed,
            const std::function<void(const QRectF& part)>& meanwhile);
  /// Has the noted parts painted; those in the middle of `visible`, widget px, first.
  void paintMissing(const QRectF& visible, const QTransform& view);
  /// Everything that was to be drawn is painted.
  bool isReady() const { return missing_.empty(); }

 private:
  struct Square {
    int column = 0, row = 0;  ///< from the image's corner on
    bool ofMissed = false;
    auto operator<=>(const Square&) const = default;
  };
  void setScale(double pixelsPerImagePixel);
  QString keyOf(const Square& square) const;
  QRectF imageRectOf(const Square& square) const;

  std::shared_ptr<const CanvasScene> scene_;
  double scale_ = 0;                   ///< px of the screen per px of the image
  std::map<QString, Square> missing_;  ///< noted and not painted yet
  std::function<void(const QRectF& imagePart)> painted_;
  jobs::KeyedLoader<QImage> squares_;
};

}  // namespace lockstep::widgets
