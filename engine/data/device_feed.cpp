#include "engine/data/device_feed.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace lockstep::data {
namespace {

/// Records the use on a second stream, so that the caching allocator does not reuse the memory
/// early.
void useOn(const c10::Stream& stream, const Batch& batch) {
  batch.images.record_stream(stream);
  batch.gts.boxesXyxy.record_stream(stream);  // all of the ground truth is in one allocation
}

}  // namespace

DeviceFeed::DeviceFeed(std::unique_ptr<Prefetcher> batches, const at::Device& device,
                       at::ScalarType imageType)
    : batches_(std::move(batches)), device_(device), imageType_(imageType) {
  if (device_.is_cpu()) return;
  const c10::impl::VirtualGuardImpl devices(device_.type());
  if (!device_.has_index()) device_ = devices.getDevice();
  stream_ = devices.getStreamFromGlobalPool(device_);
}

DeviceFeed::Staged DeviceFeed::stage(const Batch& loaded) const {
  if (!stream_) return {loaded.to(device_, imageType_), std::nullopt};
  const c10::StreamGuard beside(*stream_);
  Staged staged{loaded.to(device_, imageType_), c10::Event(device_.type())};
  staged.ready->record(*stream_);
  return staged;
}

Batch DeviceFeed::next() {
  if (!staged_) staged_ = stage(batches_->next());
  Staged taken = std::move(*staged_);
  staged_.reset();
  if (taken.ready) {
    const c10::Stream current = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
    taken.ready->block(current);
    useOn(current, taken.batch);
  }
  if (const std::optional<Batch> following = batches_->nextIfReady()) staged_ = stage(*following);
  return std::move(taken.batch);
}

}  // namespace lockstep::data
