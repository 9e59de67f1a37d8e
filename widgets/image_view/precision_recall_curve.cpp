#include "widgets/image_view/precision_recall_curve.h"

#include <QPainter>
#include <QPainterPath>

#include "widgets/recall_axes.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

PrecisionRecallCurve::PrecisionRecallCurve(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(90);
  setAccessibleName(tr("PR curve: precision over recall"));
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
  const QRectF plot = recallArea(rect());
  const auto place = [&](QPointF point) { return placeInRecallArea(plot, point); };
  paintRecallAxes(painter, plot);
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
