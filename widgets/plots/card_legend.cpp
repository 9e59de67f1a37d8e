#include "widgets/plots/card_legend.h"

#include <QPainter>
#include <algorithm>

#include "widgets/plots/curve_pen.h"
#include "widgets/plots/event_marks.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kCountPx = 30, kMarkPx = 10;
int heightPx() { return scaledPx(20); }

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

CardLegend::CardLegend(QWidget* parent) : EntryStrip(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void CardLegend::setContent(const std::vector<Curve>& curves,
                            const std::vector<EventMark::Kind>& marks, const QStringList& hidden) {
  entries_ = legendEntries(curves);
  for (const EventMark::Kind kind : marks)
    entries_.push_back({.curve = {}, .text = markName(kind), .mark = kind});
  std::vector<Named> named;
  for (const LegendEntry& entry : entries_)
    named.push_back({entry.text, hidden.contains(entry.text)});
  setEntries(std::move(named), tr("Legend"));
}

int CardLegend::widthOf(std::size_t entry, const Spacing& spacing) const {
  const int sample = entries_[entry].mark ? kMarkPx : spacing.sample;
  return sample + spacing.toName + fontMetrics().horizontalAdvance(entries_[entry].text);
}

int CardLegend::widthOfAll(const Spacing& spacing) const {
  int width = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) width += widthOf(i, spacing) + spacing.between;
  return std::max(0, width - spacing.between);
}

CardLegend::Spacing CardLegend::fittingSpacing(int width) const {
  return widthOfAll(kWide) <= width ? kWide : kNarrow;
}

std::size_t CardLegend::fittingCount(const Spacing& spacing, int width) const {
  if (widthOfAll(spacing) <= width) return entries_.size();
  std::size_t fitting = 0;
  int used = scaledPx(kCountPx);
  while (fitting < entries_.size()) {
    used += widthOf(fitting, spacing) + (fitting > 0 ? spacing.between : 0);
    if (used > width) break;
    ++fitting;
  }
  return fitting;
}

QStringList CardLegend::shownNames() const {
  QStringList shown;
  for (std::size_t i = 0; i < placesIn(width()).entries.size(); ++i) shown << named(i).name;
  return shown;
}

QSize CardLegend::sizeHint() const { return {widthOfAll(kWide) + kWide.between, heightPx()}; }

QSize CardLegend::minimumSizeHint() const { return {0, heightPx()}; }

EntryStrip::Places CardLegend::placesIn(int width) const {
  const Spacing spacing = fittingSpacing(width);
  const std::size_t fitting = fittingCount(spacing, width);
  Places places;
  if (fitting < entries_.size())
    places.more = {width - scaledPx(kCountPx), 0, scaledPx(kCountPx), heightPx()};
  int left = width - places.more.width() + spacing.between;
  for (std::size_t i = 0; i < fitting; ++i) left -= widthOf(i, spacing) + spacing.between;
  for (std::size_t i = 0; i < fitting; ++i) {
    places.entries.push_back({left, 0, widthOf(i, spacing), heightPx()});
    left += widthOf(i, spacing) + spacing.between;
  }
  return places;
}

QPen CardLegend::penOf(std::size_t entry) const {
  QPen pen = entries_[entry].pen(currentTheme());
  if (named(entry).isHidden) pen.setColor(currentTheme().grid);
  return pen;
}

void CardLegend::paintEntry(QPainter* painter, std::size_t entry, const QRect& place,
                            const Spacing& spacing) const {
  const Theme& theme = currentTheme();
  const bool isHidden = named(entry).isHidden;
  const double middle = height() / 2.0;
  int sample = spacing.sample;
  if (const auto mark = entries_[entry].mark) {
    sample = kMarkPx;
    const QColor color = isHidden ? theme.grid : markColor(*mark, theme);
    painter->setPen(QPen(color, 1));
    painter->setBrush(color);
    painter->drawPath(markShape(*mark).translated(place.left() + kMarkPx / 2.0, middle));
  } else {
    paintSample(*painter, entries_[entry].curve, penOf(entry), {place.left() + 0.0, middle}, sample,
                theme.card);
  }
  QFont font = this->font();
  font.setStrikeOut(isHidden);
  painter->setFont(font);
  painter->setPen(isHidden ? theme.textFaint : theme.textMuted);
  painter->drawText(place.adjusted(sample + spacing.toName, 0, 2, 0), Qt::AlignVCenter,
                    named(entry).name);
}

void CardLegend::paintEvent(QPaintEvent*) {
  if (entries_.empty()) return;
  const Places places = placesIn(width());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Spacing spacing = fittingSpacing(width());
  for (std::size_t i = 0; i < places.entries.size(); ++i)
    paintEntry(&painter, i, places.entries[i], spacing);
  if (!places.more.isEmpty()) {
    painter.setFont(font());
    painter.setPen(currentTheme().textFaint);
    painter.drawText(places.more, Qt::AlignVCenter | Qt::AlignRight,
                     QStringLiteral("+%1").arg(entries_.size() - places.entries.size()));
  }
  paintFocus(&painter);
}

}  // namespace lockstep::widgets
