#include "widgets/plots/card_legend.h"

#include <QPainter>
#include <algorithm>

#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kHeightPx = 20, kCountPx = 30;

}  // namespace

std::vector<LegendEntry> legendEntries(const std::vector<Curve>& curves) {
  const bool oneRun = std::ranges::all_of(
      curves, [&](const Curve& curve) { return curve.run == curves.front().run; });
  std::vector<LegendEntry> entries;
  for (const Curve& curve : curves) {
    if (!oneRun && std::ranges::find(entries, curve.name, &LegendEntry::text) != entries.end())
      continue;
    entries.push_back({curve, curve.name, !oneRun});
    if (!oneRun) entries.back().curve.styleIndex = 0;  // no run's marker
  }
  return entries;
}

QPen LegendEntry::pen(const Theme& theme) const {
  QPen pen = curvePen(curve, theme);
  if (!anyRun) return pen;
  pen.setColor(theme.textMuted);
  // No dash: it would be that of one of the runs.
  if (!isDotted(curve)) pen.setStyle(Qt::SolidLine);
  return pen;
}

CardLegend::CardLegend(QWidget* parent) : QWidget(parent) {
  setFont(interfaceFont(12));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void CardLegend::setCurves(const std::vector<Curve>& curves) {
  entries_ = legendEntries(curves);
  QStringList names;
  for (const LegendEntry& entry : entries_) names.append(entry.text);
  setToolTip(names.size() > 1 ? names.join(QLatin1Char('\n')) : QString());
  updateGeometry();
  update();
}

int CardLegend::widthOf(const LegendEntry& entry, const Spacing& spacing) const {
  return spacing.sample + spacing.toName + fontMetrics().horizontalAdvance(entry.text);
}

int CardLegend::widthOfAll(const Spacing& spacing) const {
  int width = 0;
  for (const LegendEntry& entry : entries_) width += widthOf(entry, spacing) + spacing.between;
  return std::max(0, width - spacing.between);
}

CardLegend::Spacing CardLegend::fittingSpacing() const {
  return widthOfAll(kWide) <= width() ? kWide : kNarrow;
}

std::size_t CardLegend::fittingCount(const Spacing& spacing) const {
  if (widthOfAll(spacing) <= width()) return entries_.size();
  std::size_t fitting = 0;
  int used = kCountPx;
  while (fitting < entries_.size()) {
    used += widthOf(entries_[fitting], spacing) + (fitting > 0 ? spacing.between : 0);
    if (used > width()) break;
    ++fitting;
  }
  return fitting;
}

QStringList CardLegend::shownNames() const {
  QStringList names;
  const std::size_t fitting = fittingCount(fittingSpacing());
  for (std::size_t i = 0; i < fitting; ++i) names.append(entries_[i].text);
  return names;
}

QSize CardLegend::sizeHint() const { return {widthOfAll(kWide) + kWide.between, kHeightPx}; }

QSize CardLegend::minimumSizeHint() const { return {0, kHeightPx}; }

void CardLegend::paintEvent(QPaintEvent*) {
  if (entries_.empty()) return;
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Spacing spacing = fittingSpacing();
  const std::size_t fitting = fittingCount(spacing);
  if (fitting == 0) return;
  const bool counted = fitting < entries_.size();
  double left = width() - (counted ? kCountPx : 0) + spacing.between;
  for (std::size_t i = 0; i < fitting; ++i) left -= widthOf(entries_[i], spacing) + spacing.between;
  const double middle = height() / 2.0;
  for (std::size_t i = 0; i < fitting; ++i) {
    paintSample(painter, entries_[i].curve, entries_[i].pen(theme), {left, middle}, spacing.sample,
                theme.card);
    painter.setPen(theme.textMuted);
    painter.drawText(QRectF(left + spacing.sample + spacing.toName, 0, width(), height()),
                     Qt::AlignVCenter, entries_[i].text);
    left += widthOf(entries_[i], spacing) + spacing.between;
  }
  if (!counted) return;
  painter.setPen(theme.textFaint);
  painter.drawText(QRectF(width() - kCountPx, 0, kCountPx, height()),
                   Qt::AlignVCenter | Qt::AlignRight,
                   QStringLiteral("+%1").arg(entries_.size() - fitting));
}

}  // namespace lockstep::widgets
