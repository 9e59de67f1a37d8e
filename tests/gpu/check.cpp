#include "tests/gpu/check.h"

#include <torch/types.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

namespace lockstep::gpu {

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

Finding both(const Finding& first, const Finding& second) {
  return {first.pass && second.pass,
          first.figures + (first.figures.empty() ? "" : ", ") + second.figures};
}

}  // namespace lockstep::gpu
