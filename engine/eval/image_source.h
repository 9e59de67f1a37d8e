#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/data/device_feed.h"
#include "engine/eval/shared_images.h"

namespace lockstep::eval {

/// The images of figuresOfImages on a device, each a batch of its own. A CPU loads an image on the
/// thread that works on it; for a GPU threads load ahead.
class ImageSource {
 public:
  using Load = std::function<data::Batch(std::int64_t index)>;

  /// `load` is called from any thread, for 0 … count - 1.
  ImageSource(Load load, std::int64_t count, const ImageSharing& sharing, const at::Device& device);

  ImageSource(const ImageSource&) = delete;
  ImageSource& operator=(const ImageSource&) = delete;

  /// The image at an index that this rank has. On a GPU each once, in ascending order. Throws what
  /// its load threw.
  data::Batch take(std::int64_t index);

 private:
  Load load_;
  std::unique_ptr<data::DeviceFeed> feed_;  ///< on a GPU
};

}  // namespace lockstep::eval
