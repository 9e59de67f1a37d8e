#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"
#include "engine/data/annotated_image.h"
#include "engine/data/batch.h"
#include "engine/data/class_table.h"
#include "engine/data/image_cache.h"
#include "engine/data/image_file.h"
#include "engine/data/prefetcher.h"
#include "engine/data/sampler.h"
#include "engine/data/transform_plan.h"

namespace lockstep::data {

struct LoaderOptions {
  std::uint64_t seed = 1;
  LoaderOutput output = LoaderOutput::Transformed;  ///< see loaderOutputFor()
  bool masks = true;  ///< false: ground truth without masks, for a box detector
  std::shared_ptr<ImageCache> cache = {};  ///< null: images are read each time
};

/// Makes batches from one split of a dataset: reads, augments, resizes, pads. Every method may be
/// called from any thread, uses no threads of its own and no ATen parallelism. Throws BadImage
/// naming the file for an image that cannot be read, Error or std::bad_alloc for errors of the
/// machine.
class SampleLoader {
 public:
  /// Keeps a reference to the dataset. File names are relative to imagesFolder. `classes`: of the
  /// model that the batches are for.
  SampleLoader(const coco::Dataset& dataset, std::filesystem::path imagesFolder,
               const config::AugmentConfig& augment, ClassTable classes,
               LoaderOptions options = {});

  /// Augmented training images with ground truth, padded as in augment.pad_to. Does not set `step`
  /// and `microBatch`.
  Batch loadTraining(std::span<const Sampler::Draw> draws) const;
  /// One image for evaluation, as a batch of one with its own padding, with ground truth.
  Batch loadEvaluation(std::size_t imageIndex) const;
  const coco::Dataset& dataset() const { return dataset_; }
  const ClassTable& classes() const { return classes_; }

 private:
  /// An image of a batch and what becomes of it.
  struct Item {
    std::size_t imageIndex = 0;
    TransformPlan plan{};
    std::optional<std::size_t> donorIndex{};  ///< of the image whose objects are pasted in
    std::uint64_t pasteKey = 0;
  };
  Batch load(const std::vector<Item>& items, const base::ImageSize& padded) const;
  /// Sets image n of the batch. Returns its ground truth.
  structures::GtInstances loadInto(Batch& batch, std::int64_t n, const Item& item) const;
  /// The image with the objects, turned, cut and with what is pasted in.
  AnnotatedImage composed(const RgbImage& image, const Item& item) const;
  std::shared_ptr<const RgbImage> read(const coco::Image& image) const;
  void warnMissingEndMarker(ImageId id, const std::filesystem::path& file) const;

  const coco::Dataset& dataset_;
  std::filesystem::path imagesFolder_;
  config::AugmentConfig augment_;
  ClassTable classes_;
  LoaderOptions options_;
  mutable std::mutex mutex_;
  mutable std::unordered_set<ImageId> warned_;  ///< under mutex_: about a missing end marker
};

/// Loads an image file without annotations, for prediction. `id` is returned in Batch::ids. Throws
/// as readImage().
Batch loadForPrediction(const std::filesystem::path& file, ImageId id,
                        const config::AugmentConfig& augment,
                        LoaderOutput output = LoaderOutput::Transformed);

/// Training batches from the first micro-batch of firstStep to the last one of lastStep, with
/// `step` and `microBatch` set. Keeps references.
std::unique_ptr<Prefetcher> prefetchTraining(const SampleLoader& loader, const Sampler& sampler,
                                             std::int64_t firstStep, std::int64_t lastStep,
                                             int threads);

}  // namespace lockstep::data
