#include "tests/gpu/check.h"

#include <torch/types.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "engine/base/host.h"

namespace lockstep::gpu {
namespace {

/// The progress of a program that has re-executed itself: `CHECKS FAILED`.
constexpr const char* kDone = "LOCKSTEP_GPU_CHECKS_DONE";

struct Progress {
  std::size_t done = 0;
  int failed = 0;
};

Progress earlierProgress() {
  Progress progress;
  if (const char* text = std::getenv(kDone))
    std::sscanf(text, "%zu %d", &progress.done, &progress.failed);
  return progress;
}

bool isBroken(const at::Device& device) {
  if (!device.is_cuda()) return false;
  try {
    return at::ones({1}, at::TensorOptions(at::kFloat).device(device)).item<float>() != 1;
  } catch (const std::exception&) {
    return true;
  }
}

void restartProgram(const Progress& progress, char** arguments) {
  std::puts("      the GPU's context is broken: beginning anew with the next check");
  std::fflush(stdout);
  const std::string done = std::to_string(progress.done) + " " + std::to_string(progress.failed);
  ::setenv(kDone, done.c_str(), 1);
  ::execv("/proc/self/exe", arguments);
  std::perror("execv");
}

Finding findingOf(const Check& check, const at::Device& device) {
  try {
    return check.run(device);
  } catch (const c10::Error& error) {
    return {false, error.what_without_backtrace()};
  } catch (const std::exception& error) {
    return {false, error.what()};
  }
}

}  // namespace

int runAll(const std::vector<Check>& checks, const at::Device& device, char** arguments) {
  Progress progress = earlierProgress();
  while (progress.done < checks.size()) {
    const Check& check = checks[progress.done++];
    const Finding finding = findingOf(check, device);
    progress.failed += !finding.pass;
    const char* word = !finding.pass ? "FAIL" : finding.isSkipped ? "skip" : "ok";
    std::printf("%-4s  %-32s %s\n", word, check.name.c_str(), finding.figures.c_str());
    std::fflush(stdout);
    if (!finding.pass && progress.done < checks.size() && isBroken(device))
      restartProgram(progress, arguments);
  }
  std::printf(progress.failed == 0 ? "all checks passed\n" : "%d checks FAILED\n", progress.failed);
  return progress.failed == 0 ? 0 : 1;
}

void makeLibrariesExact() {
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
  at::Context& context = at::globalContext();
  context.setAllowTF32CuDNN(false);
  context.setAllowTF32CuBLAS(false);
  context.setDeterministicCuDNN(true);
}

double relativeDifference(const at::Tensor& value, const at::Tensor& reference) {
  if (value.sizes() != reference.sizes()) return std::numeric_limits<double>::infinity();
  const at::Tensor expected = reference.detach().cpu().to(at::kDouble),
                   got = value.detach().cpu().to(at::kDouble);
  if (!at::isfinite(got).all().item<bool>()) return std::numeric_limits<double>::infinity();
  const double scale = expected.norm().item<double>();
  const double difference = (got - expected).norm().item<double>();
  return scale > 0 ? difference / scale : difference;
}

Finding within(const std::string& what, double difference, double limit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1e (limit %.0e)", difference, limit);
  return {difference <= limit, what + " " + text};
}

at::ScalarType quickType(const at::Device& device) {
  const bool isQuick = !device.is_cpu() || !base::bfloat16Instructions().empty();
  return isQuick ? at::kBFloat16 : at::kFloat;
}

Finding both(const Finding& first, const Finding& second) {
  return {first.pass && second.pass,
          first.figures + (first.figures.empty() ? "" : ", ") + second.figures};
}

}  // namespace lockstep::gpu
