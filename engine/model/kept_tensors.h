#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <mutex>
#include <vector>

#include "engine/model/tensor_mark.h"

namespace lockstep::model {

/// Tensors made of others, kept until one of those is another or was written to. Any thread.
class KeptTensors {
 public:
  using Make = std::function<std::vector<at::Tensor>()>;
  /// Nothing is kept of sources that take a gradient.
  std::vector<at::Tensor> of(const std::vector<at::Tensor>& sources, const Make& make);

 private:
  std::mutex mutex_;  ///< guards what follows
  std::vector<TensorMark> sources_;
  std::vector<at::Tensor> kept_;
};

/// Remembers what KeptTensors and ComputedWeights give out on the thread that made it, while it
/// lives: who records work that reads them has to keep them. Watches nest; the innermost alone is
/// told.
class KeptTensorsWatch {
 public:
  KeptTensorsWatch();
  ~KeptTensorsWatch();
  KeptTensorsWatch(const KeptTensorsWatch&) = delete;
  KeptTensorsWatch& operator=(const KeptTensorsWatch&) = delete;

  /// The innermost of this thread; nullptr when there is none.
  static KeptTensorsWatch* current();

  void tell(const std::vector<at::Tensor>& given);
  const std::vector<at::Tensor>& given() const { return given_; }

 private:
  std::vector<at::Tensor> given_;
  KeptTensorsWatch* outer_;
};

}  // namespace lockstep::model
