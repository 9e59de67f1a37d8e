#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

/// A module with tensors of its own that knows how each of them begins.
class Layer : public torch::nn::Module {
 public:
  /// Fills the tensors of this layer, whose names begin with `prefix`.
  void initialise(const std::string& prefix, std::uint64_t seed);

 protected:
  /// Weights of four dimensions are channels_last in memory, as all maps in the network are:
  /// convolutions are a tenth quicker so, and a map goes into RoIAlign and out of the RPN's head
  /// without a copy.
  at::Tensor addParameter(const std::string& name, at::IntArrayRef sizes, const Initialiser& start);

 private:
  std::vector<std::pair<std::string, Initialiser>> starts_;
};

/// Fills every parameter below `root` (constructed on the CPU): a pure function of seed, the
/// parameter's full name and the element's index, so that neither order nor threads matter and no
/// random state is used.
void initialiseParameters(torch::nn::Module& root, std::uint64_t seed);

}  // namespace lockstep::model
