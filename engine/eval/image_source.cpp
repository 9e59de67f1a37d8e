#include "engine/eval/image_source.h"

#include <c10/util/Exception.h>

#include <utility>

namespace lockstep::eval {

ImageSource::ImageSource(Load load, std::int64_t count, const ImageSharding& sharding,
                         const at::Device& device, int threadsAhead)
    : load_(std::move(load)), sharding_(sharding) {
  if (threadsAhead == 0) return;
  const auto loadOwn = [this](std::int64_t number) { return load_(sharding_.indexOfOwn(number)); };
  feed_ = std::make_unique<data::DeviceFeed>(
      std::make_unique<data::Prefetcher>(loadOwn, 0, sharding.ownCount(count), threadsAhead),
      device);
}

data::Batch ImageSource::take(std::int64_t index) {
  if (!feed_) return load_(index);
  const std::int64_t next = sharding_.indexOfOwn(taken_);
  TORCH_CHECK(index == next, "expected image ", next, ", got ", index);
  ++taken_;
  return feed_->next();
}

}  // namespace lockstep::eval
