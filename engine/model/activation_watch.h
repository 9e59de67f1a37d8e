#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

namespace lockstep::model {

/// Sees what every layer gives while it lives: of the models that run forward on the thread that
/// made it, in the order in which they compute. Names are torchvision's.
///
/// A normalisation layer stands for its convolution too and gives what follows them, after the
/// residual and the ReLU where there are any (`backbone.body.layer1.0.bn2`), the transposed
/// convolution what follows its ReLU; linear layers and lone convolutions give their own output,
/// `mask_fcn_logits` the masks [K,H,W] of the class of each region. The layers of the RPN's head
/// come once for each pyramid level.
///
/// The callback must copy what it wants to keep: layers that follow write into the same memory.
/// Watches nest; the innermost alone is told.
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
