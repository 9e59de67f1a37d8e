#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/data/device_feed.h"
#include "engine/eval/shared_images.h"

namespace lockstep::eval {

/// The images of figuresOfImages on a device, each a batch of its own. For a CPU an image is loaded
/// on the thread that works on it; for a GPU threads load ahead.
class ImageSource {
 public:
  using Load = std::function<data::Batch(std::int64_t index)>;

  /// `load` is called from any thread, for 0 … count - 1. `threadsAhead` load ahead; 0: none, the
  /// taker loads.
  ImageSource(Load load, std::int64_t count, const ImageSharing& sharing, const at::Device& device,
              int threadsAhead);

  ImageSource(const ImageSource&) = delete;
  ImageSource& operator=(const ImageSource&) = delete;

  /// The image at an index that this rank has. Throws what its load threw. Where threads load ahead
  /// each is taken once, in ascending order: another one is an error of the caller.
  data::Batch take(std::int64_t index);

 private:
  Load load_;
  ImageSharing sharing_;
  std::unique_ptr<data::DeviceFeed> feed_;  ///< where threads load ahead
  std::int64_t taken_ = 0;                  ///< of this rank's, from the feed
};

}  // namespace lockstep::eval
