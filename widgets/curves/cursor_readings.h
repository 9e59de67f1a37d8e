#pragma once

#include <QPointF>
#include <QString>
#include <QStringList>
#include <cstddef>
#include <functional>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// What the curves of a plot say at its cursor.
struct Readings {
  struct Row {
    Curve curve;
    QString run;  ///< empty: all are of one
    QString name;
    QString value;
    QString raw;   ///< before smoothing; empty: not smoothed
    QString step;  ///< where this value is of another step than the title's
  };
  QString title;
  std::vector<Row> rows;
  QStringList notes;  ///< what else stands at the cursor, below the rows
};

/// What a plot shows at its cursor.
struct CursorReadings {
  struct Dot {
    QPointF place;  ///< px
    std::size_t curve = 0;
  };
  std::vector<Dot> dots;  ///< where it meets the curves
  Readings readings;      ///< of every curve with a point, the nearest first
};

/// x: of the cursor. toPixel: from values of the axes to px of the plot. pointer: px. The title
/// tells the step of the point next to the cursor; a value of another step tells its own.
CursorReadings readingsAt(const std::vector<Curve>& curves, double x, XAxis axis,
                          const std::function<QPointF(double, double)>& toPixel,
                          const QPointF& pointer);

}  // namespace lockstep::widgets
