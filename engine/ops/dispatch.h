#pragma once

#include <c10/core/Device.h>
#include <c10/util/Exception.h>

#include <utility>

/// A kernel of cuda/ if this build has CUDA, else null: the kernels are declared in every build,
/// but defined only with CUDA.
#ifdef LOCKSTEP_CUDA
#define LOCKSTEP_CUDA_KERNEL(kernel) kernel
#else
#define LOCKSTEP_CUDA_KERNEL(kernel) nullptr
#endif

namespace lockstep::ops {

#ifdef LOCKSTEP_CUDA
inline constexpr bool kHasCudaKernels = true;
#else
inline constexpr bool kHasCudaKernels = false;
#endif

/// The kernels of an operator by device, like ATen's DispatchStub, but filled where it is defined:
/// in the operator's .cpp, which checks the kernels' arguments. Null: no kernel.
template <typename Kernel>
class DispatchStub {
 public:
  constexpr DispatchStub(Kernel* cpu, Kernel* cuda) : cpu_(cpu), cuda_(cuda) {}

  bool hasKernelFor(const c10::Device& device) const { return kernelFor(device) != nullptr; }

  /// Throws c10::Error if there is no kernel for the device.
  template <typename... Arguments>
  decltype(auto) operator()(const c10::Device& device, Arguments&&... arguments) const {
    Kernel* const kernel = kernelFor(device);
    TORCH_CHECK(kernel != nullptr, "this program was built without kernels for ", device);
    return kernel(std::forward<Arguments>(arguments)...);
  }

 private:
  Kernel* kernelFor(const c10::Device& device) const {
    if (device.is_cpu()) return cpu_;
    return device.is_cuda() ? cuda_ : nullptr;
  }

  Kernel *cpu_, *cuda_;
};

}  // namespace lockstep::ops
