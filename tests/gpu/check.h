#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

/// Checks that need nothing but LibTorch, so that they run on a machine without Qt. With a device
/// of "cpu" every check compares the CPU with itself, which tries the checks.
namespace lockstep::gpu {

/// What a check found out: `pass`, and figures for the table. A check that cannot be made on the
/// device passes and says that it was left out.
struct Finding {
  bool pass = false;
  std::string figures;
  bool isLeftOut = false;
};

struct Check {
  std::string name;
  std::function<Finding(const at::Device&)> run;
};

/// Of one file each.
std::vector<Check> kernelChecks();
std::vector<Check> mapChecks();
std::vector<Check> feedChecks();
std::vector<Check> stepChecks();

/// Runs them in turn and prints a line of each: `ok`, `FAIL` or `skip`, its name and its figures.
/// Returns how the program ends, 0 or 1. A check that leaves the GPU's context broken, so that
/// nothing runs in it any more, does not take the others with it: the program begins anew, with
/// `arguments` (argv), at the next check.
int runAll(const std::vector<Check>& checks, const at::Device& device, char** arguments);

/// Before the first kernel: libraries neither round to TF32 nor choose what gives other bits the
/// next time, since checks compare with a CPU and with themselves.
void makeLibrariesExact();

/// |value - reference| / |reference| in the L2 norm, in double on the CPU; infinite when the shapes
/// differ or a value is not finite.
double relativeDifference(const at::Tensor& value, const at::Tensor& reference);
/// Passes up to the limit.
Finding within(const std::string& what, double difference, double limit);
/// bfloat16, or float32 on a processor that does not compute in it: LibTorch takes minutes there
/// for one step.
at::ScalarType quickType(const at::Device& device);
/// Passes when both do.
Finding both(const Finding& first, const Finding& second);

}  // namespace lockstep::gpu
