#include "widgets/plots/curve_lines.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "widgets/curves/line_raster.h"

namespace lockstep::widgets {
namespace {

using Line = CurveLines::Line;

std::vector<double> dashesPx(const QPen& pen, double scale) {
  std::vector<double> dashes;
  for (const qreal dash : pen.dashPattern()) dashes.push_back(dash * pen.widthF() * scale);
  return pen.style() == Qt::SolidLine ? std::vector<double>() : dashes;
}

void drawPolyline(QPainter* painter, const Line& line) {
  QPolygonF part;
  const auto flush = [&] {
    if (part.size() > 1) painter->drawPolyline(part);
    part.clear();
  };
  for (const QPointF& point : line) {
    if (std::isfinite(point.y())) {
      part.append(point);
    } else {
      flush();
    }
  }
  flush();
}

}  // namespace

QImage pictureOf(const std::vector<CurveLines>& curves, const QRect& area, double scale) {
  QImage picture((QSizeF(area.size()) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
  if (picture.isNull()) return picture;
  picture.fill(Qt::transparent);
  LineRaster raster(&picture);
  // QCustomPlot's coordinates are of the middle of a pixel.
  const QPointF origin = QPointF(area.topLeft()) - QPointF(0.5, 0.5);
  const auto onPicture = [&](const Line& line) {
    Line moved;
    moved.reserve(line.size());
    for (const QPointF& point : line) moved.push_back((point - origin) * scale);
    return moved;
  };
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve)
    for (const CurveLines::Band& band : curve->bands)
      raster.fillBetween(onPicture(band.top), onPicture(band.bottom), band.color);
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) {
    const auto drawLine = [&](const Line& line, const QPen& pen, bool isThin) {
      if (line.empty()) return;
      if (isThin) return raster.drawThin(onPicture(line), pen.color());
      raster.draw(onPicture(line), {pen.color(), pen.widthF() * scale, dashesPx(pen, scale)});
    };
    drawLine(curve->raw, curve->rawPen, curve->isRawThin);
    drawLine(curve->smooth, curve->smoothPen, curve->isSmoothThin);
  }
  return picture;
}

void drawVector(QPainter* painter, const std::vector<CurveLines>& curves) {
  painter->setPen(Qt::NoPen);
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) {
    for (const CurveLines::Band& band : curve->bands) {
      QPolygonF outline;
      const auto append = [&outline](const QPointF& point) {
        if (std::isfinite(point.y())) outline.append(point);
      };
      std::for_each(band.top.begin(), band.top.end(), append);
      std::for_each(band.bottom.rbegin(), band.bottom.rend(), append);
      painter->setBrush(band.color);
      painter->drawPolygon(outline);
    }
  }
  painter->setBrush(Qt::NoBrush);
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) {
    painter->setPen(curve->rawPen);
    drawPolyline(painter, curve->raw);
    painter->setPen(curve->smoothPen);
    drawPolyline(painter, curve->smooth);
  }
}

}  // namespace lockstep::widgets
