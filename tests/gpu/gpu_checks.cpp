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

namespace lockstep::gpu {

namespace {

int runAll(const std::vector<Check>& checks, const at::Device& device) {
  int failed = 0;
  for (const Check& check : checks) {
    Finding finding;
    try {
      finding = check.run(device);
    } catch (const std::exception& error) {
      finding = {false, error.what()};
    }
    failed += !finding.pass;
    const char* word = !finding.pass ? "FAIL" : finding.isLeftOut ? "skip" : "ok";
    std::printf("%-4s  %-32s %s\n", word, check.name.c_str(), finding.figures.c_str());
    std::fflush(stdout);
  }
  std::printf(failed == 0 ? "all checks passed\n" : "%d checks FAILED\n", failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lockstep::gpu

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
  if (isAsked("cpu")) return runAll(checks, at::kCPU);
  if (!torch::cuda::is_available()) {
    std::puts("SKIP: no GPU");
    return 77;
  }
  makeLibrariesExact();
  return runAll(checks, at::Device(at::kCUDA, 0));
}
