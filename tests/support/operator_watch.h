#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace lockstep::tests {

/// An operator of LibTorch that the watched code calls, or autograd for it, but none that a kernel
/// calls. Tensors are without their graph, and stay what they were where the code moves its own to
/// other memory.
struct OperatorCall {
  c10::OperatorHandle op;
  std::vector<c10::IValue> inputs, outputs;
  bool isComposite = false;  ///< made of others, which come as well: conv2d of convolution
  bool isInOurs = false;     ///< called by an operator of ours, `lockstep::finish`
  std::string node;          ///< of autograd that calls it, `ToCopyBackward0`; empty: none

  std::string name() const { return op.schema().name(); }
  /// Of inputs or outputs, those in lists too; defined ones.
  static std::vector<at::Tensor> tensorsOf(const c10::IValue& value);
};

/// Is told of every operator while it lives, on all threads, one at a time. One watch at a time.
/// What is no operator of LibTorch's it does not see: our own kernels, and a host that reads and
/// writes memory itself.
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
