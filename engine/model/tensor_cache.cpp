#include "engine/model/tensor_cache.h"

#include <algorithm>

namespace lockstep::model {
namespace {

thread_local TensorCacheWatch* innermostCacheWatch = nullptr;

}  // namespace

TensorVersion::TensorVersion(const at::Tensor& tensor)
    : memory_(tensor.variable_data()), version_(static_cast<std::int64_t>(tensor._version())) {}

bool TensorVersion::hasMemoryOf(const at::Tensor& tensor) const {
  return tensor.const_data_ptr() == memory_.const_data_ptr();
}

bool TensorVersion::isCurrentOf(const at::Tensor& tensor) const {
  return hasMemoryOf(tensor) && static_cast<std::int64_t>(tensor._version()) == version_;
}

std::vector<TensorVersion> versionsOf(const std::vector<at::Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

std::vector<at::Tensor> TensorCache::get(const std::vector<at::Tensor>& sources,
                                         const Compute& compute) {
  const auto requiresGradient = [](const at::Tensor& source) { return source.requires_grad(); };
  if (std::ranges::any_of(sources, requiresGradient)) return compute();
  const std::lock_guard lock(mutex_);
  const bool areCurrent = std::ranges::equal(sources_, sources, &TensorVersion::isCurrentOf);
  if (tensors_.empty() || !areCurrent) {
    tensors_ = compute();
    sources_ = versionsOf(sources);
  }
  if (TensorCacheWatch* watch = TensorCacheWatch::current()) watch->add(tensors_);
  return tensors_;
}

TensorCacheWatch::TensorCacheWatch() : outer_(innermostCacheWatch) { innermostCacheWatch = this; }

TensorCacheWatch::~TensorCacheWatch() { innermostCacheWatch = outer_; }

TensorCacheWatch* TensorCacheWatch::current() { return innermostCacheWatch; }

void TensorCacheWatch::add(const std::vector<at::Tensor>& tensors) {
  tensors_.insert(tensors_.end(), tensors.begin(), tensors.end());
}

}  // namespace lockstep::model
