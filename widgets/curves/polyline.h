#pragma once

#include <QPointF>
#include <vector>

/// Lines of a plot: x ascends, a NaN y is a gap.
namespace lockstep::widgets {

/// y of the line at an x, by linear interpolation; outside of it, that of its end.
double valueOnLine(const std::vector<QPointF>& line, double x);

/// Points that have no finite neighbour, so that no segment is drawn to them.
std::vector<QPointF> isolatedPoints(const std::vector<QPointF>& line);

}  // namespace lockstep::widgets
