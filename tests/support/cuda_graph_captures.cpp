#include "tests/support/cuda_graph_captures.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/support/operator_watch.h"

namespace lockstep::tests {
namespace {

using Tensors = std::vector<at::Tensor>;

Tensors tensorsOf(const std::vector<c10::IValue>& values) {
  Tensors tensors;
  for (const c10::IValue& value : values)
    for (const at::Tensor& tensor : OperatorCall::tensorsOf(value)) tensors.push_back(tensor);
  return tensors;
}

bool isViewOfOneOf(const Tensors& inputs, const at::Tensor& output) {
  return std::ranges::any_of(inputs, [&](const at::Tensor& in) { return in.is_alias_of(output); });
}

/// The operators of one captured work, in order.
class Tape : public OperatorWatch {
 public:
  void onBegin(const OperatorCall&) override {}
  void onEnd(const OperatorCall& call) override {
    if (!call.isComposite) calls_.push_back(call);
  }
  std::vector<OperatorCall> take() { return std::move(calls_); }

 private:
  std::vector<OperatorCall> calls_;
};

void callAgain(const OperatorCall& call) {
  const Tensors inputs = tensorsOf(call.inputs), outputs = tensorsOf(call.outputs);
  const auto isView = [&](const at::Tensor& output) { return isViewOfOneOf(inputs, output); };
  const bool isMutable = call.op.schema().is_mutable();
  if (!isMutable && std::ranges::all_of(outputs, isView)) return;
  torch::jit::Stack stack(call.inputs.begin(), call.inputs.end());
  call.op.callBoxed(stack);
  const Tensors again = tensorsOf(stack);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!isView(outputs[i])) outputs[i].copy_(again[i]);
}

}  // namespace

model::CudaGraphCapture EagerCapture::capture() {
  return [this](const model::CudaGraphWork& work) {
    ++captured;
    const Tensors outputs = work.run();
    return model::CapturedCudaGraph{outputs, [this, work, outputs] {
                                      ++replayed;
                                      const Tensors again = work.run();
                                      const at::NoGradGuard noGradient;
                                      for (std::size_t i = 0; i < outputs.size(); ++i)
                                        if (outputs[i].defined()) outputs[i].copy_(again[i]);
                                    }};
  };
}

model::CudaGraphCapture tapeCapture() {
  return [](const model::CudaGraphWork& work) {
    Tape tape;
    const Tensors outputs = work.run();
    return model::CapturedCudaGraph{outputs, [calls = tape.take()] {
                                      const at::NoGradGuard noGradient;
                                      for (const OperatorCall& call : calls) callAgain(call);
                                    }};
  };
}

model::CudaGraphCapture counted(int& count, model::CudaGraphCapture capture) {
  return [&count, capture = std::move(capture)](const model::CudaGraphWork& work) {
    ++count;
    return capture(work);
  };
}

}  // namespace lockstep::tests
