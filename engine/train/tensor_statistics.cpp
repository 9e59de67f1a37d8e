#include "engine/train/tensor_statistics.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "engine/base/pattern.h"
#include "engine/events/tags.h"
#include "engine/ops/tensor_sums.h"

namespace lockstep::train {

namespace tags = events::tags;

TensorStatistics::TensorStatistics(const std::vector<solver::Parameter>& parameters,
                                   const std::vector<std::string>& include) {
  const std::vector<base::Pattern> patterns(include.begin(), include.end());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].name;
    if (const auto part = config::partOf(name))
      membersOfPart_[static_cast<std::size_t>(*part)].push_back(static_cast<std::int64_t>(i));
    const bool isIncluded =
        patterns.empty() || std::ranges::any_of(patterns, [&](const base::Pattern& pattern) {
          return !pattern.find(name).empty();
        });
    if (!isIncluded) continue;
    included_.push_back(i);
    rows_.push_back({i, static_cast<double>(parameters[i].tensor.numel()),
                     tags::kGradientNorms + name, tags::kGradientMeans + name,
                     tags::kWeightNorms + name, tags::kWeightMeans + name,
                     tags::kUpdateRatios + name});
  }
}

void TensorStatistics::addPartNorms(const at::Tensor& gradientSums, Values& values) const {
  const auto sums = gradientSums.accessor<double, 2>();
  for (const auto& [part, name] : base::kEnumTexts<config::ModelPart>) {
    const std::vector<std::int64_t>& members = membersOfPart_[static_cast<std::size_t>(part)];
    if (members.empty()) continue;
    double squares = 0;
    for (const std::int64_t member : members) squares += sums[member][ops::kSumOfSquares];
    values.emplace_back(std::string(tags::kPartGradientNorms) + name,
                        static_cast<float>(std::sqrt(squares)));
  }
}

TensorStatistics::Values TensorStatistics::statistics(const at::Tensor& gradientSums,
                                                      const at::Tensor& weightSums) const {
  const auto gradients = gradientSums.accessor<double, 2>();
  const auto weights = weightSums.accessor<double, 2>();
  Values values;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Included& row = rows_[i];
    const auto gradient = gradients[static_cast<std::int64_t>(row.index)];
    const auto weight = weights[static_cast<std::int64_t>(i)];
    const double norm = std::sqrt(weight[ops::kSumOfSquares]);
    const auto add = [&](const std::string& tag, double value) {
      values.emplace_back(tag, static_cast<float>(value));
    };
    add(row.gradientNorm, std::sqrt(gradient[ops::kSumOfSquares]));
    add(row.gradientMean, gradient[ops::kSum] / row.elements);
    add(row.weightNorm, norm);
    add(row.weightMean, weight[ops::kSum] / row.elements);
    if (norm > 0) add(row.updateRatio, std::sqrt(weight[ops::kSumOfSquaredDifferences]) / norm);
  }
  return values;
}

}  // namespace lockstep::train
