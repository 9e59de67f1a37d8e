#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"
#include "engine/data/batch.h"
#include "engine/data/class_table.h"
#include "engine/data/image_file.h"
#include "engine/data/prefetcher.h"
#include "engine/data/sampler.h"
#include "engine/data/transform.h"

namespace lockstep::data {

/// Makes batches out of one part of a data set: reads, augments, resizes, pads. Every method: any
/// thread, no thread of its own, no ATen parallelism. Throws BadImage naming the file for an image
/// that cannot be read, Error or std::bad_alloc for a fault of the machine.
class SampleLoader {
 public:
  /// Keeps a reference to the data set. Names of the files are relative to imagesFolder. `classes`
  /// are those of the model that the batches are for. `handover`: of the device they are for.
  SampleLoader(const coco::Dataset& dataset, std::filesystem::path imagesFolder,
               const config::AugmentConfig& augment, std::uint64_t seed, ClassTable classes,
               Handover handover = Handover::Images);

  /// Training images, augmented, with ground truth, padded as augment.pad_to says. `step` and
  /// `part` stay 0.
  Batch loadTraining(std::span<const Sampler::Draw> draws) const;
  /// One image as evaluation sees it: alone, its own padding, with ground truth.
  Batch loadEvaluation(std::size_t imageIndex) const;
  const coco::Dataset& dataset() const { return dataset_; }
  const ClassTable& classes() const { return classes_; }

 private:
  Batch load(const std::vector<std::size_t>& indices, const std::vector<TransformPlan>& plans,
             const base::ImageSize& padded) const;
  RgbImage read(const coco::Image& image) const;
  void tellOfMissingEnd(ImageId id, const std::filesystem::path& file) const;

  const coco::Dataset& dataset_;
  std::filesystem::path imagesFolder_;
  config::AugmentConfig augment_;
  std::uint64_t seed_;
  ClassTable classes_;
  Handover handover_;
  mutable std::mutex mutex_;
  mutable std::unordered_set<ImageId> told_;  ///< under mutex_: said to lack their end marker
};

/// One image file without annotations, for prediction. `id` is given back in Batch::ids. Throws as
/// readImage().
Batch loadForPrediction(const std::filesystem::path& file, ImageId id,
                        const config::AugmentConfig& augment, Handover handover = Handover::Images);

/// Batches of training from (firstStep, part 0) to (lastStep, last part), with `step` and `part`
/// filled. Keeps references.
std::unique_ptr<Prefetcher> prefetchTraining(const SampleLoader& loader, const Sampler& sampler,
                                             std::int64_t firstStep, std::int64_t lastStep,
                                             int threads);

}  // namespace lockstep::data
