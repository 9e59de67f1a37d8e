#include "engine/eval/image_source.h"

#include <utility>

namespace lockstep::eval {

ImageSource::ImageSource(Load load, std::int64_t count, const ImageSharing& sharing,
                         const at::Device& device)
    : load_(std::move(load)) {
  if (device.is_cpu()) return;
  const auto loadOwn = [this, sharing](std::int64_t number) {
    return load_(sharing.indexOfOwn(number));
  };
  feed_ = std::make_unique<data::DeviceFeed>(
      std::make_unique<data::Prefetcher>(loadOwn, 0, sharing.ownCount(count),
                                         data::resolveLoaderThreads(0, 1)),
      device);
}

data::Batch ImageSource::take(std::int64_t index) { return feed_ ? feed_->next() : load_(index); }

}  // namespace lockstep::eval
