#include "engine/model/kept_tensors.h"

#include <algorithm>

namespace lockstep::model {

std::vector<at::Tensor> KeptTensors::of(const std::vector<at::Tensor>& sources, at::ScalarType type,
                                        const Make& make) {
  const auto takesGradient = [](const at::Tensor& source) { return source.requires_grad(); };
  if (std::ranges::any_of(sources, takesGradient)) return make();
  std::vector<Source> now;
  for (const at::Tensor& source : sources)
    now.push_back({source.const_data_ptr(), static_cast<std::int64_t>(source._version())});
  const std::lock_guard lock(mutex_);
  if (kept_.empty() || sources_ != now || type_ != type) {
    kept_ = make();
    sources_ = std::move(now);
    type_ = type;
  }
  return kept_;
}

}  // namespace lockstep::model
