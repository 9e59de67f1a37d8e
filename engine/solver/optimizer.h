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

/// A trainable parameter and the properties that determine its learning rate and weight decay.
struct Parameter {
  std::string name;   ///< as in the checkpoint
  at::Tensor tensor;  ///< leaf that requires a gradient; updated in place
  bool isBackbone = false;
  bool isNorm = false;  ///< weight or bias of a normalisation layer
  bool isBias = false;
};

/// SGD or AdamW with the arithmetic of torch.optim (dampening 0; AdamW: beta1 is solver.momentum,
/// beta2 0.999, epsilon 1e-8, decoupled weight decay). The learning rate of a parameter is that of
/// the step, times backbone_lr_factor and bias_lr_factor where they apply; its weight decay is
/// norm_weight_decay for normalisation layers, else weight_decay. A parameter without a gradient is
/// not changed.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// One step with the current gradients, or none if `skip` is 1: [] float32, 0 or 1, on the
  /// parameters' device, so that no synchronisation is needed.
  virtual void step(double learningRate, const std::optional<at::Tensor>& skip = {}) = 0;
  /// Sets every gradient to zero in place.
  void zeroGradients();
  /// The state to save in a checkpoint: tensors `momentum_buffer.PARAM`, or `exp_avg.PARAM`,
  /// `exp_avg_sq.PARAM`, `step.PARAM`.
  virtual NamedTensors state() const = 0;
  /// Whether a state has exactly the names and shapes of these parameters' state.
  bool fits(const NamedTensors& state) const;
  /// Throws Error when a tensor is missing, unknown or does not have the expected shape.
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
