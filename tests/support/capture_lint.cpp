#include "tests/support/capture_lint.h"

#include <algorithm>

#include "tests/support/waiting_operators.h"

namespace lockstep::tests {
namespace {

const void* memoryOf(const at::Tensor& tensor) { return tensor.storage().unsafeGetStorageImpl(); }

/// Uninitialised memory.
bool isReserving(const std::string& name) {
  return name.starts_with("aten::empty") || name.starts_with("aten::new_empty");
}

/// Uses only sizes and dtype of a tensor, not its values.
bool readsNoValues(const std::string& name) {
  return name.ends_with("_like") || name.starts_with("aten::new_");
}

/// None if the operator has no such argument or it is not given.
c10::IValue argumentOf(const OperatorCall& call, const std::string& name) {
  const auto index = call.op.schema().argumentIndexWithName(name);
  return index ? call.inputs.at(static_cast<std::size_t>(*index)) : c10::IValue();
}

bool takesPinnedMemory(const OperatorCall& call) {
  const c10::IValue pinned = argumentOf(call, "pin_memory");
  return call.name() == "aten::_pin_memory" || (pinned.isBool() && pinned.toBool());
}

}  // namespace

class CaptureLint::Watch : public OperatorWatch {
 public:
  Watch(CaptureLint& lint, const model::CudaGraphWork& work) : lint_(lint) {
    for (const at::Tensor& tensor : work.reads) allowed_.insert(memoryOf(tensor));
  }

  void onBegin(const OperatorCall& call) override {
    const std::string name = call.name();
    // Autograd copies a gradient to the device of its tensor.
    if (name == "aten::to" && call.node.empty() && !argumentOf(call, "device").isNone())
      lint_.add(name + ": sends to a device");
    if (call.isComposite) return;
    if (std::ranges::count(kWaitingOperators, name) > 0) lint_.add(name + ": the host waits");
    if (takesPinnedMemory(call)) lint_.add(name + ": pinned memory");
    const auto& arguments = call.op.schema().arguments();
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      const c10::AliasInfo* alias = arguments[i].alias_info();
      for (const at::Tensor& tensor : OperatorCall::tensorsOf(call.inputs[i])) {
        if (alias != nullptr) {
          if (alias->isWrite()) write(tensor);  // a view reads nothing
        } else if (!readsNoValues(name)) {
          read(name, tensor);
        }
      }
    }
  }

  void onEnd(const OperatorCall& call) override {
    if (call.isComposite) return;
    const bool isWritten = call.isInOurs || !isReserving(call.name());
    for (const c10::IValue& output : call.outputs) {
      for (const at::Tensor& tensor : OperatorCall::tensorsOf(output)) {
        if (!allowed_.contains(memoryOf(tensor)))
          lint_.made_.try_emplace(memoryOf(tensor), Made{tensor.storage(), isWritten});
      }
    }
  }

 private:
  void write(const at::Tensor& tensor) {
    const auto found = lint_.made_.find(memoryOf(tensor));
    if (found != lint_.made_.end()) found->second.isWritten = true;
  }

  void read(const std::string& name, const at::Tensor& tensor) {
    const bool isNumber = tensor.unsafeGetTensorImpl()->is_wrapped_number();
    if (isNumber || tensor.numel() == 0 || allowed_.contains(memoryOf(tensor))) return;
    const auto found = lint_.made_.find(memoryOf(tensor));
    if (found == lint_.made_.end()) {
      lint_.add(name + ": reads memory that nothing keeps");
    } else if (!found->second.isWritten) {
      lint_.add(name + ": reads what the host wrote");
    }
  }

  CaptureLint& lint_;
  std::set<const void*> allowed_;
};

std::vector<at::Tensor> CaptureLint::run(const model::CudaGraphWork& work) {
  const Watch watch(*this, work);
  return work.run();
}

void CaptureLint::add(const std::string& finding) {
  if (findings_.find(finding) == std::string::npos)
    findings_ += (findings_.empty() ? "" : "\n") + finding;
}

}  // namespace lockstep::tests
