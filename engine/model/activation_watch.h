#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

namespace lockstep::model {

/// While it exists, calls back with the output of every layer of models that run forward on the
/// thread that created it, in execution order, like PyTorch's forward hooks. Names are
/// torchvision's.
///
/// A convolution with a normalisation layer is reported once, under the normalisation layer's name,
/// after the residual and the ReLU if there are any (`backbone.body.layer1.0.bn2`); the transposed
/// convolution is reported after its ReLU; linear layers and other convolutions report their own
/// output, and `mask_fcn_logits` the masks [K,H,W] of the class of each RoI. The layers of the RPN
/// head are reported once per FPN level.
///
/// The callback must copy what it keeps, because later layers reuse the memory. Watches may be
/// nested; only the innermost one is called.
class ActivationWatch {
 public:
  using Callback = std::function<void(const std::string& name, const at::Tensor& output)>;

  explicit ActivationWatch(Callback callback);
  ~ActivationWatch();
  ActivationWatch(const ActivationWatch&) = delete;
  ActivationWatch& operator=(const ActivationWatch&) = delete;

  /// The innermost of this thread; nullptr when there is none.
  static const ActivationWatch* current();

  void tell(const std::string& name, const at::Tensor& output) const { callback_(name, output); }

 private:
  Callback callback_;
  const ActivationWatch* outer_;
};

}  // namespace lockstep::model
