#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::dist {

/// Averages gradients over the ranks, in buckets that travel while the backward pass still runs.
/// Every rank runs the same number of parts a step. Gradients have to be zeroed in place.
class GradientAverage {
 public:
  virtual ~GradientAverage() = default;
  /// Forgets the parts of a step that does not come to its end.
  virtual void beginAnew() = 0;
  /// Backward pass of one part of a step, whose gradients are added to those of the parts before;
  /// after the last part they are the means over the ranks. A parameter that has no part in the
  /// loss joins with zeros. `figures` [n] float32 without a graph are added up over the parts, and
  /// averaged with the gradients.
  virtual void backward(const at::Tensor& loss, const at::Tensor& figures, bool isLastPart) = 0;
  /// After the last part: [n] float32, mean over the ranks of the sums over the parts.
  virtual at::Tensor figures() const = 0;
  /// How long the last part waited for other ranks after its own backward pass; on a GPU, which the
  /// host does not wait for, that of two steps before.
  virtual double waitSeconds() const = 0;
};

}  // namespace lockstep::dist
