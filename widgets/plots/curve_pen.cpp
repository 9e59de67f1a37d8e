#include "widgets/plots/curve_pen.h"

#include <QPainter>
#include <QPainterPath>
#include <QPen>
#include <QPolygonF>
#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kLinePx = 2.0, kEvaluationPx = 1.7, kHalfMarkerPx = 3;

/// Outline of an evaluation's marker, in the shape that plots use for it.
QPainterPath markerOutline(int styleIndex, const QPointF& centre) {
  QPainterPath path;
  const QRectF box(centre.x() - kHalfMarkerPx, centre.y() - kHalfMarkerPx, 2 * kHalfMarkerPx,
                   2 * kHalfMarkerPx);
  switch (std::max(styleIndex, 0) % 4) {
    case 0:
      path.addEllipse(box);
      break;
    case 1:
      path.addRect(box);
      break;
    case 2:
      path.addPolygon(QPolygonF({{centre.x(), box.top()},
                                 {box.right(), centre.y()},
                                 {centre.x(), box.bottom()},
                                 {box.left(), centre.y()}}));
      path.closeSubpath();
      break;
    default:
      path.addPolygon(QPolygonF({box.bottomLeft(), {centre.x(), box.top()}, box.bottomRight()}));
      path.closeSubpath();
  }
  return path;
}

}  // namespace

QColor curveColor(const Curve& curve, const Theme& theme) {
  return curve.hasOwnHue ? heldOutColor(curve.styleIndex, theme)
                         : runStyle(curve.styleIndex, theme).color;
}

bool isDotted(const Curve& curve) {
  return curve.stroke == Curve::Stroke::Dots ||
         (curve.stroke == Curve::Stroke::Automatic && curve.kind == Curve::Kind::Evaluation);
}

bool isFilled(const Curve& curve) { return curve.stroke == Curve::Stroke::Run; }

QPen curvePen(const Curve& curve, const Theme& theme) {
  const bool evaluation = curve.kind == Curve::Kind::Evaluation;
  QPen pen(curveColor(curve, theme), evaluation ? kEvaluationPx : kLinePx);
  pen.setJoinStyle(Qt::RoundJoin);
  const QVector<qreal> dashes =
      isDotted(curve) ? QVector<qreal>{1.6, 2.2} : runStyle(curve.styleIndex, theme).dashes;
  pen.setCapStyle(dashes.isEmpty() ? Qt::RoundCap : Qt::FlatCap);
  if (!dashes.isEmpty()) pen.setDashPattern(dashes);
  return pen;
}

void paintSample(QPainter& painter, const Curve& curve, const QPen& pen, const QPointF& left,
                 double widthPx, const QColor& background) {
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawLine(left, left + QPointF(widthPx, 0));
  if (curve.kind != Curve::Kind::Evaluation) return;
  painter.setPen(QPen(pen.color(), 1.6));
  painter.setBrush(isFilled(curve) ? pen.color() : background);
  painter.drawPath(markerOutline(curve.styleIndex, left + QPointF(widthPx / 2, 0)));
}

}  // namespace lockstep::widgets
