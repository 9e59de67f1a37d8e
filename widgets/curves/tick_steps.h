#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// Distance of the ticks of an x axis from `range.first` to `range.second` with about `count` of
/// them, in round steps, epochs or times.
double tickStep(XAxis axis, std::pair<double, double> range, int count);

/// The same of an axis of values.
double valueTickStep(std::pair<double, double> range, int count);

/// The multiples of a step in the range.
std::vector<double> ticksEvery(double step, std::pair<double, double> range);

/// Ticks of a log axis, about `count` or fewer if there are many powers of ten in the range: some
/// of them, all, or 1, 2 and 5 times each. None if less than three of these are in it: then the
/// ticks of a linear axis are dense enough.
std::vector<double> logTicks(std::pair<double, double> range, int count);

/// A tick label of the y axis in few characters: 0.00025, or 1.25e-4 if that would be too wide.
QString valueTickText(double value);

}  // namespace lockstep::widgets
