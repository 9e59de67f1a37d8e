#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/image_size.h"
#include "engine/structures/ground_truth.h"
#include "engine/structures/packed_images.h"

namespace lockstep::data {

/// Images that go through the model together, and all that is known of them. Vectors have N
/// entries.
struct Batch {
  /// [N,3,H,W] float32 normalised; H, W multiples of 32; zero right and below. Undefined while they
  /// are `pictures`. On a GPU that computes in halves as ops::resizeImages makes them for it.
  at::Tensor images;
  structures::PackedImages pictures;           ///< as decoded: to() makes `images` of them
  base::ImageSize padded;                      ///< px of all `images`, H and W
  std::vector<base::ImageSize> sizes;          ///< px of each image inside `images`
  std::vector<base::ImageSize> originalSizes;  ///< px of the files
  structures::GtBatch gts;                     ///< in px of `sizes`; of no objects for prediction
  std::vector<ImageId> ids;
  std::vector<std::uint64_t>
      samplingKeys;       ///< for anchor and RoI sampling: seed, image id (and epoch in training)
  std::int64_t step = 0;  ///< training: the step it belongs to, from 1
  int part = 0;           ///< training: accumulated part of the step, from 0

  std::int64_t count() const { return static_cast<std::int64_t>(sizes.size()); }
  /// The same on a device, with images; of pictures they are made in `imageType`. On the current
  /// stream; waits for nothing where this is in pinned memory.
  Batch to(const at::Device& device, at::ScalarType imageType = at::kFloat) const;
};

/// In what form loader threads hand images over.
enum class Handover {
  Images,          ///< normalised, resized and padded: for a CPU
  Pictures,        ///< as decoded, in Batch::pictures; colour jitter is done
  PinnedPictures,  ///< the same, with the ground truth, in pinned memory: for a GPU
};
Handover handoverTo(const at::Device& device);

/// Height and width that hold every size, rounded up to multiples of config::kSizeDivisor.
base::ImageSize paddedSize(const std::vector<base::ImageSize>& sizes);

/// Key for the model's samplers in training (an epoch from 0) and in evaluation.
std::uint64_t trainingSamplingKey(std::uint64_t seed, ImageId id, std::int64_t epoch);
std::uint64_t evaluationSamplingKey(std::uint64_t seed, ImageId id);

}  // namespace lockstep::data
