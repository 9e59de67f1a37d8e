#include "widgets/bars/histogram_chart.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kTickRowPx = 16, kTopRowPx = 14, kSidePx = 6;
constexpr double kMarkPx = 4;

}  // namespace

HistogramChart::HistogramChart(QWidget* parent) : BarChart(parent) {
  setMinimumHeight(scaledPx(96));
}

void HistogramChart::setEnd(const QString& end) {
  end_ = end;
  update();
}

void HistogramChart::setBorders(std::vector<Border> borders) {
  borders_ = std::move(borders);
  update();
}

void HistogramChart::setMarks(std::vector<double> bins) {
  marks_ = std::move(bins);
  update();
}

QRectF HistogramChart::plotRect() const {
  return QRectF(rect()).adjusted(kSidePx, scaledPx(kTopRowPx), -kSidePx, -scaledPx(kTickRowPx));
}

double HistogramChart::xOf(double bin) const {
  const QRectF plot = plotRect();
  return plot.left() + bin / std::max<double>(1, static_cast<double>(bars().size())) * plot.width();
}

QRectF HistogramChart::placeOf(int bar) const {
  return {QPointF(xOf(bar), plotRect().top()), QPointF(xOf(bar + 1), plotRect().bottom())};
}

void HistogramChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintBars(painter);
  paintTicks(painter);
  paintBorders(painter);
  painter.setRenderHint(QPainter::Antialiasing);
  paintMarks(painter);
  painter.setRenderHint(QPainter::Antialiasing, false);
  paintCursor(painter);
}

void HistogramChart::paintBars(QPainter& painter) const {
  for (int i = 0; i < static_cast<int>(bars().size()); ++i) {
    const std::int64_t count = bars()[static_cast<std::size_t>(i)].count;
    if (count == 0) continue;
    QRectF place = placeOf(i);
    const double share = static_cast<double>(count) / static_cast<double>(mostCount());
    place.setTop(place.bottom() - std::max(1.0, share * place.height()));
    painter.fillRect(place.adjusted(0.5, 0, -0.5, 0), colorOf(i));
  }
  painter.setPen(currentTheme().grid);
  painter.drawLine(plotRect().bottomLeft(), plotRect().bottomRight());
}

/// Under each border of two bins that has room, the last one first: its name may have the unit.
void HistogramChart::paintTicks(QPainter& painter) const {
  painter.setFont(monoFont(10));
  painter.setPen(currentTheme().textFaint);
  const QFontMetricsF metrics(painter.font());
  double free = width() + metrics.averageCharWidth();  // right end of the room that is left
  for (int i = static_cast<int>(bars().size()); i >= 0; --i) {
    const QString text =
        i < static_cast<int>(bars().size()) ? bars()[static_cast<std::size_t>(i)].name : end_;
    const double wide = std::ceil(metrics.horizontalAdvance(text));
    const double x = std::clamp(xOf(i) - wide / 2, 0.0, std::max(0.0, width() - wide));
    if (text.isEmpty() || x + wide + metrics.averageCharWidth() > free) continue;
    painter.drawText(QRectF(x, plotRect().bottom() + 2, wide, scaledPx(kTickRowPx) - 2),
                     Qt::AlignCenter, text);
    free = x;
  }
}

void HistogramChart::paintBorders(QPainter& painter) const {
  const Theme& theme = currentTheme();
  painter.setFont(interfaceFont(10, QFont::DemiBold));
  const QFontMetricsF metrics(painter.font());
  for (const Border& border : borders_) {
    if (border.bin <= 0 || border.bin >= static_cast<double>(bars().size())) continue;
    const double x = xOf(border.bin), top = 0;
    painter.setPen(QPen(theme.textFaint, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, top), QPointF(x, plotRect().bottom()));
    painter.setPen(theme.textMuted);
    const double high = scaledPx(kTopRowPx);
    painter.drawText(QRectF(x - 4 - metrics.horizontalAdvance(border.before), top,
                            metrics.horizontalAdvance(border.before) + 1, high),
                     Qt::AlignVCenter, border.before);
    painter.drawText(QRectF(x + 4, top, metrics.horizontalAdvance(border.after) + 1, high),
                     Qt::AlignVCenter, border.after);
  }
}

void HistogramChart::paintMarks(QPainter& painter) const {
  const QRectF plot = plotRect();
  for (const double mark : marks_) {
    if (mark < 0 || mark > static_cast<double>(bars().size())) continue;
    const double x = xOf(mark);
    QPainterPath arrow(QPointF(x, plot.bottom() - 1));
    arrow.lineTo(x - kMarkPx, plot.bottom() - 1 - 2 * kMarkPx);
    arrow.lineTo(x + kMarkPx, plot.bottom() - 1 - 2 * kMarkPx);
    painter.fillPath(arrow, currentTheme().accent);
  }
}

}  // namespace lockstep::widgets
