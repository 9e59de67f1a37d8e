#include "widgets/image_view/precision_recall_curve.h"

#include <QPainter>
#include <QPainterPath>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

/// The names of the axes: beside the ticks of precision, and between two ticks of recall.
void paintAxisNames(QPainter& painter, const QRectF& plot) {
  painter.setPen(currentTheme().textMuted);
  painter.drawText(QRectF(plot.center().x(), plot.bottom() + 3, plot.width() / 2, 14),
                   Qt::AlignCenter, PrecisionRecallCurve::tr("recall"));
  painter.save();
  painter.translate(7, plot.center().y());
  painter.rotate(-90);
  painter.drawText(QRectF(-50, -7, 100, 14), Qt::AlignCenter,
                   PrecisionRecallCurve::tr("precision"));
  painter.restore();
}

}  // namespace

PrecisionRecallCurve::PrecisionRecallCurve(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(90);
  setAccessibleName(tr("Precision–recall curve"));
}

void PrecisionRecallCurve::setCurve(std::vector<QPointF> points, std::optional<QPointF> current) {
  points_ = std::move(points);
  current_ = current;
  const QString here = current_ ? tr("precision %1, recall %2 at this score")
                                      .arg(current_->y(), 0, 'f', 3)
                                      .arg(current_->x(), 0, 'f', 3)
                                : tr("no detection reaches this score");
  const QString scope =
      tr("Of the predicted images at the IoU threshold, all scores;\n"
         "the dot is at the score threshold. Hidden classes are left out.");
  setToolTip(points_.empty() ? QString() : here + QLatin1Char('\n') + scope);
  update();
}

void PrecisionRecallCurve::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(monoFont(10));
  const QRectF plot = QRectF(rect()).adjusted(38, 7, -10, -18);
  const auto place = [&](QPointF point) {
    return QPointF(plot.left() + point.x() * plot.width(),
                   plot.bottom() - point.y() * plot.height());
  };
  for (double tick : {0.0, 0.5, 1.0}) {
    const QString text = tick == 0.5 ? QStringLiteral("0.5") : QString::number(tick);
    painter.setPen(theme.grid);
    painter.drawLine(place({0, tick}), place({1, tick}));
    painter.setPen(theme.textFaint);
    painter.drawText(QRectF(0, place({0, tick}).y() - 8, plot.left() - 6, 16),
                     Qt::AlignRight | Qt::AlignVCenter, text);
    painter.drawText(QRectF(place({tick, 0}).x() - 20, plot.bottom() + 3, 40, 14), Qt::AlignCenter,
                     text);
  }
  paintAxisNames(painter, plot);
  if (points_.empty()) return;
  QPainterPath path(place(points_.front()));
  for (const QPointF& point : points_) path.lineTo(place(point));
  painter.setPen(QPen(theme.accent, 1.8));
  painter.drawPath(path);
  if (!current_) return;
  painter.setPen(QPen(theme.accent, 1.5));
  painter.setBrush(theme.isDark ? theme.text : theme.card);
  painter.drawEllipse(place(*current_), 4, 4);
}

}  // namespace lockstep::widgets
