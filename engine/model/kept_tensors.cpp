#include "engine/model/kept_tensors.h"

#include <algorithm>

namespace lockstep::model {
namespace {

thread_local KeptTensorsWatch* innermost = nullptr;

}  // namespace

std::vector<at::Tensor> KeptTensors::of(const std::vector<at::Tensor>& sources, const Make& make) {
  const auto takesGradient = [](const at::Tensor& source) { return source.requires_grad(); };
  if (std::ranges::any_of(sources, takesGradient)) return make();
  const std::lock_guard lock(mutex_);
  const bool areAsBefore = std::ranges::equal(sources_, sources, &TensorMark::isStateOf);
  if (kept_.empty() || !areAsBefore) {
    kept_ = make();
    sources_ = marksOf(sources);
  }
  if (KeptTensorsWatch* watch = KeptTensorsWatch::current()) watch->tell(kept_);
  return kept_;
}

KeptTensorsWatch::KeptTensorsWatch() : outer_(innermost) { innermost = this; }

KeptTensorsWatch::~KeptTensorsWatch() { innermost = outer_; }

KeptTensorsWatch* KeptTensorsWatch::current() { return innermost; }

void KeptTensorsWatch::tell(const std::vector<at::Tensor>& given) {
  given_.insert(given_.end(), given.begin(), given.end());
}

}  // namespace lockstep::model
