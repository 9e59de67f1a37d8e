#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <vector>

#include "engine/dist/world.h"

namespace lockstep::dist {

/// GradientAverage over a process group by c10d's Reducer. Its layout of buckets never changes, so
/// that a resumed run sums in the same order.
class ReducedGradients : public GradientAverage {
 public:
  ReducedGradients(const std::vector<at::Tensor>& parameters, std::int64_t figureCount,
                   c10::intrusive_ptr<c10d::ProcessGroup> group, CollectiveNote note);

  void backward(const at::Tensor& loss, const at::Tensor& figures, bool isLastPart) override;
  at::Tensor figures() const override { return carrier_.grad(); }
  double waitSeconds() const override { return waitSeconds_; }

 private:
  void makeReducer(std::vector<at::Tensor> parameters);
  void waitForOthers(const at::Tensor& loss);

  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  CollectiveNote note_;
  /// [n] zeros that take part in the loss with the figures as their gradient: so these travel in
  /// the first bucket, and no collective of their own is needed.
  at::Tensor carrier_;
  std::unique_ptr<c10d::Reducer> reducer_;  ///< dies before its group
  bool isAdding_ = false;                   ///< within a step
  double waitSeconds_ = 0;
};

}  // namespace lockstep::dist
