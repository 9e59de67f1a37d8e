#include "widgets/config_editor/box_size_chart.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

using config::BoxSizes;

constexpr int kLabelPx = 10, kTickRowPx = 16, kMarkRowPx = 10;
constexpr double kMarkPx = 4;

/// 0 is the start of the first bin, 1 that of the second.
double binPosition(double sizePx) {
  return std::log2(sizePx / BoxSizes::kFirstPx) * BoxSizes::kBinsPerDoubling;
}

}  // namespace

BoxSizeChart::BoxSizeChart(QWidget* parent) : QWidget(parent) {
  setMinimumSize(160, 72);
  setAccessibleName(tr("Box sizes of the training objects, and the anchors' sizes"));
}

void BoxSizeChart::setSizes(const BoxSizes& boxes, const std::vector<double>& anchorSizes) {
  boxes_ = boxes;
  anchorSizes_ = anchorSizes;
  firstBin_ = BoxSizes::kBins - 1;
  endBin_ = 1;
  const auto include = [this](int bin) {
    firstBin_ = std::clamp(bin, 0, firstBin_);
    endBin_ = std::clamp(bin + 1, endBin_, BoxSizes::kBins);
  };
  for (int bin = 0; bin < BoxSizes::kBins; ++bin)
    if (boxes_.counts[static_cast<std::size_t>(bin)] > 0) include(bin);
  for (const double size : anchorSizes_)
    if (size > 0) include(static_cast<int>(std::floor(binPosition(size))));
  setAccessibleDescription(tr("%n objects", nullptr, static_cast<int>(boxes_.objects())));
  update();
}

QRectF BoxSizeChart::plotRect() const {
  return QRectF(rect()).adjusted(8, kMarkRowPx, -8, -kTickRowPx);
}

double BoxSizeChart::xOf(double sizePx) const {
  const QRectF plot = plotRect();
  const double position = (binPosition(sizePx) - firstBin_) / (endBin_ - firstBin_);
  return plot.left() + std::clamp(position, 0.0, 1.0) * plot.width();
}

void BoxSizeChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintBars(painter);
  paintTicks(painter);
  const Theme& theme = currentTheme();
  const QRectF plot = plotRect();
  for (const double size : anchorSizes_) {
    if (!(size > 0)) continue;
    const double x = xOf(size);
    painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    QPainterPath mark(QPointF(x, plot.top()));
    mark.lineTo(x - kMarkPx, plot.top() - 2 * kMarkPx);
    mark.lineTo(x + kMarkPx, plot.top() - 2 * kMarkPx);
    painter.fillPath(mark, theme.accent);
  }
}

void BoxSizeChart::paintBars(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QRectF plot = plotRect();
  const double most = std::max(1.0, static_cast<double>(std::ranges::max(boxes_.counts)));
  for (int bin = firstBin_; bin < endBin_; ++bin) {
    const double left = xOf(BoxSizes::binStartPx(bin)), right = xOf(BoxSizes::binStartPx(bin + 1));
    const double share = static_cast<double>(boxes_.counts[static_cast<std::size_t>(bin)]) / most;
    const double height = share * plot.height();
    painter.fillRect(QRectF(left, plot.bottom() - height, right - left - 1, height),
                     blend(theme.card, theme.textMuted, 0.6));
  }
  painter.setPen(theme.grid);
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

/// Under every doubling that has room, and always at the last one, with the unit.
void BoxSizeChart::paintTicks(QPainter& painter) const {
  painter.setFont(monoFont(kLabelPx));
  painter.setPen(currentTheme().textFaint);
  const QFontMetricsF metrics(painter.font());
  constexpr int kEvery = BoxSizes::kBinsPerDoubling;
  const int first = (firstBin_ + kEvery - 1) / kEvery * kEvery, last = endBin_ / kEvery * kEvery;
  double free = width() + metrics.averageCharWidth();  // right end of the room that is left
  for (int bin = last; bin >= first; bin -= kEvery) {
    const double size = BoxSizes::binStartPx(bin);
    const QString text = bin == last ? tr("%1 px").arg(size) : QString::number(size);
    const double wide = std::ceil(metrics.horizontalAdvance(text));
    const double x = std::min(xOf(size) - wide / 2, width() - wide);
    if (x < 0 || x + wide + metrics.averageCharWidth() > free) continue;
    painter.drawText(QRectF(x, plotRect().bottom() + 2, wide, kTickRowPx - 2), Qt::AlignCenter,
                     text);
    free = x;
  }
}

QString BoxSizeChart::binText(int bin) const {
  const auto count = static_cast<int>(boxes_.counts[static_cast<std::size_t>(bin)]);
  return tr("%n objects of %1 to %2 px (square root of the box's area, after resizing)", nullptr,
            count)
      .arg(BoxSizes::binStartPx(bin), 0, 'f', 0)
      .arg(BoxSizes::binStartPx(bin + 1), 0, 'f', 0);
}

bool BoxSizeChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QRectF plot = plotRect();
  const double place = (help->pos().x() - plot.left()) / plot.width() * (endBin_ - firstBin_);
  const int bin =
      std::clamp(firstBin_ + static_cast<int>(std::floor(place)), firstBin_, endBin_ - 1);
  QToolTip::showText(help->globalPos(), binText(bin), this);
  return true;
}

}  // namespace lockstep::widgets
