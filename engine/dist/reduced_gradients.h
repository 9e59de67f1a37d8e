#pragma once

#include <c10/core/Event.h>

#include <deque>
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

  void beginAnew() override { isAdding_ = false; }
  void backward(const at::Tensor& loss, const at::Tensor& figures, bool isLastPart) override;
  at::Tensor figures() const override { return carrier_.grad(); }
  double waitSeconds() const override { return waitSeconds_; }

 private:
  /// Of a step on a GPU, whose collectives the host only asks for.
  struct OnItsWay {
    c10::Event ready, averaged;
  };

  void makeReducer(std::vector<at::Tensor> parameters);
  void averageOnCpu(const at::Tensor& loss);
  void averageOnGpu(const at::Tensor& loss);
  /// Lets the host be no more than two steps ahead of its GPU, so that it waits for other ranks
  /// here, where that is told, and not wherever a queue is full. The GPU never runs dry of it.
  void waitForStepBeforeLast();

  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  CollectiveNote note_;
  /// [n] zeros that take part in the loss with the figures as their gradient: so these travel in
  /// the first bucket, and no collective of their own is needed.
  at::Tensor carrier_;
  std::unique_ptr<c10d::Reducer> reducer_;  ///< dies before its group
  bool isAdding_ = false;                   ///< within a step
  double waitSeconds_ = 0;
  std::deque<OnItsWay> onTheirWay_;  ///< the oldest first
};

}  // namespace lockstep::dist
