#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// Distance of the ticks of an x axis from `range.first` to `range.second` with about `count` of
/// them, in round steps or in round times. Not for epochs.
double tickStep(XAxis axis, std::pair<double, double> range, int count);

/// Likewise of plain numbers: 1, 2 or 5 times a power of ten.
double roundStep(std::pair<double, double> range, int count);

/// The multiples of a step in the range.
std::vector<double> ticksEvery(double step, std::pair<double, double> range);

/// Ticks of a log axis: 1, 2 and 5 times the powers of ten if few powers are in view, else the
/// powers.
std::vector<double> logTicks(std::pair<double, double> range);

/// A tick label of the y axis in few characters: 0.00025, or 1.25e-4 if that would be too wide.
QString valueTickText(double value);

}  // namespace lockstep::widgets
