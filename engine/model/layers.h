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
#include "engine/ops/epilogue.h"

/// The layers of the network, with torchvision's parameter names. If the parameters' dtype is wider
/// than the input's, a layer computes in the dtype of its input. Letters: N images, C channels.
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

struct Conv2dOptions {
  std::int64_t in = 0, out = 0, kernel = 1, stride = 1;
  bool hasBias = true;
};

/// How the parameters of a convolution are initialised.
struct Conv2dInit {
  Initialiser weight;
  Initialiser bias = Initialiser::constant(0);

  /// torchvision's kaiming_normal_(fan_out, relu).
  static Conv2dInit kaimingNormal(const Conv2dOptions& options);
  /// torchvision's kaiming_uniform_(a=1).
  static Conv2dInit kaimingUniform(const Conv2dOptions& options);
  static Conv2dInit normal(double deviation) { return {Initialiser::normal(deviation)}; }
};

/// Convolution with a square kernel, padded so that stride 1 keeps the size.
class Conv2d : public Layer {
 public:
  Conv2d(const Conv2dOptions& options, const Conv2dInit& init);
  at::Tensor forward(const at::Tensor& x, bool hasRelu = false) const;
  /// With a given weight in the dtype of x and another bias, for a convolution that is followed by
  /// a norm layer or has it folded in. Does not report its output: the norm layer does. The stem
  /// also accepts images with four channels.
  virtual at::Tensor forwardWith(const at::Tensor& x, const at::Tensor& weight,
                                 const ops::Epilogue& epilogue) const;
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }
  /// The weight in the dtype of x; refreshed in MaskRcnn::features. factor: [out], of a norm that
  /// is folded into the convolution.
  at::Tensor weightFor(const at::Tensor& x, const at::Tensor& factor = {}) const {
    return castLike(x, weight_, factor);
  }
  at::Tensor biasFor(const at::Tensor& x) const { return castLike(x, bias_); }

 private:
  std::int64_t stride_, padding_;
  at::Tensor weight_, bias_;
};

/// torch.nn.ConvTranspose2d with kernel and stride 2, which doubles height and width, initialised
/// as in torchvision's MaskRCNNPredictor.
class ConvTranspose2d : public Layer {
 public:
  ConvTranspose2d(std::int64_t in, std::int64_t out);
  /// x [N,C,H,W] -> [N,H * W * 4,out] after a ReLU: for each input pixel its four output pixels,
  /// upper two first. Each output pixel depends on one input pixel, so this is a matrix product;
  /// pixels are rearranged to a map only after the last layer.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_, bias_;
};

/// torch.nn.Linear, initialised as PyTorch does.
class Linear : public Layer {
 public:
  Linear(std::int64_t in, std::int64_t out);
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_, bias_;
};

/// torch.nn.Flatten and torch.nn.Linear. It multiplies the map in its channels_last memory order,
/// without a copy: hence its weight has the shape of a map. Flattened it equals the Linear's
/// weight, and it is initialised with the same numbers.
class FlattenLinear : public Layer {
 public:
  /// side: height and width of the map.
  FlattenLinear(std::int64_t in, std::int64_t side, std::int64_t out);
  /// x [N,C,side,side] -> [N,out]
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_, bias_;  ///< [out,C,side,side], [out]
};

/// torch.nn.ModuleList: its children are named `0`, `1` …
class ModuleList : public torch::nn::Module {
 public:
  template <typename Child>
  std::shared_ptr<Child> append(std::shared_ptr<Child> child) {
    return register_module(std::to_string(children().size()), std::move(child));
  }
};

/// A convolution in a Sequential of its own, so that its parameters are named `0.weight` and
/// `0.bias`.
class ConvBlock : public ModuleList {
 public:
  ConvBlock(const Conv2dOptions& options, const Conv2dInit& init)
      : conv_(append(std::make_shared<Conv2d>(options, init))) {}
  at::Tensor forward(const at::Tensor& x, bool hasRelu = false) const {
    return conv_->forward(x, hasRelu);
  }

 private:
  std::shared_ptr<Conv2d> conv_;
};

/// Initialises every parameter under `root` (constructed on the CPU) by seed and full name.
void initialiseParameters(torch::nn::Module& root, std::uint64_t seed);

/// Sets the full name of every layer under `root`.
void nameLayers(torch::nn::Module& root);

/// The cached weights of every layer under `root`.
std::vector<CachedWeight*> cachedWeights(const torch::nn::Module& root);

}  // namespace lockstep::model
