#pragma once

#include <vector>

#include "engine/config/anchor_fit.h"

namespace lockstep::widgets {

class HistogramChart;

/// Shows the data's box sizes, with the sizes of the anchors, px, as marks over them.
void showBoxSizes(HistogramChart* chart, const config::BoxSizes& boxes,
                  const std::vector<double>& anchorSizes);

}  // namespace lockstep::widgets
