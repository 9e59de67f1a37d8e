#include "widgets/plots/run_legend.h"

#include <QPainter>
#include <QStringList>
#include <algorithm>

#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kSamplePx = 26, kGapPx = 6, kBetweenPx = 18, kLinePx = 20, kMaxLines = 3;
constexpr int kSidePx = 16, kTopPx = 8, kCountPx = 90, kWidestPx = 320;

}  // namespace

RunLegend::RunLegend(QWidget* parent) : QWidget(parent) {
  setFont(interfaceFont(12));
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void RunLegend::setRuns(std::vector<Run> runs) {
  runs_ = std::move(runs);
  QStringList names;
  for (const Run& run : runs_) names.append(run.name);
  setToolTip(names.join(QLatin1Char('\n')));
  setAccessibleName(tr("Runs: %1").arg(names.join(QStringLiteral(", "))));
  updateGeometry();
  update();
}

/// Places of the runs that fit in kMaxLines; the last line has room to count the others.
std::vector<RunLegend::Place> RunLegend::places(int width) const {
  std::vector<Place> found;
  const int room = std::max(width - 2 * kSidePx, kSamplePx + kGapPx + 40);
  int left = 0, line = 0;
  for (const Run& run : runs_) {
    const int text = std::min(fontMetrics().horizontalAdvance(run.name), kWidestPx);
    const int needed = std::min(kSamplePx + kGapPx + text, room);
    const bool isLast = found.size() + 1 == runs_.size();
    const int end = line + 1 == kMaxLines && !isLast ? room - kCountPx : room;
    if (left > 0 && left + needed > end) {
      if (line + 1 == kMaxLines) break;
      left = 0;
      ++line;
    }
    found.push_back({left, line, needed});
    left += needed + kBetweenPx;
  }
  return found;
}

int RunLegend::heightForWidth(int width) const {
  const auto all = places(width);
  return kTopPx + kLinePx * (all.empty() ? 1 : all.back().line + 1);
}

QSize RunLegend::sizeHint() const { return {400, kTopPx + kLinePx}; }
QSize RunLegend::minimumSizeHint() const { return {80, kTopPx + kLinePx}; }

void RunLegend::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto all = places(width());
  for (std::size_t i = 0; i < all.size(); ++i) {
    Curve curve;
    curve.styleIndex = runs_[i].styleIndex;
    const int left = kSidePx + all[i].left, top = kTopPx + all[i].line * kLinePx;
    painter.setPen(curvePen(curve, theme));
    painter.drawLine(QPointF(left, top + kLinePx / 2.0),
                     QPointF(left + kSamplePx, top + kLinePx / 2.0));
    const int textLeft = left + kSamplePx + kGapPx;
    const int textWidth = all[i].width - kSamplePx - kGapPx;
    painter.setPen(theme.text);
    painter.drawText(QRect(textLeft, top, textWidth + 2, kLinePx), Qt::AlignVCenter,
                     fontMetrics().elidedText(runs_[i].name, Qt::ElideMiddle, textWidth + 1));
  }
  if (all.size() == runs_.size() || all.empty()) return;
  painter.setPen(theme.textMuted);
  painter.drawText(
      QRect(width() - kSidePx - kCountPx, kTopPx + all.back().line * kLinePx, kCountPx, kLinePx),
      Qt::AlignVCenter | Qt::AlignRight, tr("%1 more").arg(runs_.size() - all.size()));
}

}  // namespace lockstep::widgets
