#pragma once

#include <QColor>
#include <QPair>
#include <QPointF>
#include <QVector>
#include <functional>
#include <vector>

#include "widgets/curves/curve_source.h"
#include "widgets/plots/readings_tip.h"

namespace lockstep::widgets {

struct Theme;

/// What a plot shows at its cursor.
struct CursorReadings {
  QVector<QPair<QPointF, QColor>> dots;  ///< where it meets the curves, px
  Readings readings;                     ///< of every curve with a point, the nearest first
};

/// x: of the cursor. toPixel: from values of the axes to px of the plot. pointer: px. The title
/// tells the step of the point next to the cursor; a value of another step tells its own.
CursorReadings readingsAt(const std::vector<Curve>& curves, double x, XAxis axis,
                          const std::function<QPointF(double, double)>& toPixel,
                          const QPointF& pointer, const Theme& theme);

}  // namespace lockstep::widgets
