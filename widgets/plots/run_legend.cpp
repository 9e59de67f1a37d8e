#include "widgets/plots/run_legend.h"

#include <QPainter>
#include <algorithm>

#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kRunSamplePx = 26, kRunGapPx = 6, kBetweenPx = 18, kRunLinePx = 20, kMaxLines = 3;
constexpr int kSidePx = 16, kRunsTopPx = 8, kMoreRunsPx = 90, kWidestPx = 320;

}  // namespace

RunLegend::RunLegend(QWidget* parent) : EntryStrip(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void RunLegend::setRuns(std::vector<Run> runs) {
  runs_ = std::move(runs);
  std::vector<Named> named;
  for (const Run& run : runs_) named.push_back({run.name, run.isHidden});
  setEntries(std::move(named), tr("Runs"));
}

/// The runs that fit in kMaxLines; the last line has room to count the others.
EntryStrip::Places RunLegend::placesIn(int width) const {
  Places found;
  const int room = std::max(width - 2 * kSidePx, kRunSamplePx + kRunGapPx + 40);
  int left = 0, line = 0;
  for (const Run& run : runs_) {
    const int text = std::min(fontMetrics().horizontalAdvance(run.name), scaledPx(kWidestPx));
    const int needed = std::min(kRunSamplePx + kRunGapPx + text, room);
    const bool isLast = found.entries.size() + 1 == runs_.size();
    const int end = line + 1 == kMaxLines && !isLast ? room - scaledPx(kMoreRunsPx) : room;
    if (left > 0 && left + needed > end) {
      if (line + 1 == kMaxLines) break;
      left = 0;
      ++line;
    }
    found.entries.push_back(
        {kSidePx + left, kRunsTopPx + line * scaledPx(kRunLinePx), needed, scaledPx(kRunLinePx)});
    left += needed + kBetweenPx;
  }
  if (!runs_.empty() && found.entries.size() < runs_.size())
    found.more = {width - kSidePx - scaledPx(kMoreRunsPx), kRunsTopPx + line * scaledPx(kRunLinePx),
                  scaledPx(kMoreRunsPx), scaledPx(kRunLinePx)};
  return found;
}

int RunLegend::heightForWidth(int width) const {
  const Places all = placesIn(width);
  return all.entries.empty() ? kRunsTopPx + scaledPx(kRunLinePx) : all.entries.back().bottom() + 1;
}

QSize RunLegend::sizeHint() const { return {400, kRunsTopPx + scaledPx(kRunLinePx)}; }
QSize RunLegend::minimumSizeHint() const { return {80, kRunsTopPx + scaledPx(kRunLinePx)}; }

void RunLegend::paintRun(QPainter* painter, std::size_t run, const QRect& place) const {
  const Theme& theme = currentTheme();
  const bool isHidden = runs_[run].isHidden;
  Curve curve;
  curve.styleIndex = runs_[run].styleIndex;
  QPen pen = curvePen(curve, theme);
  if (isHidden) pen.setColor(theme.grid);
  const double middle = place.top() + scaledPx(kRunLinePx) / 2.0;
  painter->setPen(pen);
  painter->drawLine(QPointF(place.left(), middle), QPointF(place.left() + kRunSamplePx, middle));
  const QRect text = place.adjusted(kRunSamplePx + kRunGapPx, 0, 2, 0);
  QFont font = this->font();
  font.setStrikeOut(isHidden);
  painter->setFont(font);
  painter->setPen(isHidden ? theme.textFaint : theme.text);
  painter->drawText(text, Qt::AlignVCenter,
                    fontMetrics().elidedText(runs_[run].name, Qt::ElideMiddle, text.width() - 1));
}

void RunLegend::paintEvent(QPaintEvent*) {
  const Places places = placesIn(width());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = 0; i < places.entries.size(); ++i) paintRun(&painter, i, places.entries[i]);
  if (!places.more.isEmpty()) {
    painter.setFont(font());
    painter.setPen(currentTheme().textMuted);
    painter.drawText(places.more, Qt::AlignVCenter | Qt::AlignRight,
                     tr("%1 more").arg(runs_.size() - places.entries.size()));
  }
  paintFocus(&painter);
}

}  // namespace lockstep::widgets
