#pragma once

#include <QPointF>
#include <vector>

/// Drawn lines: x rises, a NaN y is a gap.
namespace lockstep::widgets {

/// y on the line at an x within it.
double valueOnLine(const std::vector<QPointF>& line, double x);

/// Points that no segment leads to, e.g. the first of a run.
std::vector<QPointF> lonePoints(const std::vector<QPointF>& line);

}  // namespace lockstep::widgets
