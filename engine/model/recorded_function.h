#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::model {

/// Work that was done once and can be done again on the same memory with one call (a CUDA graph).
struct RecordedWork {
  std::vector<at::Tensor> results;  ///< where every repetition writes
  std::function<void()> repeat;
};
using Work = std::function<std::vector<at::Tensor>()>;
/// Does the work and records it. Throws c10::Error where that cannot be.
using Recorder = std::function<RecordedWork(const Work& work)>;

/// A differentiable function of one tensor, recorded forward and backward for every shape of its
/// input that comes more than once. Each call must go backward, or be given up, before the next;
/// results stay until then. Where recording fails all goes on without, and failure() says why.
class RecordedFunction {
 public:
  using Compute = std::function<std::vector<at::Tensor>(const at::Tensor& input)>;
  /// parameters: leaves that `compute` uses and whose gradients are wanted; the memory of theirs is
  /// not to move. The input takes no gradient.
  RecordedFunction(Compute compute, std::vector<at::Tensor> parameters, Recorder recorder);
  ~RecordedFunction();

  std::vector<at::Tensor> operator()(const at::Tensor& input);
  /// "" unless recording failed.
  const std::string& failure() const { return failure_; }
  std::size_t recordedShapes() const;

 private:
  struct Recording;
  std::shared_ptr<Recording> record(const at::Tensor& input);

  Compute compute_;
  std::vector<at::Tensor> parameters_;
  Recorder recorder_;
  /// By sizes; null for those that came once.
  std::map<std::vector<std::int64_t>, std::shared_ptr<Recording>> recordings_;
  std::string failure_;
};

}  // namespace lockstep::model
