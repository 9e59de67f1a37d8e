#include "widgets/recall_axes.h"

#include <QCoreApplication>
#include <QPainter>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

struct RecallAxesText {
  Q_DECLARE_TR_FUNCTIONS(RecallAxes)
};

/// Beside the ticks of precision, and between two ticks of recall.
void paintNames(QPainter& painter, const QRectF& area) {
  painter.setPen(currentTheme().textMuted);
  painter.drawText(QRectF(area.center().x(), area.bottom() + 3, area.width() / 2, 14),
                   Qt::AlignCenter, RecallAxesText::tr("recall"));
  painter.save();
  painter.translate(7, area.center().y());
  painter.rotate(-90);
  painter.drawText(QRectF(-50, -7, 100, 14), Qt::AlignCenter, RecallAxesText::tr("precision"));
  painter.restore();
}

}  // namespace

QRectF recallArea(const QRect& widget) { return QRectF(widget).adjusted(38, 7, -10, -18); }

QPointF placeInRecallArea(const QRectF& area, QPointF point) {
  return {area.left() + point.x() * area.width(), area.bottom() - point.y() * area.height()};
}

void paintRecallAxes(QPainter& painter, const QRectF& area) {
  const Theme& theme = currentTheme();
  painter.setFont(monoFont(10));
  const auto place = [&](QPointF point) { return placeInRecallArea(area, point); };
  for (double tick : {0.0, 0.5, 1.0}) {
    const QString text = tick == 0.5 ? QStringLiteral("0.5") : QString::number(tick);
    painter.setPen(theme.grid);
    painter.drawLine(place({0, tick}), place({1, tick}));
    painter.setPen(theme.textFaint);
    painter.drawText(QRectF(0, place({0, tick}).y() - 8, area.left() - 6, 16),
                     Qt::AlignRight | Qt::AlignVCenter, text);
    painter.drawText(QRectF(place({tick, 0}).x() - 20, area.bottom() + 3, 40, 14), Qt::AlignCenter,
                     text);
  }
  paintNames(painter, area);
}

}  // namespace lockstep::widgets
