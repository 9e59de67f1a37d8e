#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/tensor_mark.h"

namespace lockstep::model {

/// Work to be recorded.
struct Work {
  std::function<std::vector<at::Tensor>()> run;
  /// Memory that it reads and does not write first: to be kept for as long as it may be repeated.
  std::vector<at::Tensor> reads;
};
/// Work that was done once and can be done again on the same memory with one call (a CUDA graph).
struct RecordedWork {
  std::vector<at::Tensor> results;  ///< where every repetition writes
  std::function<void()> repeat;
};
/// Does the work and records it. Throws c10::Error where that cannot be.
using Recorder = std::function<RecordedWork(const Work& work)>;

/// A differentiable function of one tensor, recorded forward and backward for every shape of its
/// input that comes more than once. Each call must go backward, or be given up, before the next;
/// results stay until then, and a backward pass that comes later throws c10::Error. Where recording
/// fails all goes on without, and failure() says why. What is recorded has cuDNN's quickest
/// algorithms, unless LibTorch is set to deterministic ones.
///
/// A recording reads memory, not tensors. So it keeps all that it reads, and where a parameter lies
/// elsewhere, or a constant lies elsewhere or was written to, what was recorded is dropped and
/// recorded again. Gradients are copied out of its memory, never handed over.
class RecordedFunction {
 public:
  /// Shapes that are recorded: each holds its outputs and gradients.
  static constexpr std::size_t kMostRecordings = 16;

  using Compute = std::function<std::vector<at::Tensor>(const at::Tensor& input)>;
  struct Reads {
    std::vector<at::Tensor> parameters;  ///< leaves whose gradients are wanted
    std::vector<at::Tensor> constants;   ///< frozen weights, buffers: KeptTensors are made of these
  };
  /// The input takes no gradient.
  RecordedFunction(Compute compute, Reads reads, Recorder recorder);
  ~RecordedFunction();

  std::vector<at::Tensor> operator()(const at::Tensor& input);
  /// "" unless recording failed.
  const std::string& failure() const { return failure_; }
  std::size_t recordedShapes() const;
  /// A shape came again when kMostRecordings were recorded, and runs without.
  bool leavesOutShapes() const { return leavesOutShapes_; }

 private:
  struct Recording;
  using Shape = std::pair<std::vector<std::int64_t>, at::ScalarType>;

  void dropStale();
  /// A pass of a new shape before the first that counts. Nothing to do where bits are to be the
  /// same every time.
  void chooseAlgorithms(const at::Tensor& input);
  std::shared_ptr<Recording> record(const at::Tensor& input);
  /// Null where that fails, which failure() tells.
  std::shared_ptr<Recording> recordedOrNot(const at::Tensor& input);

  Compute compute_;
  Reads reads_;
  Recorder recorder_;
  std::vector<TensorMark> parameterMarks_, constantMarks_;  ///< as recordings read them
  std::map<Shape, std::shared_ptr<Recording>> recordings_;  ///< null: the shape came once
  /// Counts what writes to the memory of recordings, which all share.
  std::shared_ptr<std::int64_t> uses_ = std::make_shared<std::int64_t>(0);
  std::string failure_;
  bool leavesOutShapes_ = false;
};

}  // namespace lockstep::model
