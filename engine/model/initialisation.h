#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/activation_watch.h"
#include "engine/model/computed_weight.h"

namespace lockstep::model {

/// Distribution a tensor is drawn from before training.
struct Initialiser {
  enum class Kind { Constant, Normal, Uniform };
  Kind kind = Kind::Constant;
  double scale =
      0;  ///< the value; the standard deviation; the bound of a uniform in [-scale, scale]

  static Initialiser constant(double value) { return {Kind::Constant, value}; }
  static Initialiser normal(double deviation) { return {Kind::Normal, deviation}; }
  static Initialiser uniform(double bound) { return {Kind::Uniform, bound}; }
};

/// A module with tensors of its own that knows how each of them begins, and its name in the whole
/// network.
class Layer : public torch::nn::Module {
 public:
  /// Fills the tensors of this layer, whose names begin with `prefix`.
  void initialise(const std::string& prefix, std::uint64_t seed);

  void setName(std::string name) { name_ = std::move(name); }
  /// Shows an output to the ActivationWatch of this thread, if there is one.
  void report(const at::Tensor& output) const {
    if (const ActivationWatch* watch = ActivationWatch::current()) watch->tell(name_, output);
  }
  /// Of each parameter.
  const std::vector<std::unique_ptr<ComputedWeight>>& computedWeights() const { return computed_; }

 protected:
  /// Weights of four dimensions are channels_last in memory, as all maps in the network are:
  /// convolutions are a tenth quicker so, and a map goes into RoIAlign and out of the RPN's head
  /// without a copy.
  at::Tensor addParameter(const std::string& name, at::IntArrayRef sizes, const Initialiser& start);
  /// A parameter of this layer as it computes with it on `x`. factor: as ComputedWeight's.
  at::Tensor inTypeOf(const at::Tensor& x, const at::Tensor& parameter,
                      const at::Tensor& factor = {}) const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, Initialiser>> starts_;
  std::vector<std::unique_ptr<ComputedWeight>> computed_;
};

/// Fills every parameter below `root` (constructed on the CPU): a pure function of seed, the
/// parameter's full name and the element's index, so that neither order nor threads matter and no
/// random state is used.
void initialiseParameters(torch::nn::Module& root, std::uint64_t seed);

/// Tells every layer below `root` its name there.
void nameLayers(torch::nn::Module& root);

/// Those of every layer below `root`.
std::vector<ComputedWeight*> computedWeights(const torch::nn::Module& root);

}  // namespace lockstep::model
