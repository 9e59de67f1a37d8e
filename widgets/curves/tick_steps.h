#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// Distance of the ticks of an x axis from `range.first` to `range.second` with about `count` of
/// them: whole steps, or what clocks and calendars count in. Not of epochs.
double tickStep(XAxis axis, std::pair<double, double> range, int count);

/// Ticks of a log axis: 1, 2 and 5 times the powers of ten where few powers are in view, else the
/// powers.
std::vector<double> logTicks(std::pair<double, double> range);

/// A tick of values in few characters: 0.00025, and 1.25e-4 where that would be too wide.
QString valueTickText(double value);

}  // namespace lockstep::widgets
