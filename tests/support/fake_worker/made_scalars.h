#pragma once

#include <cstdint>

#include "engine/protocol/worker_messages.h"

namespace lockstep::tests {

/// Step s has loss_total 1/s; the wall time is 1000 + s.
protocol::ScalarBatch madeScalars(std::int64_t from, std::int64_t to);
/// With this held-out loss_total, and AP of masks and boxes.
protocol::ScalarBatch madeEvaluation(std::int64_t step, double loss, double ap);
/// Steps 1 … last of a learning-rate range test: 20 per decade from 1e-6, with a loss that falls
/// around 1e-4 and is 4 times its minimum at 0.05.
protocol::ScalarBatch madeRangeTest(std::int64_t last);

}  // namespace lockstep::tests
