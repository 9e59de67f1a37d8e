#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <memory>
#include <optional>

#include "engine/data/prefetcher.h"

namespace lockstep::data {

/// Moves the batches of a Prefetcher to a device, in order, and stages the next one ahead if it is
/// loaded already: on a GPU it is copied and its images are transformed on a second stream while
/// the consumer computes with the batch before. On a CPU batches pass through unchanged.
///
/// All device work is launched by the consumer's thread; loader threads only allocate pinned
/// memory. That returns to LibTorch's caching host allocator once the copy is launched, and the
/// allocator reuses it only after the copy is done, so a DeviceFeed may be destroyed at any time.
class DeviceFeed {
 public:
  /// imageType: as for Batch::to.
  DeviceFeed(std::unique_ptr<Prefetcher> batches, const at::Device& device,
             at::ScalarType imageType = at::kFloat);

  /// As Prefetcher::next(), ready for use on the current stream. Waits for loader threads, never
  /// for the device.
  Batch next();

 private:
  struct Staged {
    Batch batch;
    std::optional<c10::Event> ready;  ///< on a GPU
  };
  Staged stage(const Batch& loaded) const;

  std::unique_ptr<Prefetcher> batches_;
  at::Device device_;
  at::ScalarType imageType_;
  std::optional<c10::Stream> stream_;  ///< on a GPU
  std::optional<Staged> staged_;
};

}  // namespace lockstep::data
