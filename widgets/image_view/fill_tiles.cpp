#include "widgets/image_view/fill_tiles.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/image_view/canvas_painter.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kSidePx = 256;  ///< of the screen
constexpr int kAtOnce = 2;
constexpr qint64 kMostKiB = 96 * 1024;

QImage paintSquare(const CanvasScene& scene, bool ofMissed, const QTransform& view) {
  QImage square(kSidePx, kSidePx, QImage::Format_ARGB32_Premultiplied);
  square.fill(Qt::transparent);
  QPainter painter(&square);
  CanvasPainter(painter, view, QRectF(square.rect()), lightTheme()).drawFills(scene, ofMissed);
  return square;
}

}  // namespace

FillTiles::FillTiles(std::function<void(const QRectF& imagePart)> painted)
    : painted_(std::move(painted)),
      squares_(
          kAtOnce, kMostKiB, [](const QImage& square) { return square.sizeInBytes() / 1024; },
          [this](const QString& key) {
            const auto found = missing_.find(key);
            if (found == missing_.end()) return;
            const QRectF part = imageRectOf(found->second);
            missing_.erase(found);
            painted_(part);
          },
          jobs::Kind::Processor) {}

void FillTiles::setScene(std::shared_ptr<const CanvasScene> scene) {
  if (scene == scene_) return;
  scene_ = std::move(scene);
  missing_.clear();
  squares_.clear();
}

void FillTiles::setScale(double pixelsPerImagePixel) {
  if (pixelsPerImagePixel == scale_) return;
  scale_ = pixelsPerImagePixel;
  missing_.clear();
  squares_.clear();
}

QString FillTiles::keyOf(const Square& square) const {
  return QStringLiteral("%1 %2 %3").arg(square.column).arg(square.row).arg(square.ofMissed);
}

QRectF FillTiles::imageRectOf(const Square& square) const {
  const double side = kSidePx / scale_;
  return {square.column * side, square.row * side, side, side};
}

void FillTiles::draw(QPainter& painter, const QTransform& view, const QRectF& area, bool ofMissed,
                     const std::function<void(const QRectF& part)>& meanwhile) {
  if (!scene_) return;
  const double ratio = painter.device()->devicePixelRatioF();
  setScale(view.m11() * ratio);
  const QRectF image(QPointF(), QSizeF(scene_->imageSize));
  const QRectF visible = view.inverted().mapRect(area) & image;
  if (visible.isEmpty()) return;
  const auto place = [&](double imagePx) {
    return static_cast<int>(std::floor(imagePx * scale_ / kSidePx));
  };
  for (int row = place(visible.top()); row <= place(visible.bottom()); ++row) {
    for (int column = place(visible.left()); column <= place(visible.right()); ++column) {
      const Square square{column, row, ofMissed};
      const QRectF part = view.mapRect(imageRectOf(square));
      if (const auto painted = squares_.find(keyOf(square))) {
        QImage pixels = *painted;
        pixels.setDevicePixelRatio(ratio);
        painter.drawImage(part.topLeft(), pixels);
      } else {
        missing_.try_emplace(keyOf(square), square);
        meanwhile(part & area);
      }
    }
  }
}

void FillTiles::paintMissing(const QRectF& visible, const QTransform& view) {
  std::vector<std::pair<double, QString>> order;
  std::erase_if(missing_, [&](const auto& one) {
    const QRectF part = view.mapRect(imageRectOf(one.second));
    if (!part.intersects(visible)) return true;
    order.emplace_back((part.center() - visible.center()).manhattanLength(), one.first);
    return false;
  });
  std::ranges::sort(order);
  std::vector<jobs::KeyedLoader<QImage>::Request> requests;
  for (const auto& [distance, key] : order) {
    const Square square = missing_.at(key);
    const QTransform ofSquare(scale_, 0, 0, scale_, -square.column * kSidePx,
                              -square.row * kSidePx);
    requests.push_back({key, [scene = scene_, missed = square.ofMissed, ofSquare] {
                          return paintSquare(*scene, missed, ofSquare);
                        }});
  }
  squares_.load(requests);
}

}  // namespace lockstep::widgets
