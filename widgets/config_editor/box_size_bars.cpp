#include "widgets/config_editor/box_size_bars.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/bars/histogram_chart.h"

namespace lockstep::widgets {
namespace {

using config::BoxSizes;

/// 0 is the start of the first bin, 1 that of the second.
double binPosition(double sizePx) {
  return std::log2(sizePx / BoxSizes::kFirstPx) * BoxSizes::kBinsPerDoubling;
}

struct BoxSizesText {
  Q_DECLARE_TR_FUNCTIONS(BoxSizeBars)
};

/// Under every doubling, at the last one with the unit.
QString tickOf(int bin, int end) {
  constexpr int kEvery = BoxSizes::kBinsPerDoubling;
  if (bin % kEvery != 0) return {};
  const QString size = QString::number(BoxSizes::binStartPx(bin));
  return bin == end / kEvery * kEvery ? BoxSizesText::tr("%1 px").arg(size) : size;
}

QString tipOf(int bin, std::int64_t count) {
  return BoxSizesText::tr(
             "%Ln object(s) of %1 to %2 px (square root of the box's area, after resizing)", "",
             static_cast<int>(count))
      .arg(BoxSizes::binStartPx(bin), 0, 'f', 0)
      .arg(BoxSizes::binStartPx(bin + 1), 0, 'f', 0);
}

/// The bins with objects and those of the anchors.
std::pair<int, int> shownBins(const BoxSizes& boxes, const std::vector<double>& anchorSizes) {
  int first = BoxSizes::kBins - 1, end = 1;
  const auto include = [&](int bin) {
    first = std::clamp(bin, 0, first);
    end = std::clamp(bin + 1, end, BoxSizes::kBins);
  };
  for (int bin = 0; bin < BoxSizes::kBins; ++bin)
    if (boxes.counts[static_cast<std::size_t>(bin)] > 0) include(bin);
  for (const double size : anchorSizes)
    if (size > 0) include(static_cast<int>(std::floor(binPosition(size))));
  return {first, end};
}

}  // namespace

void showBoxSizes(HistogramChart* chart, const BoxSizes& boxes,
                  const std::vector<double>& anchorSizes) {
  const auto [first, end] = shownBins(boxes, anchorSizes);
  std::vector<BarChart::Bar> bars;
  for (int bin = first; bin < end; ++bin) {
    const std::int64_t count = boxes.counts[static_cast<std::size_t>(bin)];
    bars.push_back({tickOf(bin, end), count, tipOf(bin, count)});
  }
  std::vector<double> marks;
  for (const double size : anchorSizes)
    if (size > 0) marks.push_back(std::clamp<double>(binPosition(size) - first, 0, end - first));
  chart->setBars(std::move(bars));
  chart->setEnd(tickOf(end, end));
  chart->setMarks(std::move(marks));
}

}  // namespace lockstep::widgets
