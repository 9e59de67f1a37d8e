#include "tests/support/fake_worker/made_scalars.h"

#include <cmath>

namespace lockstep::tests {

protocol::ScalarBatch madeScalars(std::int64_t from, std::int64_t to) {
  protocol::ScalarBatch batch;
  for (std::int64_t step = from; step <= to; ++step)
    batch.records.push_back({0,
                             step,
                             1000.0 + static_cast<double>(step),
                             {{"train/loss_total", 1.0f / static_cast<float>(step)},
                              {"solver/lr", 0.01f},
                              {"time/step_seconds", 0.5f},
                              {"time/images_per_second", 4.0f}}});
  return batch;
}

protocol::ScalarBatch madeEvaluation(std::int64_t step, double loss, double ap) {
  return {{{0,
            step,
            1000.5 + static_cast<double>(step),
            {{"eval/loss_total", static_cast<float>(loss)},
             {"eval/segm/AP", static_cast<float>(ap)},
             {"eval/bbox/AP", static_cast<float>(ap)}}}}};
}

protocol::ScalarBatch madeRangeTest(std::int64_t last) {
  protocol::ScalarBatch batch;
  for (std::int64_t step = 1; step <= last; ++step) {
    const double rate = 1e-6 * std::pow(10, static_cast<double>(step - 1) / 20);
    const auto loss = static_cast<float>(1 + 3 / (1 + rate / 1e-4) + std::pow(rate / 0.03, 2));
    batch.records.push_back({0,
                             step,
                             1000.0 + static_cast<double>(step),
                             {{"train/loss_total", loss},
                              {"solver/lr", static_cast<float>(rate)},
                              {"find_lr/loss", loss}}});
  }
  return batch;
}

}  // namespace lockstep::tests
