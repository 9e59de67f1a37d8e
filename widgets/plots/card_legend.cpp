#include "widgets/plots/card_legend.h"

#include <QPainter>
#include <QStringList>
#include <algorithm>

#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kSamplePx = 22, kGapPx = 6, kBetweenPx = 16, kHeightPx = 20;

}  // namespace

CardLegend::CardLegend(QWidget* parent) : QWidget(parent) {
  setFont(interfaceFont(12));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void CardLegend::setCurves(const std::vector<Curve>& curves) {
  entries_.clear();
  const bool oneRun = std::all_of(curves.begin(), curves.end(), [&](const Curve& curve) {
    return curve.run == curves.front().run;
  });
  QStringList names;
  for (const Curve& curve : curves) {
    if (!oneRun && names.contains(curve.name)) continue;
    entries_.push_back({curve, curve.name, !oneRun});
    names.append(curve.name);
  }
  setToolTip(names.size() > 1 ? names.join(QLatin1Char('\n')) : QString());
  updateGeometry();
  update();
}

int CardLegend::widthOf(const Entry& entry) const {
  return kSamplePx + kGapPx + fontMetrics().horizontalAdvance(entry.text);
}

QSize CardLegend::sizeHint() const {
  int width = 0;
  for (const Entry& entry : entries_) width += widthOf(entry) + kBetweenPx;
  return {width, kHeightPx};
}

QSize CardLegend::minimumSizeHint() const { return {0, kHeightPx}; }

void CardLegend::paintEvent(QPaintEvent*) {
  if (entries_.empty()) return;
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  int used = 0;
  std::size_t fitting = 0;
  while (fitting < entries_.size()) {
    const int next = used + widthOf(entries_[fitting]) + (fitting > 0 ? kBetweenPx : 0);
    const int reserve = fitting + 1 < entries_.size() ? 30 : 0;
    if (next + reserve > width()) break;
    used = next;
    ++fitting;
  }
  if (fitting == 0) return;
  const bool counted = fitting < entries_.size();
  double left = width() - used - (counted ? 30 : 0);
  const double middle = height() / 2.0;
  for (std::size_t i = 0; i < fitting; ++i) {
    QPen pen = curvePen(entries_[i].curve, theme);
    if (entries_[i].anyRun) {
      pen.setColor(theme.textMuted);
      // No dash: it would be that of one of the runs.
      if (!isDotted(entries_[i].curve)) pen.setStyle(Qt::SolidLine);
    }
    Curve sample = entries_[i].curve;
    if (entries_[i].anyRun) sample.styleIndex = 0;  // nor its marker
    paintSample(painter, sample, pen, {left, middle}, kSamplePx, theme.card);
    painter.setPen(theme.textMuted);
    painter.drawText(QRectF(left + kSamplePx + kGapPx, 0, width(), height()), Qt::AlignVCenter,
                     entries_[i].text);
    left += widthOf(entries_[i]) + kBetweenPx;
  }
  if (!counted) return;
  painter.setPen(theme.textFaint);
  painter.drawText(QRectF(width() - 30, 0, 30, height()), Qt::AlignVCenter | Qt::AlignRight,
                   QStringLiteral("+%1").arg(entries_.size() - fitting));
}

}  // namespace lockstep::widgets
