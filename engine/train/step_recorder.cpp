#include "engine/train/step_recorder.h"

#include <torch/types.h>

#include <array>
#include <cmath>
#include <utility>

namespace lockstep::train {
namespace {

constexpr std::array<const char*, 6> kTags{"train/loss_classifier",  "train/loss_box_reg",
                                           "train/loss_mask",        "train/loss_objectness",
                                           "train/loss_rpn_box_reg", "train/loss_total"};

}  // namespace

void StepRecorder::addPart(const model::Losses& losses, const at::Tensor& total, int parts) {
  std::vector<at::Tensor> values;
  for (const auto& [name, loss] : losses.named()) values.push_back(loss.detach());
  values.push_back(total.detach());
  at::Tensor part = at::stack(values).to(at::kFloat) / parts;
  parts_ = parts_.defined() ? parts_ + part : std::move(part);
}

void StepRecorder::finishStep(const HostFacts& facts, const at::Tensor& gradientNorm) {
  steps_.push_back({facts, at::cat({std::exchange(parts_, {}),
                                    gradientNorm.detach().to(at::kFloat).reshape({1})})});
}

std::string StepRecorder::describeNonFinite() const {
  const at::Tensor values = parts_.cpu();
  std::string text;
  for (std::size_t i = 0; i + 1 < kTags.size(); ++i) {
    const float value = values[static_cast<std::int64_t>(i)].item<float>();
    if (std::isfinite(value)) continue;
    text += std::string(text.empty() ? "" : " ") + (kTags[i] + 6) + "=" +
            (std::isnan(value) ? "NaN" : "Infinity");
  }
  return text;
}

protocol::ScalarBatch StepRecorder::flush() {
  protocol::ScalarBatch batch;
  if (steps_.empty()) return batch;
  std::vector<at::Tensor> rows;
  for (const Step& step : steps_) rows.push_back(step.values);
  const at::Tensor values = at::stack(rows).cpu();
  const auto value = values.accessor<float, 2>();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const HostFacts& facts = steps_[i].facts;
    protocol::StepScalars scalars{facts.step, facts.wallTime, {}};
    for (std::size_t k = 0; k < kTags.size(); ++k)
      scalars.values.emplace_back(kTags[k], value[i][k]);
    scalars.values.emplace_back("solver/lr", static_cast<float>(facts.learningRate));
    scalars.values.emplace_back("solver/grad_norm", value[i][kTags.size()]);
    scalars.values.emplace_back("time/step_seconds", static_cast<float>(facts.stepSeconds));
    scalars.values.emplace_back("time/data_seconds", static_cast<float>(facts.dataSeconds));
    scalars.values.emplace_back("time/images_per_second",
                                static_cast<float>(facts.images / facts.stepSeconds));
    batch.records.push_back(std::move(scalars));
  }
  steps_.clear();
  return batch;
}

}  // namespace lockstep::train
