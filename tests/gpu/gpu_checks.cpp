// Holds what runs on a GPU against the same on a CPU, and prints a table.
// usage: gpu_checks [cuda|cpu] [kernels]
//   cpu: tries the checks themselves. kernels: only those of kernels. Exits 77 where there is no
//   GPU.
#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/gpu/check.h"

int main(int argc, char** argv) {
  using namespace lockstep::gpu;
  const auto isAsked = [&](const char* word) {
    return std::any_of(argv + 1, argv + argc,
                       [&](const char* each) { return std::strcmp(each, word) == 0; });
  };
  std::vector<Check> checks;
  const auto add = [&](const std::vector<Check>& more) {
    checks.insert(checks.end(), more.begin(), more.end());
  };
  add(kernelChecks());
  add(mapChecks());
  if (!isAsked("kernels")) {
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
