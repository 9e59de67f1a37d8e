#pragma once

#include <utility>
#include <vector>

#include "widgets/curves/cursor_readings.h"

namespace lockstep::widgets {

/// Mean, slope, minimum, maximum and count of every curve that has values in the range.
/// O(values in it).
Readings rangeReadings(const std::vector<Curve>& curves, std::pair<double, double> range,
                       XAxis axis);

}  // namespace lockstep::widgets
