#include "widgets/image_view/canvas_base.h"

#include <QElapsedTimer>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lockstep::widgets {

bool CanvasView::hasScaleOf(const CanvasView& other) const {
  return toWidget.m11() == other.toWidget.m11() && devicePixelRatio == other.devicePixelRatio;
}

QPoint CanvasView::cornerPx() const {
  return (toWidget.map(QPointF()) * devicePixelRatio).toPoint();
}

QRect CanvasView::rectPx() const { return {QPoint(), (QSizeF(size) * devicePixelRatio).toSize()}; }

QRectF CanvasBase::keptPart(const CanvasView& view) {
  const double beside = kTilePx / view.devicePixelRatio;
  return QRectF(QPointF(), QSizeF(view.size)).adjusted(-beside, -beside, beside, beside);
}

/// In the view, px of the screen.
QRect CanvasBase::rectOf(Place place) const {
  return {view_.cornerPx() + QPoint(place.first, place.second) * kTilePx, QSize(kTilePx, kTilePx)};
}

std::vector<CanvasBase::Place> CanvasBase::placesIn(const QRect& px) const {
  const auto place = [](int at) {
    return static_cast<int>(std::floor(static_cast<double>(at) / kTilePx));
  };
  const QRect fromCorner = px.translated(-view_.cornerPx());
  std::vector<Place> places;
  for (int row = place(fromCorner.top()); row <= place(fromCorner.bottom()); ++row)
    for (int column = place(fromCorner.left()); column <= place(fromCorner.right()); ++column)
      places.emplace_back(column, row);
  return places;
}

bool CanvasBase::isThere(Place place) const {
  const auto tile = tiles_.find(place);
  return tile != tiles_.end() && tile->second.stale.isEmpty();
}

/// There is something to be shown until it is drawn.
bool CanvasBase::hasOlder(Place place) const {
  if (tiles_.contains(place)) return true;
  const QRect older(view_.cornerPx() + olderAt_, older_.size());
  return !older_.isNull() && older.contains(rectOf(place) & view_.rectPx());
}

void CanvasBase::drop() {
  const QRect shown = view_.rectPx();
  std::erase_if(tiles_, [&](const auto& tile) { return !rectOf(tile.first).intersects(shown); });
  for (auto& [place, tile] : tiles_) tile.stale = tile.pixels.rect();
}

void CanvasBase::drop(const QRectF& part) {
  constexpr double kRounding = 1e-3;  // which would make a neighbour of a tile stale
  const QRectF inView = view_.toWidget.mapRect(part);
  const QRect px =
      QRectF(inView.topLeft() * view_.devicePixelRatio, inView.size() * view_.devicePixelRatio)
          .adjusted(kRounding, kRounding, -kRounding, -kRounding)
          .toAlignedRect();
  for (auto& [place, tile] : tiles_) {
    const QRect own = rectOf(place);
    if (own.intersects(px)) tile.stale |= (own & px).translated(-own.topLeft());
  }
}

void CanvasBase::redraw(Place place, const Draw& draw) {
  Tile& tile = tiles_[place];
  const double ratio = view_.devicePixelRatio;
  if (tile.pixels.isNull()) {
    tile.pixels = QPixmap(kTilePx, kTilePx);
    tile.pixels.setDevicePixelRatio(ratio);
    tile.stale = tile.pixels.rect();
  }
  const QPointF corner = QPointF(rectOf(place).topLeft()) / ratio;
  const QRect part = std::exchange(tile.stale, QRegion()).boundingRect();
  const QRectF area(corner + QPointF(part.topLeft()) / ratio, QSizeF(part.size()) / ratio);
  QPainter painter(&tile.pixels);
  painter.translate(-corner);
  painter.setClipRect(area);
  draw(painter, area);
}

/// Draws what there is.
void CanvasBase::composeOn(QPainter& painter) const {
  const double ratio = view_.devicePixelRatio;
  const std::vector<Place> places = placesIn(view_.rectPx());
  const bool isWhole =
      std::ranges::all_of(places, [&](Place place) { return tiles_.contains(place); });
  if (!isWhole && !older_.isNull())
    painter.drawPixmap(QPointF(view_.cornerPx() + olderAt_) / ratio, older_);
  for (const Place& place : places) {
    const auto tile = tiles_.find(place);
    if (tile != tiles_.end())
      painter.drawPixmap(QPointF(rectOf(place).topLeft()) / ratio, tile->second.pixels);
  }
}

/// Empty.
QPixmap CanvasBase::pictureOf(const CanvasView& view) {
  const QSize size = view.rectPx().size();
  std::erase_if(spares_, [&](const QPixmap& spare) { return spare.size() != size; });
  if (spares_.empty()) spares_.emplace_back(size);
  QPixmap picture = std::move(spares_.back());
  spares_.pop_back();
  picture.setDevicePixelRatio(view.devicePixelRatio);
  picture.fill(view.background);
  return picture;
}

void CanvasBase::putBack(QPixmap picture) {
  if (!picture.isNull()) spares_.push_back(std::move(picture));
}

/// What was there is stretched if the scale is another one.
void CanvasBase::show(const CanvasView& view) {
  const bool isStretched =
      !tiles_.empty() && !view.hasScaleOf(view_) && view.devicePixelRatio == view_.devicePixelRatio;
  if (isStretched) {
    QPixmap before = pictureOf(view_);
    QPainter composing(&before);
    composeOn(composing);
    composing.end();
    putBack(std::exchange(older_, {}));
    older_ = pictureOf(view);
    QPainter painter(&older_);
    painter.setTransform(view_.toWidget.inverted() * view.toWidget);
    painter.drawPixmap(0, 0, before);
    painter.end();
    putBack(std::move(before));
    olderAt_ = -view.cornerPx();
  }
  if (!view.hasScaleOf(view_)) tiles_.clear();
  if (view.devicePixelRatio != view_.devicePixelRatio) older_ = {};
  view_ = view;
}

bool CanvasBase::paintOn(QPainter& painter, const CanvasView& view, const Draw& draw,
                         std::chrono::milliseconds atMost) {
  show(view);
  QElapsedTimer clock;
  clock.start();
  bool isSomethingDrawn = false, isComplete = true;
  for (const Place& place : placesIn(view_.rectPx())) {
    if (isThere(place)) continue;
    const bool mayWait = isSomethingDrawn && clock.elapsed() >= atMost.count();
    if (mayWait && hasOlder(place)) {
      isComplete = false;
      continue;
    }
    redraw(place, draw);
    isSomethingDrawn = true;
  }
  if (isComplete) putBack(std::exchange(older_, {}));
  composeOn(painter);
  const QRect kept = view_.rectPx().adjusted(-kTilePx, -kTilePx, kTilePx, kTilePx);
  std::erase_if(tiles_, [&](const auto& tile) { return !rectOf(tile.first).intersects(kept); });
  return isComplete;
}

bool CanvasBase::drawAhead(const Draw& draw) {
  const QRect kept = view_.rectPx().adjusted(-kTilePx, -kTilePx, kTilePx, kTilePx);
  const QSizeF picture = view_.toWidget.mapRect(QRectF(QPointF(), view_.picture)).size();
  const QRect pictured(view_.cornerPx(), (picture * view_.devicePixelRatio).toSize());
  const QRect ahead = kept & pictured;
  for (const Place& place : ahead.isEmpty() ? std::vector<Place>() : placesIn(ahead)) {
    if (isThere(place)) continue;
    redraw(place, draw);
    return true;
  }
  spares_.clear();  // the zoom has come to rest
  return false;
}

}  // namespace lockstep::widgets
