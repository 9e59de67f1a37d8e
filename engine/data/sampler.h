#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"

namespace lockstep::data {

struct SamplerOptions {
  int batchSize = 1;   ///< images per step, over all ranks and micro-batches
  int accumulate = 1;  ///< micro-batches per step (gradient accumulation)
  int rank = 0;
  int worldSize = 1;
  bool groupByAspect = true;
  bool skipEmpty = true;  ///< leave out images without a usable annotation
  std::uint64_t seed = 1;
};

SamplerOptions samplerOptions(const config::Experiment& experiment, int rank, int worldSize);

/// The order of training images: an endless sequence of epochs, each a permutation of the images,
/// as a pure function of seed, position and the images that are left out, each of which is replaced
/// by the next image of the epoch. Steps can be queried in any order, from any thread.
class Sampler {
 public:
  struct Draw {
    std::size_t imageIndex = 0;  ///< into Dataset::images()
    std::int64_t epoch = 0;      ///< from 0
    bool operator==(const Draw&) const = default;
  };

  /// Throws UserError when no image is left, or worldSize * accumulate does not divide
  /// batchSize.
  Sampler(const coco::Dataset& dataset, const SamplerOptions& options);

  /// The images of this rank in a micro-batch of a step (from 1). They are distributed so that N
  /// ranks with one micro-batch use the same images as one rank with N micro-batches.
  std::vector<Draw> imagesOf(std::int64_t step, int microBatch) const;
  /// Not thread-safe with imagesOf(). Unknown ids are ignored. Throws Error when no image is left.
  void leaveOut(const std::vector<std::int64_t>& imageIds);
  /// Number of images per epoch, including those left out, which keep their positions.
  std::size_t imageCount() const { return imageIndices_.size(); }
  int accumulate() const { return options_.accumulate; }
  int imagesPerMicroBatch() const { return imagesPerMicroBatch_; }

 private:
  using Order = std::shared_ptr<const std::vector<std::size_t>>;
  Order orderOf(std::int64_t epoch) const;
  std::size_t imageAt(const std::vector<std::size_t>& order, std::size_t place) const;
  std::vector<std::size_t> permutation(std::int64_t epoch) const;
  std::vector<std::size_t> groupedByAspect(std::vector<std::size_t> order,
                                           std::int64_t epoch) const;

  SamplerOptions options_;
  int imagesPerMicroBatch_ = 1;
  std::vector<std::size_t> imageIndices_;  ///< into Dataset::images()
  std::vector<std::uint64_t> imageIds_;    ///< of imageIndices_
  std::vector<bool> isWide_;               ///< of imageIndices_: width >= height
  std::vector<bool> isLeftOut_;            ///< of imageIndices_

  struct CachedOrder {
    std::int64_t epoch = -1;
    Order order;
  };
  mutable std::mutex mutex_;       ///< guards cached_
  mutable CachedOrder cached_[2];  ///< by parity of the epoch
};

}  // namespace lockstep::data
