// Compares results on a GPU with those on a CPU and prints a table.
// usage: gpu_checks [cuda|cpu] [kernels|first]
//   cpu: tests the checks themselves. kernels: only the checks of kernels. first: only whether the
//   device works. Exits 77 if there is no GPU.
#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/gpu/check.h"

namespace {

lockstep::gpu::Finding deviceAnswers(const at::Device& device) {
  const at::Tensor ones = at::ones({2, 3}, at::TensorOptions(at::kFloat).device(device));
  return {ones.sum().item<float>() == 6, "2 x 3 ones add up"};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lockstep::gpu;
  const auto isAsked = [&](const char* word) {
    return std::any_of(argv + 1, argv + argc,
                       [&](const char* each) { return std::strcmp(each, word) == 0; });
  };
  std::vector<Check> checks{{"device", deviceAnswers}};
  const auto add = [&](const std::vector<Check>& more) {
    checks.insert(checks.end(), more.begin(), more.end());
  };
  if (!isAsked("first")) {
    add(kernelChecks());
    add(mapChecks());
  }
  if (!isAsked("first") && !isAsked("kernels")) {
    add(feedChecks());
    add(stepChecks());
  }
  if (isAsked("cpu")) return runAll(checks, at::kCPU, argv);
  if (!torch::cuda::is_available()) {
    std::puts("SKIP: no GPU");
    return 77;
  }
  makeLibrariesExact();
  return runAll(checks, at::Device(at::kCUDA, 0), argv);
}
