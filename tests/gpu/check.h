#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

/// Checks that need only LibTorch, so that they run on a machine without Qt. With device "cpu"
/// every check compares the CPU with itself, which tests the checks.
namespace lockstep::gpu {

/// The result of a check: `pass`, and values for the table. A check that cannot run on the device
/// passes and is marked as skipped.
struct Finding {
  bool pass = false;
  std::string figures;
  bool isSkipped = false;
};

struct Check {
  std::string name;
  std::function<Finding(const at::Device&)> run;
};

/// The checks of each file.
std::vector<Check> kernelChecks();
std::vector<Check> mapChecks();
std::vector<Check> feedChecks();
std::vector<Check> stepChecks();

/// Runs the checks in turn and prints a line for each: `ok`, `FAIL` or `skip`, its name and its
/// values. Returns the exit code, 0 or 1. If a check corrupts the CUDA context, the program
/// re-executes itself with `arguments` (argv), starting at the next check.
int runAll(const std::vector<Check>& checks, const at::Device& device, char** arguments);

/// Call it before the first kernel: disables TF32 and non-deterministic algorithms, since checks
/// compare with a CPU and with themselves.
void makeLibrariesExact();

/// |value - reference| / |reference| in the L2 norm, in double on the CPU; infinite when the shapes
/// differ or a value is not finite.
double relativeDifference(const at::Tensor& value, const at::Tensor& reference);
/// Passes up to the limit.
Finding within(const std::string& what, double difference, double limit);
/// bfloat16, or float32 on a CPU without bfloat16 instructions, where LibTorch takes minutes per
/// step.
at::ScalarType quickType(const at::Device& device);
/// Passes when both do.
Finding both(const Finding& first, const Finding& second);

}  // namespace lockstep::gpu
