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

/// A differentiable function of one tensor, as torch.cuda.make_graphed_callables makes one:
/// captured in CUDA graphs, forward and backward, for every shape of its input that comes more than
/// once. Each call must go backward, or be given up, before the next; outputs stay until then, and
/// a backward pass that comes later throws c10::Error. Where a capture fails all goes on without,
/// and failure() says why. What is captured has cuDNN's quickest algorithms, unless LibTorch is set
/// to deterministic ones.
///
/// A graph reads memory, not tensors. So it keeps all that it reads, and where a parameter lies
/// elsewhere, or a constant lies elsewhere or was written to, what was captured is dropped and
/// captured again. Gradients are copied out of its memory, never handed over.
class CudaGraphFunction {
 public:
  /// Shapes that are captured: each holds its outputs and gradients.
  static constexpr std::size_t kMostShapes = 16;

  using Compute = std::function<std::vector<at::Tensor>(const at::Tensor& input)>;
  struct Reads {
    std::vector<at::Tensor> parameters;  ///< leaves whose gradients are wanted
    std::vector<at::Tensor> constants;  ///< frozen weights, buffers: TensorCaches are made of these
  };
  /// The input takes no gradient.
  CudaGraphFunction(Compute compute, Reads reads, CudaGraphCapture capture);
  ~CudaGraphFunction();

  std::vector<at::Tensor> operator()(const at::Tensor& input);
  /// "" unless a capture failed.
  const std::string& failure() const { return failure_; }
  std::size_t capturedShapes() const;
  /// A shape came again when kMostShapes were captured, and runs without.
  bool leavesOutShapes() const { return leavesOutShapes_; }

 private:
  struct Graphs;
  using Shape = std::pair<std::vector<std::int64_t>, at::ScalarType>;

  void dropStale();
  /// A pass of a new shape before the first that counts. Nothing to do where bits are to be the
  /// same every time.
  void chooseAlgorithms(const at::Tensor& input);
  std::shared_ptr<Graphs> captured(const at::Tensor& input);
  /// Null where that fails, which failure() tells.
  std::shared_ptr<Graphs> capturedOrNot(const at::Tensor& input);

  Compute compute_;
  Reads reads_;
  CudaGraphCapture capture_;
  std::vector<TensorVersion> parameterVersions_, constantVersions_;  ///< as the graphs read them
  std::map<Shape, std::shared_ptr<Graphs>> graphs_;                  ///< null: the shape came once
  /// Counts what writes to the memory of the graphs, which all share.
  std::shared_ptr<std::int64_t> uses_ = std::make_shared<std::int64_t>(0);
  std::string failure_;
  bool leavesOutShapes_ = false;
};

}  // namespace lockstep::model
