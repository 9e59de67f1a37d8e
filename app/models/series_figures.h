#pragma once

#include "app/models/decimation.h"
#include "widgets/curves/range_figures.h"

namespace lockstep::app {

/// Of the values at x in [low, high]. O(number of them).
widgets::RangeFigures figuresOf(const MetricSeries& series, const XScale& scale, double low,
                                double high);

}  // namespace lockstep::app
