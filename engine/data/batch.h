#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/image_size.h"
#include "engine/structures/ground_truth.h"
#include "engine/structures/packed_images.h"

namespace lockstep::data {

/// A batch of N images with their ground truth and metadata. Vectors have N entries.
struct Batch {
  /// [N,3,H,W] float32 normalised, zero-padded at the right and bottom; H, W multiples of 32.
  /// Undefined if the images are in `decoded`. For half precision on a GPU as ops::resizeImages
  /// makes them.
  at::Tensor images;
  structures::PackedImages decoded;            ///< not transformed yet: to() makes `images` of them
  base::ImageSize padded;                      ///< H and W of `images`, px
  std::vector<base::ImageSize> sizes;          ///< of each image without padding, px
  std::vector<base::ImageSize> originalSizes;  ///< of the image files, px
  structures::GtBatch gts;                     ///< in px of `sizes`; without objects for prediction
  std::vector<ImageId> ids;
  std::vector<std::uint64_t>
      samplingKeys;       ///< for anchor and RoI sampling: seed, image id (and epoch in training)
  std::int64_t step = 0;  ///< training: the step it belongs to, from 1
  int microBatch = 0;     ///< training: micro-batch of the step, from 0

  std::int64_t count() const { return static_cast<std::int64_t>(sizes.size()); }
  /// Moves the batch to a device. Decoded images are transformed to `images` of type `imageType`.
  /// Runs on the current stream; does not synchronise if the batch is in pinned memory.
  Batch to(const at::Device& device, at::ScalarType imageType = at::kFloat) const;
};

/// The form in which loader threads deliver images.
enum class LoaderOutput {
  Transformed,    ///< normalised, resized and padded: for a CPU
  Decoded,        ///< in Batch::decoded, after colour jitter
  PinnedDecoded,  ///< the same, with images and ground truth in pinned memory: for a GPU
};
LoaderOutput loaderOutputFor(const at::Device& device);

/// The maximum height and width, rounded up to multiples of config::kSizeDivisor.
base::ImageSize paddedSize(const std::vector<base::ImageSize>& sizes);

/// Keys for anchor and RoI sampling in training (epoch from 0) and in evaluation.
std::uint64_t trainingSamplingKey(std::uint64_t seed, ImageId id, std::int64_t epoch);
std::uint64_t evaluationSamplingKey(std::uint64_t seed, ImageId id);

}  // namespace lockstep::data
