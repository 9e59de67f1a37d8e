#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lockstep::solver {

/// L2 norm over all gradients (undefined ones count as zero); if maxNorm > 0, scales gradients in
/// place by min(1, maxNorm / (norm + 1e-6)) as torch.nn.utils.clip_grad_norm_ does. Returns the
/// norm before clipping: [] float64 on the gradients' device, no synchronisation. On a CPU it is
/// summed in float64, in an order that does not depend on the number of threads.
at::Tensor clipGradientNorm(const std::vector<at::Tensor>& parameters, double maxNorm);

}  // namespace lockstep::solver
