#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::solver {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// A trainable parameter and what decides its learning rate and weight decay.
struct Parameter {
  std::string name;   ///< as in the checkpoint
  at::Tensor tensor;  ///< leaf that requires a gradient; updated in place
  bool isBackbone = false;
  bool isNorm = false;  ///< weight or bias of a normalisation
  bool isBias = false;
};

/// SGD or AdamW with the arithmetic of torch.optim (dampening 0; AdamW: beta1 is solver.momentum,
/// beta2 0.999, epsilon 1e-8, decoupled decay). Learning rate of a parameter: the step's, times
/// backbone_lr_factor, times bias_lr_factor where they apply; weight decay: norm_weight_decay for
/// normalisations, else weight_decay. A parameter without a gradient is left as it is.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// One step from the gradients as they stand, or none where `skip` is 1: [] float32, 0 or 1, on
  /// the parameters' device, so that nobody has to wait for it.
  virtual void step(double learningRate, const std::optional<at::Tensor>& skip = {}) = 0;
  /// Sets every gradient to zero in place, so that accumulation starts anew.
  void zeroGradients();
  /// Everything that must be kept to go on: names `momentum_buffer.PARAM`, or `exp_avg.PARAM`,
  /// `exp_avg_sq.PARAM`, `step.PARAM`.
  virtual NamedTensors state() const = 0;
  /// Whether a state is that of these very parameters.
  bool fits(const NamedTensors& state) const;
  /// Throws Error when a tensor is missing, unknown or of another shape.
  void loadState(const NamedTensors& state);
  const std::vector<Parameter>& parameters() const { return parameters_; }

 protected:
  explicit Optimizer(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {}
  std::vector<Parameter> parameters_;
};

/// By solver.optimizer.
std::unique_ptr<Optimizer> makeOptimizer(const config::SolverConfig& config,
                                         std::vector<Parameter> parameters);

}  // namespace lockstep::solver
