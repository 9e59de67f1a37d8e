#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/model_parts.h"
#include "engine/solver/optimizer.h"

/// Letters: P parameters, W included ones.
namespace lockstep::train {

/// Norms and means of weights and gradients, from sums that the device has computed
/// (solver::WeightUpdate::Figures).
class TensorStatistics {
 public:
  using Values = std::vector<std::pair<std::string, float>>;

  /// include: regular expressions (ECMAScript), of which one must match somewhere in the name of a
  /// parameter for it to be included; empty: all are.
  TensorStatistics(const std::vector<solver::Parameter>& parameters,
                   const std::vector<std::string>& include);

  /// The included parameters, by their index.
  const std::vector<std::size_t>& included() const { return included_; }

  /// Appends `grad_norm/part/PART` of each part that is trained. gradientSums [P,2] float64 on the
  /// host.
  void addPartNorms(const at::Tensor& gradientSums, Values& values) const;

  /// `grad_norm/`, `grad_mean/`, `weight_norm/`, `weight_mean/` and `update_ratio/` of every
  /// included parameter. weightSums [W,3] float64 on the host.
  Values statistics(const at::Tensor& gradientSums, const at::Tensor& weightSums) const;

 private:
  struct Included {
    std::size_t index;
    double elements;
    std::string gradientNorm, gradientMean, weightNorm, weightMean, updateRatio;  ///< tags
  };

  std::array<std::vector<std::int64_t>, config::kModelParts> membersOfPart_;
  std::vector<std::size_t> included_;
  std::vector<Included> rows_;  ///< in the order of included_
};

}  // namespace lockstep::train
