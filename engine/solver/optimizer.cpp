#include "engine/solver/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_zero.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <torch/types.h>

#include <algorithm>
#include <map>
#include <span>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"

namespace lockstep::solver {
namespace {

constexpr double kAdamBeta2 = 0.999;
constexpr double kAdamEpsilon = 1e-8;

double learningRateFactor(const config::SolverConfig& config, const Parameter& parameter) {
  return (parameter.isBackbone ? config.backboneLrFactor : 1.0) *
         (parameter.isBias ? config.biasLrFactor : 1.0);
}

double weightDecayOf(const config::SolverConfig& config, const Parameter& parameter) {
  return parameter.isNorm ? config.normWeightDecay : config.weightDecay;
}

/// Parameters that share learning rate and weight decay, by index.
struct Group {
  double learningRateFactor = 1;
  double weightDecay = 0;
  std::vector<std::size_t> members;
};

std::vector<Group> groupParameters(const config::SolverConfig& config,
                                   const std::vector<Parameter>& parameters) {
  std::map<std::pair<double, double>, Group> groups;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double factor = learningRateFactor(config, parameters[i]);
    const double decay = weightDecayOf(config, parameters[i]);
    Group& group = groups[{factor, decay}];
    group.learningRateFactor = factor;
    group.weightDecay = decay;
    group.members.push_back(i);
  }
  std::vector<Group> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

/// One state tensor per parameter, saved under names such as
/// `momentum_buffer.backbone.body.conv1.weight`.
struct StateSlot {
  std::string prefix;
  std::vector<at::Tensor> tensors;
};

StateSlot zerosForAll(const std::string& prefix, const std::vector<Parameter>& parameters) {
  StateSlot slot{prefix, {}};
  for (const Parameter& parameter : parameters)
    slot.tensors.push_back(at::zeros_like(parameter.tensor));
  return slot;
}

void appendSlot(const StateSlot& slot, const std::vector<Parameter>& parameters,
                NamedTensors& state) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    state.emplace_back(slot.prefix + "." + parameters[i].name, slot.tensors[i]);
  }
}

/// The gradient with its parameter's strides, which the fused kernels require.
at::Tensor gradientInOrder(const at::Tensor& parameter) {
  const at::Tensor& gradient = parameter.grad();
  if (gradient.strides() == parameter.strides()) return gradient;
  return at::empty_like(parameter).copy_(gradient);
}

/// The parameters of a group that have a gradient, as the tensor lists that ATen's fused kernels
/// take.
struct FusedLists {
  std::vector<at::Tensor> parameters, gradients;
  std::vector<std::vector<at::Tensor>> states;

  FusedLists(const Group& group, const std::vector<Parameter>& all,
             std::span<const StateSlot* const> slots)
      : states(slots.size()) {
    for (std::size_t member : group.members) {
      if (!all[member].tensor.grad().defined()) continue;
      parameters.push_back(all[member].tensor);
      gradients.push_back(gradientInOrder(all[member].tensor));
      for (std::size_t s = 0; s < slots.size(); ++s) states[s].push_back(slots[s]->tensors[member]);
    }
  }
};

/// The fused kernels do not bump the version counters of the tensors they write, and caches of
/// tensors made from parameters depend on them.
void noteWritten(const std::vector<at::Tensor>& parameters) {
  for (const at::Tensor& parameter : parameters) parameter.unsafeGetTensorImpl()->bump_version();
}

class Sgd : public Optimizer {
 public:
  Sgd(const config::SolverConfig& config, std::vector<Parameter> parameters)
      : Optimizer(std::move(parameters)),
        momentum_(config.momentum),
        nesterov_(config.nesterov),
        groups_(groupParameters(config, parameters_)),
        momentumBuffers_(zerosForAll("momentum_buffer", parameters_)) {}

  void step(double learningRate, const std::optional<at::Tensor>& skip) override {
    at::NoGradGuard noGradient;
    const StateSlot* slots[] = {&momentumBuffers_};
    for (const Group& group : groups_) {
      FusedLists lists(group, parameters_, slots);
      if (lists.parameters.empty()) continue;
      // Buffers start at zero, so the first update needs no special case: momentum * 0 +
      // gradient. Without momentum the kernel takes none.
      const std::vector<at::Tensor> none;
      at::_fused_sgd_(lists.parameters, lists.gradients, momentum_ > 0 ? lists.states[0] : none,
                      group.weightDecay, momentum_, learningRate * group.learningRateFactor,
                      /*dampening=*/0, nesterov_,
                      /*maximize=*/false, /*is_first_step=*/false, /*grad_scale=*/{}, skip);
      noteWritten(lists.parameters);
    }
  }

