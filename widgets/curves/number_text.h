#pragma once

#include <QString>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// A value in a few significant digits: `0.552`, `1.04e-05`, `NaN`.
QString valueText(double value);
/// A value from 0 to 1 with three decimals.
QString rateText(double value);
/// A whole number with groups of three digits: `1,009`.
QString countText(qint64 count);
/// `1:09`, `2:03:10`, `3 d 4 h`.
QString durationText(double seconds);
/// A value of the x axis: `120`, `12k`, `1:09`, `10:16`. stepSize: distance of the ticks, which
/// sets the number of digits.
QString xText(XAxis axis, double x, double stepSize = 0);

}  // namespace lockstep::widgets
