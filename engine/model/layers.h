#pragma once

#include <cstdint>

#include "engine/model/layer.h"
#include "engine/ops/epilogue.h"

/// The layers of the network: parameters under torchvision's names and nothing else. Parameters may
/// be wider than the maps: then a layer computes in the type of its input. Letters: N images, C
/// channels.
namespace lockstep::model {

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

/// Square convolution, padded so that stride 1 keeps the size.
class Conv2d : public Layer {
 public:
  Conv2d(const Conv2dOptions& options, const Conv2dInit& init);
  at::Tensor forward(const at::Tensor& x, bool hasRelu = false) const;
  /// With a weight in the type of x and another bias, for one that a norm layer follows or was
  /// folded into. Reports nothing: the norm layer behind it does. The stem's takes images of four
  /// channels too.
  virtual at::Tensor forwardWith(const at::Tensor& x, const at::Tensor& weight,
                                 const ops::Epilogue& epilogue) const;
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }
  /// In the type of x; what MaskRcnn::features refreshes. factor: [out], of a norm that is folded
  /// into the convolution.
  at::Tensor weightFor(const at::Tensor& x, const at::Tensor& factor = {}) const {
    return castLike(x, weight_, factor);
  }
  at::Tensor biasFor(const at::Tensor& x) const { return castLike(x, bias_); }

 private:
  std::int64_t stride_, padding_;
  at::Tensor weight_, bias_;
};

/// torch.nn.ConvTranspose2d of kernel and stride 2, which doubles height and width, initialised as
/// in torchvision's MaskRCNNPredictor.
class ConvTranspose2d : public Layer {
 public:
  ConvTranspose2d(std::int64_t in, std::int64_t out);
  /// x [N,C,H,W] -> [N,H * W * 4,out] behind a ReLU: of each pixel the four that it becomes, the
  /// upper two first. Each output pixel comes from one input pixel, so this is a product of
  /// matrices, and a map is only made of what is left in the end.
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

/// torch.nn.Flatten and torch.nn.Linear. It multiplies the map as it lies in channels_last memory,
/// without a copy in the order of channels: that is why its weight is one over maps. Flattened it
/// is the Linear's, and is initialised with the same numbers.
class FlattenLinear : public Layer {
 public:
  /// side: height and width of the map.
  FlattenLinear(std::int64_t in, std::int64_t side, std::int64_t out);
  /// x [N,C,side,side] -> [N,out]
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_, bias_;  ///< [out,C,side,side], [out]
};

/// torch.nn.ModuleList: its children are called `0`, `1` …
class ModuleList : public torch::nn::Module {
 public:
  template <typename Child>
  std::shared_ptr<Child> append(std::shared_ptr<Child> child) {
    return register_module(std::to_string(children().size()), std::move(child));
  }
};

/// A convolution that stands alone in a group, so that its parameters are called `0.weight` and
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

}  // namespace lockstep::model
