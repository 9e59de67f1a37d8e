#pragma once

#include <QColor>
#include <QPixmap>
#include <QRegion>
#include <QSize>
#include <QTransform>
#include <chrono>
#include <functional>
#include <map>
#include <utility>
#include <vector>

class QPainter;

namespace lockstep::widgets {

/// Which part of a picture a view shows.
struct CanvasView {
  QSize size;  ///< of the view, widget px
  double devicePixelRatio = 1;
  /// Picture px to widget px, without rotation. The picture's corner is on a pixel of the screen.
  QTransform toWidget;
  QSizeF picture;     ///< its px
  QColor background;  ///< beside the picture

  /// Of `toWidget` and the pixels of the screen.
  bool hasScaleOf(const CanvasView& other) const;
  QPoint cornerPx() const;  ///< of the picture, px of the screen
  QRect rectPx() const;     ///< of the view, likewise
};

/// What a view shows of its picture, kept as tiles of pixels of the screen: moving it draws only
/// tiles that come into view, and what takes long is drawn in several frames, over what was there
/// before.
class CanvasBase {
 public:
  /// Draws an area of the view, widget px.
  using Draw = std::function<void(QPainter& painter, const QRectF& area)>;
  /// Of a frame for drawing anew.
  static constexpr std::chrono::milliseconds kOfFrame{10};
  static constexpr int kTilePx = 256;  ///< of the screen, a side

  /// Everything is to be drawn anew.
  void drop();
  /// A part of the picture, its px, is to be drawn anew.
  void drop(const QRectF& part);
  /// Draws what is not there yet, as far as the time allows but always something, then all of it on
  /// the painter's device. Whether all of it is as drawn. Until then another scale is shown by
  /// stretching what was there.
  bool paintOn(QPainter& painter, const CanvasView& view, const Draw& draw,
               std::chrono::milliseconds atMost = std::chrono::milliseconds::max());
  /// Draws a tile of the picture just outside of the painted view, so that moving it finds it;
  /// false: all are there.
  bool drawAhead(const Draw& draw);
  /// The part of a view, widget px, and beside it of which tiles are kept.
  static QRectF keptPart(const CanvasView& view);

 private:
  using Place = std::pair<int, int>;  ///< column and row, from the picture's corner on
  struct Tile {
    QPixmap pixels;
    QRegion stale;  ///< its px
  };
  QRect rectOf(Place place) const;
  std::vector<Place> placesIn(const QRect& px) const;
  bool isThere(Place place) const;
  bool hasOlder(Place place) const;
  void redraw(Place place, const Draw& draw);
  QPixmap pictureOf(const CanvasView& view);
  void putBack(QPixmap picture);
  void show(const CanvasView& view);
  void composeOn(QPainter& painter) const;

  CanvasView view_;  ///< that was painted last
  std::map<Place, Tile> tiles_;
  QPixmap older_;                ///< what was there before, at another scale; null: nothing
  QPoint olderAt_;               ///< its corner from that of the picture on, px of the screen
  std::vector<QPixmap> spares_;  ///< of the view's size, so that a zoom asks for no memory
};

}  // namespace lockstep::widgets
