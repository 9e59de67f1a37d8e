#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/activation_watch.h"
#include "engine/model/cached_weight.h"
#include "engine/model/initialisation.h"

namespace lockstep::model {

/// A module with tensors of its own that knows how each of them is initialised, and its name in the
/// whole network.
class Layer : public torch::nn::Module {
 public:
  /// Initialises the parameters of this layer, whose names begin with `prefix`.
  void initialise(const std::string& prefix, std::uint64_t seed);

  void setName(std::string name) { name_ = std::move(name); }
  /// Shows an output to the ActivationWatch of this thread, if there is one.
  void report(const at::Tensor& output) const {
    if (const ActivationWatch* watch = ActivationWatch::current()) watch->tell(name_, output);
  }
  /// Of each parameter.
  const std::vector<std::unique_ptr<CachedWeight>>& cachedWeights() const { return cached_; }

 protected:
  /// Weights of four dimensions are channels_last in memory, as all maps in the network are:
  /// convolutions are a tenth quicker so, and a map goes into RoIAlign and out of the RPN's head
  /// without a copy.
  at::Tensor addParameter(const std::string& name, at::IntArrayRef sizes,
                          const Initialiser& initialiser);
  /// A parameter of this layer in the type of x. factor: as CachedWeight's.
  at::Tensor castLike(const at::Tensor& x, const at::Tensor& parameter,
                      const at::Tensor& factor = {}) const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, Initialiser>> initialisers_;
  std::vector<std::unique_ptr<CachedWeight>> cached_;
};

/// Initialises every parameter below `root` (constructed on the CPU) by seed and full name.
void initialiseParameters(torch::nn::Module& root, std::uint64_t seed);

/// Tells every layer below `root` its name there.
void nameLayers(torch::nn::Module& root);

/// Those of every layer below `root`.
std::vector<CachedWeight*> cachedWeights(const torch::nn::Module& root);

}  // namespace lockstep::model
