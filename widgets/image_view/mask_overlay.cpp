#include "widgets/image_view/mask_overlay.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace lockstep::widgets {
namespace {

constexpr qint64 kMostKeptPixels = 6'000'000;  // 24 MB
constexpr int kBandPixels = 2'000'000;         // that are painted at a time

/// Premultiplied source over premultiplied destination, two channels at a time.
quint32 blendOver(quint32 source, quint32 destination, quint32 keep) {
  quint32 odd = (destination & 0x00ff00ffU) * keep + 0x00800080U;
  odd = ((odd + ((odd >> 8) & 0x00ff00ffU)) >> 8) & 0x00ff00ffU;
  quint32 even = ((destination >> 8) & 0x00ff00ffU) * keep + 0x00800080U;
  even = (even + ((even >> 8) & 0x00ff00ffU)) & 0xff00ff00U;
  return source + (odd | even);
}

/// Blends a mask into the pixels of `area`, stored column by column, the order of the RLE runs.
void fillRuns(const MaskFill& fill, const QRect& area, std::vector<quint32>& columns) {
  const quint32 source = qPremultiply(fill.colour);
  const quint32 keep = 255U - static_cast<quint32>(qAlpha(fill.colour));
  const auto height = static_cast<std::uint64_t>(fill.mask->height),
             top = static_cast<std::uint64_t>(area.top()),
             bottom = top + static_cast<std::uint64_t>(area.height()),
             left = static_cast<std::uint64_t>(area.left()),
             right = left + static_cast<std::uint64_t>(area.width());
  std::uint64_t at = 0;
  bool inside = false;
  for (const std::uint32_t run : fill.mask->counts) {
    const std::uint64_t end = at + run;
    if (inside && end > left * height) {
      for (std::uint64_t x = std::max(at / height, left); x < right && x * height < end; ++x) {
        const std::uint64_t from = std::max(at, x * height + top),
                            to = std::min(end, x * height + bottom);
        if (from >= to) continue;
        quint32* const column = columns.data() + (x - left) * (bottom - top);
        for (std::uint64_t y = from - x * height - top; y < to - x * height - top; ++y)
          column[y] = blendOver(source, column[y], keep);
      }
    }
    at = end;
    inside = !inside;
    if (at >= right * height) break;
  }
}

/// Columns to rows in blocks that fit the cache.
void transposeInto(const std::vector<quint32>& columns, QImage& picture) {
  constexpr int kBlock = 32;
  const int width = picture.width(), height = picture.height();
  auto* bits = reinterpret_cast<quint32*>(picture.bits());
  const std::size_t stride = static_cast<std::size_t>(picture.bytesPerLine()) / sizeof(quint32);
  for (int y0 = 0; y0 < height; y0 += kBlock) {
    const int y1 = std::min(y0 + kBlock, height);
    for (int x0 = 0; x0 < width; x0 += kBlock) {
      const int x1 = std::min(x0 + kBlock, width);
      for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) {
          bits[static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x)] =
              columns[static_cast<std::size_t>(x) * static_cast<std::size_t>(height) +
                      static_cast<std::size_t>(y)];
        }
      }
    }
  }
}

using Contour = std::vector<std::array<double, 2>>;

/// The contour with every corner cut by half a pixel along both its edges.
QPolygonF withCutCorners(const Contour& contour) {
  QPolygonF polygon;
  const std::size_t count = contour.size();
  for (std::size_t i = 0; i < count; ++i) {
    const QPointF a(contour[i][0], contour[i][1]);
    const QPointF b(contour[(i + 1) % count][0], contour[(i + 1) % count][1]);
    const double length = std::abs(b.x() - a.x()) + std::abs(b.y() - a.y());
    if (length <= 0) continue;
    const QPointF cut = (b - a) * (0.5 / std::max(length, 1.0));
    polygon << a + cut;
    if (length > 1.0) polygon << b - cut;
  }
  if (!polygon.isEmpty()) polygon << polygon.front();
  return polygon;
}

}  // namespace

QImage paintMasks(QSize size, std::span<const MaskFill> fills) {
  return paintMasks(size, QRect(QPoint(), size), fills);
}

QImage paintMasks(QSize size, const QRect& area, std::span<const MaskFill> fills) {
  QImage picture(area.size(), QImage::Format_ARGB32_Premultiplied);
  if (picture.isNull()) return picture;
  std::vector<quint32> columns(static_cast<std::size_t>(area.width()) *
                               static_cast<std::size_t>(area.height()));
  for (const MaskFill& fill : fills) {
    if (fill.mask->width == size.width() && fill.mask->height == size.height()) {
      fillRuns(fill, area, columns);
    }
  }
  transposeInto(columns, picture);
  return picture;
}

ImageLevels paintMaskLevels(QSize size, std::span<const MaskFill> fills) {
  int shrink = 1;
  while (qint64{size.width()} * size.height() / (qint64{shrink} * shrink) > kMostKeptPixels)
    shrink *= 2;
  if (shrink == 1) return ImageLevels(paintMasks(size, fills));
  const QSize kept = QSize(size.width() / shrink, size.height() / shrink).expandedTo({1, 1});
  QImage picture(kept, QImage::Format_ARGB32_Premultiplied);
  QPainter painter(&picture);
  painter.setCompositionMode(QPainter::CompositionMode_Source);
  const int band = std::max(1, kBandPixels / (size.height() * shrink));
  for (int x = 0; x < kept.width(); x += band) {
    const QSize part(std::min(band, kept.width() - x), kept.height());
    const QImage painted = paintMasks(size, QRect(QPoint(x * shrink, 0), part * shrink), fills);
    painter.drawImage(x, 0, painted.scaled(part, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
  }
  return ImageLevels(picture, kept * shrink);
}

QPainterPath outlineOf(const coco::Rle& mask) {
  QPainterPath path;
  for (const Contour& contour : coco::contours(mask)) path.addPolygon(withCutCorners(contour));
  path.controlPointRect();  // kept in the path, which other threads only read
  return path;
}

QPainterPath outlineOf(const coco::Annotation& annotation) {
  if (const auto* runs = std::get_if<coco::Rle>(&annotation.segmentation)) return outlineOf(*runs);
  QPainterPath path;
  for (const std::vector<double>& xy :
       std::get<std::vector<std::vector<double>>>(annotation.segmentation)) {
    QPolygonF polygon;
    for (std::size_t i = 0; i + 1 < xy.size(); i += 2) polygon << QPointF(xy[i], xy[i + 1]);
    path.addPolygon(polygon);
    path.closeSubpath();
  }
  path.controlPointRect();
  return path;
}

bool covers(const coco::Rle& mask, QPoint pixel) {
  if (pixel.x() < 0 || pixel.y() < 0 || pixel.x() >= mask.width || pixel.y() >= mask.height) {
    return false;
  }
  const auto target =
      static_cast<std::uint64_t>(pixel.x()) * static_cast<std::uint64_t>(mask.height) +
      static_cast<std::uint64_t>(pixel.y());
  std::uint64_t end = 0;
  bool inside = false;
  for (std::uint32_t run : mask.counts) {
    end += run;
    if (target < end) return inside;
    inside = !inside;
  }
  return false;
}

}  // namespace lockstep::widgets
