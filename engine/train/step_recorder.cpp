#include "engine/train/step_recorder.h"

#include <torch/types.h>

#include <array>
#include <cmath>
#include <utility>

namespace lockstep::train {
namespace {

/// Tags of a step's row.
constexpr std::array<const char*, 7> kTags{
    "train/loss_classifier",  "train/loss_box_reg", "train/loss_mask", "train/loss_objectness",
    "train/loss_rpn_box_reg", "train/loss_total",   "solver/grad_norm"};

using Figures = std::vector<std::pair<std::string, float>>;

/// `loss_mask=NaN grad_norm=-Infinity`, empty when all are finite.
std::string nonFinite(const Figures& figures) {
  std::string text;
  for (const auto& [tag, value] : figures) {
    if (std::isfinite(value)) continue;
    text += (text.empty() ? "" : " ") + tag.substr(tag.find('/') + 1) + "=";
    text += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  }
  return text;
}

std::string joined(const std::vector<ImageId>& ids) {
  std::string text;
  for (const ImageId id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id.value);
  return text;
}

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

at::Tensor StepRecorder::isNotFinite(const at::Tensor& gradientNorm) const {
  const at::Tensor finite =
      at::isfinite(parts_).all().logical_and(at::isfinite(gradientNorm.detach().to(at::kFloat)));
  return finite.logical_not().to(at::kFloat);
}

StepRecorder::Flushed StepRecorder::flush() {
  Flushed flushed;
  if (steps_.empty()) return flushed;
  std::vector<at::Tensor> rows;
  for (const Step& step : steps_) rows.push_back(step.values);
  const at::Tensor values = at::stack(rows).cpu();
  const auto value = values.accessor<float, 2>();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const HostFacts& facts = steps_[i].facts;
    Figures figures;
    for (std::size_t k = 0; k < kTags.size(); ++k) figures.emplace_back(kTags[k], value[i][k]);
    if (const std::string what = nonFinite(figures); !what.empty() && !flushed.fault) {
      flushed.fault = {facts.step, facts.imageIds, figures,
                       "step " + std::to_string(facts.step) + ": " + what + " on images " +
                           joined(facts.imageIds)};
    }
    figures.emplace_back("solver/lr", static_cast<float>(facts.learningRate));
    figures.emplace_back("time/step_seconds", static_cast<float>(facts.stepSeconds));
    figures.emplace_back("time/data_seconds", static_cast<float>(facts.dataSeconds));
    figures.emplace_back("time/images_per_second",
                         static_cast<float>(facts.images / facts.stepSeconds));
    flushed.scalars.records.push_back({facts.step, facts.wallTime, std::move(figures)});
  }
  steps_.clear();
  return flushed;
}

}  // namespace lockstep::train
