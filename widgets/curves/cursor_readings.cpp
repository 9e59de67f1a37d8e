#include "widgets/curves/cursor_readings.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "widgets/curves/number_text.h"

namespace lockstep::widgets {
namespace {

struct CursorReadingText {
  Q_DECLARE_TR_FUNCTIONS(CurvePlot)
};

struct Found {
  const Curve* curve = nullptr;
  CurveReading reading;
  QPointF place;  ///< px
  double distancePx = 0;
};

std::vector<Found> pointsAt(const std::vector<Curve>& curves, double x,
                            const std::function<QPointF(double, double)>& toPixel,
                            const QPointF& pointer) {
  std::vector<Found> found;
  for (const Curve& curve : curves) {
    const auto reading = curve.source ? curve.source->nearest(x) : std::nullopt;
    if (!reading) continue;
    const QPointF place = toPixel(reading->x, reading->smooth);
    const double distance = std::hypot(place.x() - pointer.x(), place.y() - pointer.y());
    found.push_back({&curve, *reading, place,
                     std::isfinite(distance) ? distance : std::numeric_limits<double>::max()});
  }
  return found;
}

/// The point next to the cursor; one of a line is preferred to the sparse points of evaluations.
const Found* nextTo(const std::vector<Found>& found, double x) {
  const auto rank = [&](const Found& one) {
    return std::tuple(one.curve->kind == Curve::Kind::Evaluation, std::abs(one.reading.x - x));
  };
  const auto nearest =
      std::min_element(found.begin(), found.end(),
                       [&](const Found& a, const Found& b) { return rank(a) < rank(b); });
  return nearest == found.end() ? nullptr : &*nearest;
}

bool isLowest(const Found& one) {
  if (!one.curve->markLowest) return false;
  const auto lowest = one.curve->source->lowest();
  return lowest && lowest->step == one.reading.step;
}

}  // namespace

CursorReadings readingsAt(const std::vector<Curve>& curves, double x, XAxis axis,
                          const std::function<QPointF(double, double)>& toPixel,
                          const QPointF& pointer) {
  std::vector<Found> found = pointsAt(curves, x, toPixel, pointer);
  CursorReadings result;
  const Found* titled = nextTo(found, x);
  result.readings.title = titled ? CursorReadingText::tr("step %1 · %2")
                                       .arg(titled->reading.step)
                                       .arg(durationText(titled->reading.seconds))
                                 : xText(axis, x);
  const qint64 step = titled ? titled->reading.step : -1;
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.distancePx < b.distancePx; });
  std::set<QString> runs;
  for (const Curve& curve : curves) runs.insert(curve.run);
  for (const Found& one : found) {
    const CurveReading& reading = one.reading;
    if (std::isfinite(reading.smooth) && std::isfinite(one.place.y()))
      result.dots.push_back({one.place, static_cast<std::size_t>(one.curve - curves.data())});
    Readings::Row row;
    row.curve = *one.curve;
    if (runs.size() > 1) row.run = one.curve->run;
    row.name = one.curve->name;
    if (reading.runs > 0) row.name += CursorReadingText::tr(", mean of %1").arg(reading.runs);
    if (isLowest(one)) row.name += CursorReadingText::tr(" (lowest)");
    row.value = valueText(reading.smooth - reading.base);
    if (reading.deviation > 0) row.value += QStringLiteral(" ± ") + valueText(reading.deviation);
    const bool isLine = one.curve->kind == Curve::Kind::Line;
    if (reading.smooth != reading.value && isLine) row.raw = valueText(reading.value);
    if (reading.step != step) row.step = CursorReadingText::tr("at %1").arg(reading.step);
    result.readings.rows.push_back(row);
  }
  return result;
}

QString spoken(const Readings& readings) {
  QStringList parts{readings.title};
  for (const Readings::Row& row : readings.rows)
    parts << (row.run.isEmpty() ? row.name : row.run + QLatin1Char(' ') + row.name) +
                 QLatin1Char(' ') + row.value;
  return (parts + readings.notes).join(QStringLiteral("; "));
}

}  // namespace lockstep::widgets
