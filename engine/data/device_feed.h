#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <memory>
#include <optional>

#include "engine/data/prefetcher.h"

namespace lockstep::data {

/// Hands the batches of a Prefetcher out on a device, in their order, and is one ahead where the
/// next is loaded: on a GPU that is copied and its images are made, on a stream beside the taker's,
/// while the taker computes with the one before. On a CPU it hands on what it gets.
///
/// All work on the device is put there by the taker's thread; loader threads do no more than take
/// pinned memory. That goes back to LibTorch's cache as soon as the copy out of it is under way,
/// and the cache gives it out again when the copy is done: so this may end at any time.
class DeviceFeed {
 public:
  /// imageType: what images are made of pictures in, as Batch::to.
  DeviceFeed(std::unique_ptr<Prefetcher> batches, const at::Device& device,
             at::ScalarType imageType = at::kFloat);

  /// As Prefetcher::next(), for use on the current stream. Waits for loader threads, never for the
  /// device.
  Batch next();

 private:
  struct Staged {
    Batch batch;
    std::optional<c10::Event> isThere;  ///< on a GPU
  };
  Staged stage(const Batch& loaded) const;

  std::unique_ptr<Prefetcher> batches_;
  at::Device device_;
  at::ScalarType imageType_;
  std::optional<c10::Stream> stream_;  ///< on a GPU
  std::optional<Staged> staged_;
};

}  // namespace lockstep::data
