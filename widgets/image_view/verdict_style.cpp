#include "widgets/image_view/verdict_style.h"

#include <QPainter>
#include <QPolygonF>

#include "widgets/theme.h"

namespace lockstep::widgets {

QColor verdictColor(Verdict verdict, const Theme& theme) {
  switch (verdict) {
    case Verdict::TruePositive:
      return theme.truePositive;
    case Verdict::FalsePositive:
      return theme.falsePositive;
    case Verdict::Missed:
      return theme.missed;
    case Verdict::Ignored:
      return theme.textMuted;
    case Verdict::Unjudged:
      return theme.accent;
  }
  return theme.text;
}

QPen verdictPen(Verdict verdict, const Theme& theme, double widthPx) {
  QPen pen(verdictColor(verdict, theme), widthPx);
  pen.setJoinStyle(Qt::BevelJoin);
  pen.setCapStyle(Qt::FlatCap);
  if (verdict == Verdict::FalsePositive) pen.setDashPattern({4.0, 2.5});
  if (verdict == Verdict::Missed) pen.setDashPattern({1.4, 1.8});
  if (verdict == Verdict::Ignored) pen.setDashPattern({5.0, 2.0, 1.0, 2.0});
  return pen;
}

void paintVerdictMark(QPainter& painter, const QRectF& rect, Verdict verdict, const Theme& theme) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor colour = verdictColor(verdict, theme);
  const QPointF centre = rect.center();
  const double radius = std::min(rect.width(), rect.height()) / 2.0;
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  switch (verdict) {
    case Verdict::TruePositive:
    case Verdict::Unjudged:
      painter.drawEllipse(centre, radius, radius);
      break;
    case Verdict::FalsePositive:
      painter.drawPolygon(QPolygonF{centre + QPointF(0, -radius), centre + QPointF(radius, 0),
                                    centre + QPointF(0, radius), centre + QPointF(-radius, 0)});
      break;
    case Verdict::Missed:
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(colour, 2.0));
      painter.drawEllipse(centre, radius - 1.0, radius - 1.0);
      break;
    case Verdict::Ignored:
      painter.drawRect(QRectF(centre.x() - radius, centre.y() - 1.0, 2.0 * radius, 2.0));
      break;
  }
  painter.restore();
}

}  // namespace lockstep::widgets
