#include "widgets/plots/run_legend.h"

#include <QPainter>
#include <algorithm>

#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kSamplePx = 26, kGapPx = 6, kBetweenPx = 18, kLinePx = 20, kMaxLines = 3;
constexpr int kSidePx = 16, kTopPx = 8, kCountPx = 90, kWidestPx = 320;

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
  const int room = std::max(width - 2 * kSidePx, kSamplePx + kGapPx + 40);
  int left = 0, line = 0;
  for (const Run& run : runs_) {
    const int text = std::min(fontMetrics().horizontalAdvance(run.name), scaledPx(kWidestPx));
    const int needed = std::min(kSamplePx + kGapPx + text, room);
    const bool isLast = found.entries.size() + 1 == runs_.size();
    const int end = line + 1 == kMaxLines && !isLast ? room - scaledPx(kCountPx) : room;
    if (left > 0 && left + needed > end) {
      if (line + 1 == kMaxLines) break;
      left = 0;
      ++line;
    }
    found.entries.push_back(
        {kSidePx + left, kTopPx + line * scaledPx(kLinePx), needed, scaledPx(kLinePx)});
    left += needed + kBetweenPx;
  }
  if (!runs_.empty() && found.entries.size() < runs_.size())
    found.more = {width - kSidePx - scaledPx(kCountPx), kTopPx + line * scaledPx(kLinePx),
                  scaledPx(kCountPx), scaledPx(kLinePx)};
  return found;
}

int RunLegend::heightForWidth(int width) const {
  const Places all = placesIn(width);
  return all.entries.empty() ? kTopPx + scaledPx(kLinePx) : all.entries.back().bottom() + 1;
}

QSize RunLegend::sizeHint() const { return {400, kTopPx + scaledPx(kLinePx)}; }
QSize RunLegend::minimumSizeHint() const { return {80, kTopPx + scaledPx(kLinePx)}; }

void RunLegend::paintRun(QPainter* painter, std::size_t run, const QRect& place) const {
  const Theme& theme = currentTheme();
  const bool isHidden = runs_[run].isHidden;
  Curve curve;
  curve.styleIndex = runs_[run].styleIndex;
  QPen pen = curvePen(curve, theme);
  if (isHidden) pen.setColor(theme.grid);
  const double middle = place.top() + scaledPx(kLinePx) / 2.0;
  painter->setPen(pen);
  painter->drawLine(QPointF(place.left(), middle), QPointF(place.left() + kSamplePx, middle));
  const QRect text = place.adjusted(kSamplePx + kGapPx, 0, 2, 0);
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
