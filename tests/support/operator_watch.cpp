#include "tests/support/operator_watch.h"

#include <ATen/record_function.h>

#include <memory>
#include <mutex>
#include <span>
#include <string_view>

namespace lockstep::tests {
namespace {

/// State of the only watch.
std::mutex mutex;
OperatorWatch* watching = nullptr;

/// A LibTorch function running on this thread.
struct Running {
  bool isInKernel = false;  ///< it has a kernel, or is called by a function that has
  bool isInOurs = false;
  std::string node;
};
thread_local std::vector<Running> running;  // outermost first

struct Observed : at::ObserverContext {
  explicit Observed(OperatorCall observed) : call(std::move(observed)) {}
  OperatorCall call;
};

c10::IValue withoutGraph(const c10::IValue& value) {
  if (value.isTensor())
    return value.toTensor().defined() ? value.toTensor().variable_data() : at::Tensor();
  if (!value.isTensorList() && !value.isOptionalTensorList()) return value;
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor>& each : value.toOptionalTensorVector())
      list.push_back(each && each->defined() ? std::optional(each->variable_data()) : each);
    return list;
  }
  c10::List<at::Tensor> list;
  for (const at::Tensor& each : value.toTensorVector())
    list.push_back(each.defined() ? each.variable_data() : each);
  return list;
}

std::vector<c10::IValue> allWithoutGraph(std::span<const c10::IValue> values) {
  std::vector<c10::IValue> plain;
  for (const c10::IValue& value : values) plain.push_back(withoutGraph(value));
  return plain;
}

std::optional<c10::OperatorHandle> operatorOf(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  return name ? c10::Dispatcher::singleton().findSchema(*name) : std::nullopt;
}

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
  Running self = running.empty() ? Running() : running.back();
  const bool isCalledByKernel = self.isInKernel;
  self.isInOurs |= std::string_view(function.name()).starts_with("lockstep::");
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) self.node = function.name();
  const auto op = operatorOf(function);
  const bool isComposite =
      op && op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
  self.isInKernel |= op && !isComposite;
  running.push_back(self);
  if (!op || isCalledByKernel) return nullptr;
  const at::RecordFunctionGuard unobserved(/*is_enabled=*/false);
  const c10::ArrayRef<const c10::IValue> inputs = function.inputs();
  OperatorCall call{
      *op,      allWithoutGraph({inputs.data(), inputs.size()}), {}, isComposite, self.isInOurs,
      self.node};
  const std::lock_guard lock(mutex);
  if (watching != nullptr) watching->onBegin(call);
  return std::make_unique<Observed>(std::move(call));
}

void leave(const at::RecordFunction& function, at::ObserverContext* context) {
  if (!running.empty()) running.pop_back();
  if (context == nullptr) return;
  const at::RecordFunctionGuard unobserved(/*is_enabled=*/false);
  OperatorCall& call = static_cast<Observed*>(context)->call;
  call.outputs = allWithoutGraph(function.outputs());
  const std::lock_guard lock(mutex);
  if (watching != nullptr) watching->onEnd(call);
}

}  // namespace

std::vector<at::Tensor> OperatorCall::tensorsOf(const c10::IValue& value) {
  std::vector<at::Tensor> tensors;
  const auto add = [&](const at::Tensor& tensor) {
    if (tensor.defined()) tensors.push_back(tensor);
  };
  if (value.isTensor()) {
    add(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& each : value.toTensorVector()) add(each);
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& each : value.toOptionalTensorVector())
      if (each) add(*each);
  }
  return tensors;
}

OperatorWatch::OperatorWatch() {
  const std::lock_guard lock(mutex);
  watching = this;
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(enter, leave)
          .needsInputs(true)
          .needsOutputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

OperatorWatch::~OperatorWatch() {
  at::removeCallback(handle_);
  const std::lock_guard lock(mutex);
  watching = nullptr;
}

}  // namespace lockstep::tests
