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

/// A module with its own tensors, which knows how each is initialised and its full name in the
/// network.
class Layer : public torch::nn::Module {
 public:
  /// Initialises the parameters of this layer, whose names start with `prefix`.
  void initialise(const std::string& prefix, std::uint64_t seed);

  void setName(std::string name) { name_ = std::move(name); }
  /// Reports an output to the ActivationWatch of this thread, if there is one.
  void report(const at::Tensor& output) const {
    if (const ActivationWatch* watch = ActivationWatch::current()) watch->tell(name_, output);
  }
  /// The cached weight of each parameter.
  const std::vector<std::unique_ptr<CachedWeight>>& cachedWeights() const { return cached_; }

 protected:
  /// 4-D weights are channels_last, as all feature maps are: convolutions are 10 % faster, and
  /// RoIAlign and the RPN head need no copies of maps.
  at::Tensor addParameter(const std::string& name, at::IntArrayRef sizes,
                          const Initialiser& initialiser);
  /// A parameter of this layer in the dtype of x. factor: as for CachedWeight.
  at::Tensor castLike(const at::Tensor& x, const at::Tensor& parameter,
                      const at::Tensor& factor = {}) const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, Initialiser>> initialisers_;
  std::vector<std::unique_ptr<CachedWeight>> cached_;
};

/// Initialises every parameter under `root` (constructed on the CPU) by seed and full name.
void initialiseParameters(torch::nn::Module& root, std::uint64_t seed);

/// Sets the full name of every layer under `root`.
void nameLayers(torch::nn::Module& root);

/// The cached weights of every layer under `root`.
std::vector<CachedWeight*> cachedWeights(const torch::nn::Module& root);

}  // namespace lockstep::model