  NamedTensors state() const override {
    NamedTensors state;
    appendSlot(momentumBuffers_, parameters_, state);
    return state;
  }

 private:
  double momentum_;
  bool nesterov_;
  std::vector<Group> groups_;
  StateSlot momentumBuffers_;
};

class AdamW : public Optimizer {
 public:
  AdamW(const config::SolverConfig& config, std::vector<Parameter> parameters)
      : Optimizer(std::move(parameters)),
        beta1_(config.momentum),
        groups_(groupParameters(config, parameters_)),
        averages_(zerosForAll("exp_avg", parameters_)),
        squareAverages_(zerosForAll("exp_avg_sq", parameters_)),
        steps_{"step", {}} {
    for (const Parameter& parameter : parameters_) {
      steps_.tensors.push_back(
          at::empty({}, parameter.tensor.options().requires_grad(false)).zero_());
    }
  }

  void step(double learningRate, const std::optional<at::Tensor>& skip) override {
    at::NoGradGuard noGradient;
    const StateSlot* slots[] = {&averages_, &squareAverages_, &steps_};
    for (const Group& group : groups_) {
      FusedLists lists(group, parameters_, slots);
      if (lists.parameters.empty()) continue;
      skip ? at::_foreach_add_(lists.states[2], 1 - *skip) : at::_foreach_add_(lists.states[2], 1);
      at::_fused_adamw_(lists.parameters, lists.gradients, lists.states[0], lists.states[1],
                        /*max_exp_avg_sqs=*/{}, lists.states[2],
                        learningRate * group.learningRateFactor, beta1_, kAdamBeta2,
                        group.weightDecay, kAdamEpsilon, /*amsgrad=*/false,
                        /*maximize=*/false, /*grad_scale=*/{}, skip);
      noteWritten(lists.parameters);
    }
  }

  NamedTensors state() const override {
    NamedTensors state;
    for (const StateSlot* slot : {&averages_, &squareAverages_, &steps_})
      appendSlot(*slot, parameters_, state);
    return state;
  }

 private:
  double beta1_;
  std::vector<Group> groups_;
  StateSlot averages_, squareAverages_, steps_;
};

}  // namespace

void Optimizer::zeroGradients() {
  const at::NoGradGuard noGradient;
  std::vector<at::Tensor> gradients;
  for (const Parameter& parameter : parameters_)
    if (parameter.tensor.grad().defined()) gradients.push_back(parameter.tensor.grad());
  if (!gradients.empty()) at::_foreach_zero_(gradients);
}

bool Optimizer::fits(const NamedTensors& saved) const {
  const std::map<std::string, at::Tensor> byName(saved.begin(), saved.end());
  const NamedTensors own = state();
  return byName.size() == own.size() && std::ranges::all_of(own, [&](const auto& entry) {
           const auto found = byName.find(entry.first);
           return found != byName.end() && found->second.sizes() == entry.second.sizes();
         });
}

void Optimizer::loadState(const NamedTensors& saved) {
  std::map<std::string, at::Tensor> byName(saved.begin(), saved.end());
  at::NoGradGuard noGradient;
  for (auto& [name, tensor] : state()) {
    const auto found = byName.find(name);
    if (found == byName.end()) throw Error("optimizer state: '" + name + "' is missing");
    if (found->second.sizes() != tensor.sizes()) {
      throw Error("optimizer state: '" + name + "' does not have the shape of its parameter");
    }
    tensor.copy_(found->second);
    byName.erase(found);
  }
  if (!byName.empty()) {
    throw Error("optimizer state: '" + base::shortened(byName.begin()->first) +
                "' does not match any parameter of this model");
  }
}

std::unique_ptr<Optimizer> makeOptimizer(const config::SolverConfig& config,
                                         std::vector<Parameter> parameters) {
  if (config.optimizer == config::OptimizerKind::AdamW)
    return std::make_unique<AdamW>(config, std::move(parameters));
  return std::make_unique<Sgd>(config, std::move(parameters));
}

}  // namespace lockstep::solver
