#pragma once

#include <c10/core/Event.h>

#include <deque>
#include <memory>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <vector>

#include "engine/dist/world.h"

namespace lockstep::dist {

/// GradientAverage with c10d's Reducer, as in DistributedDataParallel. Buckets are never rebuilt,
/// so that a resumed run sums in the same order.
class ReducedGradients : public GradientAverage {
 public:
  ReducedGradients(const std::vector<at::Tensor>& parameters, std::int64_t figureCount,
                   c10::intrusive_ptr<c10d::ProcessGroup> group, CollectiveObserver observer);

  void reset() override { isAccumulating_ = false; }
  void backward(const at::Tensor& loss, const at::Tensor& figures, bool isLastMicroBatch) override;
  at::Tensor figures() const override { return carrier_.grad(); }
  double waitSeconds() const override { return waitSeconds_; }

 private:
  /// A step on a GPU whose collectives the host has launched and not waited for.
  struct InFlight {
    c10::Event ready, averaged;
  };

  void makeReducer(std::vector<at::Tensor> parameters);
  void averageOnCpu(const at::Tensor& loss);
  void averageOnGpu(const at::Tensor& loss);
  /// Limits the host to two steps ahead of its GPU, so that it waits for other ranks here, where
  /// the observer reports it, and not in an arbitrary launch when the queue is full. The GPU does
  /// not run out of work.
  void waitForStepBeforeLast();

  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  CollectiveObserver observer_;
  /// [n] zeros that are added to the loss so that the figures are their gradient: the figures are
  /// then all-reduced in the first bucket and need no collective of their own.
  at::Tensor carrier_;
  std::unique_ptr<c10d::Reducer> reducer_;  ///< destroyed before its group
  bool isAccumulating_ = false;             ///< within a step
  double waitSeconds_ = 0;
  std::deque<InFlight> inFlight_;  ///< oldest first
};

}  // namespace lockstep::dist
