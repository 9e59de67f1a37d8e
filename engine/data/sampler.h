#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
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
  bool skipEmpty = true;       ///< leave out images without a usable annotation
  double repeatThreshold = 0;  ///< of coco::repeatFactors; 0: every image once per epoch
  double copyPaste = 0;        ///< probability that an image gets objects of another one
  std::uint64_t seed = 1;
};

SamplerOptions samplerOptions(const config::Experiment& experiment, int rank, int worldSize);
/// One process that draws what all runtime.workers ranks draw: their parts of a batch are
/// micro-batches.
SamplerOptions samplerOptionsOfAllRanks(const config::Experiment& experiment);

/// The order of training images: an endless sequence of epochs, each a permutation of the images,
/// some of them repeated, as a pure function of seed, position and the images that are left out,
/// each of which is replaced by the next image of the epoch. All epochs are equally long. Steps can
/// be queried in any order, from any thread.
class Sampler {
 public:
  struct Draw {
    std::size_t imageIndex = 0;  ///< into Dataset::images()
    std::int64_t epoch = 0;      ///< from 0
    int copy = 0;                ///< of the image in its epoch
    /// Another image of the epoch, whose objects are pasted into this one.
    std::optional<std::size_t> donorIndex{};
    /// For keys of random choices, which differ between copies. Of a first copy it is the epoch.
    std::int64_t occurrence() const { return epoch + (std::int64_t{copy} << 40); }
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
  /// Length of an epoch, including images left out, which keep their positions.
  std::int64_t drawsPerEpoch() const { return drawsPerEpoch_; }
  int accumulate() const { return options_.accumulate; }
  int imagesPerMicroBatch() const { return imagesPerMicroBatch_; }

 private:
  /// A draw of an epoch.
  struct Entry {
    std::size_t image = 0;  ///< into imageIndices_
    int copy = 0;
  };
  using Order = std::shared_ptr<const std::vector<Entry>>;
  Order orderOf(std::int64_t epoch) const;
  Draw drawAt(const std::vector<Entry>& order, std::size_t place, std::int64_t epoch) const;
  std::optional<std::size_t> donorOf(const Draw& draw, std::uint64_t imageId,
                                     const std::vector<Entry>& order) const;
  std::vector<int> copiesIn(std::int64_t epoch) const;
  std::vector<Entry> permutation(std::int64_t epoch) const;
  std::vector<Entry> groupedByAspect(const std::vector<Entry>& order, std::int64_t epoch) const;

  SamplerOptions options_;
  int imagesPerMicroBatch_ = 1;
  std::vector<std::size_t> imageIndices_;  ///< into Dataset::images()
  std::vector<std::uint64_t> imageIds_;    ///< of imageIndices_
  std::vector<bool> isWide_;               ///< of imageIndices_: width >= height
  std::vector<bool> isLeftOut_;            ///< of imageIndices_
  std::vector<double> repeatFactors_;      ///< of imageIndices_
  std::int64_t drawsPerEpoch_ = 0;

  struct CachedOrder {
    std::int64_t epoch = -1;
    Order order;
  };
  mutable std::mutex mutex_;       ///< guards cached_
  mutable CachedOrder cached_[2];  ///< by parity of the epoch
};

}  // namespace lockstep::data
