#pragma once

#include <optional>
#include <vector>

#include "app/metrics/metric_store.h"
#include "engine/config/lr_range_test.h"

namespace lockstep::app {

/// The steps of a learning-rate range test; empty: the run is none.
std::vector<config::RangeTestStep> rangeTestSteps(const MetricStore& metrics);

}  // namespace lockstep::app
