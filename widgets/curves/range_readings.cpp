#include "widgets/curves/range_readings.h"

#include <QCoreApplication>
#include <cmath>
#include <set>

#include "widgets/curves/number_text.h"

namespace lockstep::widgets {
namespace {

constexpr double kSecondsPerHour = 3600;

struct RangeReadingText {
  Q_DECLARE_TR_FUNCTIONS(CurvePlot)
};

QString slopeText(double slope, XAxis axis) {
  switch (axis) {
    case XAxis::Step:
      return RangeReadingText::tr("slope %1 per step").arg(valueText(slope));
    case XAxis::Epoch:
      return RangeReadingText::tr("slope %1 per epoch").arg(valueText(slope));
    case XAxis::Images:
      return RangeReadingText::tr("slope %1 per image").arg(valueText(slope));
    case XAxis::Relative:
    case XAxis::Wall:
      break;
  }
  return RangeReadingText::tr("slope %1 per hour").arg(valueText(slope * kSecondsPerHour));
}

QString detailOf(const RangeFigures& figures, XAxis axis) {
  QStringList texts{slopeText(figures.slope(), axis),
                    RangeReadingText::tr("min %1").arg(valueText(figures.min())),
                    RangeReadingText::tr("max %1").arg(valueText(figures.max())),
                    RangeReadingText::tr("n %1").arg(figures.count())};
  if (figures.nonFiniteCount() > 0)
    texts << RangeReadingText::tr("%1 not finite").arg(figures.nonFiniteCount());
  return texts.join(QStringLiteral("  "));
}

}  // namespace

Readings rangeReadings(const std::vector<Curve>& curves, std::pair<double, double> range,
                       XAxis axis) {
  if (axis == XAxis::Step || axis == XAxis::Images)
    range = {std::ceil(range.first), std::floor(range.second)};
  const QString from = xText(axis, range.first), to = xText(axis, range.second);
  Readings readings;
  readings.title = axis == XAxis::Step ? RangeReadingText::tr("steps %1 to %2: mean").arg(from, to)
                                       : RangeReadingText::tr("%1 to %2: mean").arg(from, to);
  std::set<QString> runs;
  for (const Curve& curve : curves) runs.insert(curve.run);
  for (const Curve& curve : curves) {
    if (!curve.source || curve.source->isEmpty()) continue;
    const RangeFigures figures = curve.source->figuresBetween(range.first, range.second);
    if (figures.count() == 0) continue;
    Readings::Row row;
    row.curve = curve;
    if (runs.size() > 1) row.run = curve.run;
    row.name = curve.name;
    row.value = valueText(figures.mean());
    row.detail = detailOf(figures, axis);
    readings.rows.push_back(row);
  }
  return readings;
}

}  // namespace lockstep::widgets
