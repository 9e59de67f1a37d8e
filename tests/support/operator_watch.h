#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace lockstep::tests {

/// An operator of LibTorch called by the watched code or by autograd, but not from within a kernel.
/// Tensors are detached, and keep their memory when the code moves its own tensors elsewhere.
struct OperatorCall {
  c10::OperatorHandle op;
  std::vector<c10::IValue> inputs, outputs;
  bool isComposite = false;  ///< calls others that are reported as well: conv2d calls convolution
  bool isInOurs = false;     ///< called by one of our operators, such as `lockstep::finish`
  std::string node;  ///< the autograd node that calls it, such as `ToCopyBackward0`; empty: none

  std::string name() const { return op.schema().name(); }
  /// The defined tensors of inputs or outputs, including those in lists.
  static std::vector<at::Tensor> tensorsOf(const c10::IValue& value);
};

/// Receives every operator call until destroyed, from all threads, one at a time. Only one watch
/// may exist. It does not see anything else: our own kernels, and memory accesses of the host.
class OperatorWatch {
 public:
  OperatorWatch();
  virtual ~OperatorWatch();
  OperatorWatch(const OperatorWatch&) = delete;

  virtual void onBegin(const OperatorCall& call) = 0;
  virtual void onEnd(const OperatorCall& call) = 0;

 private:
  std::uint64_t handle_;
};

}  // namespace lockstep::tests
