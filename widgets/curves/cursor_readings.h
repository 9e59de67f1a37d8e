#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <cstddef>
#include <functional>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// The values of a plot's curves at its cursor.
struct Readings {
  struct Row {
    Curve curve;
    QString run;  ///< empty: all curves are of one run
    QString name;
    QString value;
    QString raw;     ///< before smoothing; empty: not smoothed
    QString detail;  ///< after the value, instead of these two
    QString step;    ///< if this value is of another step than the title's
  };
  QString title;
  std::vector<Row> rows;
  QStringList notes;  ///< lines below the rows, e.g. events at the cursor
};

/// In one line, for a screen reader.
QString spoken(const Readings& readings);

/// What a plot shows at its cursor.
struct CursorReadings {
  struct Dot {
    QPointF place;  ///< px
    std::size_t curve = 0;
  };
  std::vector<Dot> dots;  ///< the points of the curves nearest to the cursor
  Readings readings;      ///< of every curve that has points, the nearest to the pointer first
};

/// `x`: of the cursor; `toPixel`: converts axis values to px of the plot; `pointer`: px. The title
/// names the step of the point next to the cursor; a row names its step if it differs.
CursorReadings readingsAt(const std::vector<Curve>& curves, double x, XAxis axis,
                          const std::function<QPointF(double, double)>& toPixel,
                          const QPointF& pointer);

}  // namespace lockstep::widgets
