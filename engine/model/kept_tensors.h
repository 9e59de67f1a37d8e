#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace lockstep::model {

/// Tensors made of others, kept until one of those is another or was written to. Any thread.
class KeptTensors {
 public:
  using Make = std::function<std::vector<at::Tensor>()>;
  /// type: of what is made. Nothing is kept of sources that take a gradient.
  std::vector<at::Tensor> of(const std::vector<at::Tensor>& sources, at::ScalarType type,
                             const Make& make);

 private:
  /// Memory of a source, and how often it was written to.
  struct Source {
    const void* memory = nullptr;
    std::int64_t version = 0;
    bool operator==(const Source&) const = default;
  };
  std::mutex mutex_;  ///< guards what follows
  std::vector<Source> sources_;
  at::ScalarType type_ = at::kFloat;
  std::vector<at::Tensor> kept_;
};

}  // namespace lockstep::model
