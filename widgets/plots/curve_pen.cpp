#include "widgets/plots/curve_pen.h"

#include <QPainter>
#include <QPainterPath>
#include <QPen>
#include <QPolygonF>
#include <algorithm>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kLinePx = 2.0, kEvaluationPx = 1.7, kHalfMarkerPx = 3, kRawLinePx = 1.4;

QColor withAlpha(QColor color, int alpha) {
  color.setAlpha(alpha);
  return color;
}

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

bool isCrowd(const std::vector<Curve>& curves) { return curves.size() > 2 * kRunStyles; }

LinePens linePens(const Curve& curve, bool isSmoothed, const Theme& theme) {
  LinePens pens{curvePen(curve, theme), curvePen(curve, theme)};
  if (curve.kind == Curve::Kind::Evaluation) return pens;
  if (isSmoothed) {
    pens.raw = QPen(withAlpha(pens.raw.color(), theme.isDark ? 84 : 96), 1);
  } else {
    pens.raw.setWidthF(kRawLinePx);  // thin, because a noisy thick line would be a filled area
  }
  return pens;
}

QColor gapColor(const Curve& heldOut, ShadedGap::Interval interval, const Theme& theme) {
  return interval == ShadedGap::UntilLowest
             ? withAlpha(runStyle(heldOut.styleIndex, theme).color, 26)
             : withAlpha(theme.warning, 48);
}

QColor deviationColor(const Curve& mean, const Theme& theme) {
  return withAlpha(curveColor(mean, theme), 44);
}

void paintMarker(QPainter& painter, const Curve& curve, const QColor& color, const QPointF& centre,
                 const QColor& background) {
  painter.setPen(QPen(color, 1.6));
  painter.setBrush(isFilled(curve) ? color : background);
  painter.drawPath(markerOutline(curve.styleIndex, centre));
}

void paintSample(QPainter& painter, const Curve& curve, const QPen& pen, const QPointF& left,
                 double widthPx, const QColor& background) {
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawLine(left, left + QPointF(widthPx, 0));
  if (curve.kind == Curve::Kind::Evaluation)
    paintMarker(painter, curve, pen.color(), left + QPointF(widthPx / 2, 0), background);
}

}  // namespace lockstep::widgets
