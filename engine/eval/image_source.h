#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/data/device_feed.h"
#include "engine/eval/sharded_images.h"

namespace lockstep::eval {

/// The images for evaluateImages on a device, each a batch of one. For a CPU an image is loaded on
/// the thread that processes it; for a GPU, loader threads prefetch.
class ImageSource {
 public:
  using Load = std::function<data::Batch(std::int64_t index)>;

  /// `load` is called from any thread, for 0 … count - 1. `threadsAhead`: number of loader threads;
  /// 0: the calling thread loads.
  ImageSource(Load load, std::int64_t count, const ImageSharding& sharding,
              const at::Device& device, int threadsAhead);

  ImageSource(const ImageSource&) = delete;
  ImageSource& operator=(const ImageSource&) = delete;

  /// The image at an index of this rank's shard. Rethrows what its load threw. With loader threads,
  /// indices must be taken once each, in ascending order.
  data::Batch take(std::int64_t index);

 private:
  Load load_;
  ImageSharding sharding_;
  std::unique_ptr<data::DeviceFeed> feed_;  ///< with loader threads
  std::int64_t taken_ = 0;                  ///< images of this rank taken from the feed
};

}  // namespace lockstep::eval
