#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/cuda_graph.h"
#include "engine/model/tensor_cache.h"

namespace lockstep::model {

/// A differentiable function of one tensor that is captured in CUDA graphs, forward and backward,
/// as by torch.cuda.make_graphed_callables, for every input shape that occurs more than once. Each
/// call's backward pass must run, or its outputs be released, before the next call, which
/// overwrites the outputs; a later backward pass throws c10::Error. If a capture fails, the
/// function runs without graphs, and failure() gives the reason. Captures use cuDNN's benchmarked
/// algorithms, unless LibTorch is set to deterministic ones.
///
/// A graph reads fixed memory addresses. So it keeps alive all that it reads, and if a parameter
/// was reallocated, or a constant was reallocated or written to, the graphs are captured again.
/// Gradients are copied out of its memory pool.
class CudaGraphFunction {
 public:
  /// Maximum number of captured shapes; each keeps its own outputs and gradients.
  static constexpr std::size_t kMostShapes = 16;

  using Compute = std::function<std::vector<at::Tensor>(const at::Tensor& input)>;
  struct Reads {
    std::vector<at::Tensor> parameters;  ///< leaves that require gradients
    std::vector<at::Tensor> constants;  ///< frozen weights and buffers; the sources of TensorCaches
  };
  /// The input gets no gradient.
  CudaGraphFunction(Compute compute, Reads reads, CudaGraphCapture capture);
  ~CudaGraphFunction();

  std::vector<at::Tensor> operator()(const at::Tensor& input);
  /// Why a capture failed; empty if none has.
  const std::string& failure() const { return failure_; }
  std::size_t capturedShapes() const;
  /// A further shape was repeated when kMostShapes were captured already; it runs without a graph.
  bool leavesOutShapes() const { return leavesOutShapes_; }

 private:
  struct Graphs;
  using Shape = std::pair<std::vector<std::int64_t>, at::ScalarType>;

  void dropStale();
  /// A warm-up pass for a new shape, to let cuDNN benchmark its algorithms. Does nothing in
  /// deterministic mode.
  void chooseAlgorithms(const at::Tensor& input);
  std::shared_ptr<Graphs> captured(const at::Tensor& input);
  /// Null if the capture fails; sets failure().
  std::shared_ptr<Graphs> capturedOrNot(const at::Tensor& input);

  Compute compute_;
  Reads reads_;
  CudaGraphCapture capture_;
  std::vector<TensorVersion> parameterVersions_, constantVersions_;  ///< at the time of capture
  std::map<Shape, std::shared_ptr<Graphs>> graphs_;  ///< null: the shape occurred once
  /// Counts writes to the memory pool, which all graphs share.
  std::shared_ptr<std::int64_t> uses_ = std::make_shared<std::int64_t>(0);
  std::string failure_;
  bool leavesOutShapes_ = false;
};

}  // namespace lockstep::model
