#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/data/sample_loader.h"
#include "engine/dist/world.h"
#include "engine/eval/evaluation.h"
#include "engine/eval/image_figures.h"
#include "engine/eval/parallel_images.h"
#include "engine/eval/shared_images.h"
#include "engine/model/mask_rcnn.h"

namespace lockstep::eval {

struct EvaluatorOptions {
  config::LossWeights lossWeights;
  std::uint64_t seed = 1;
  at::Device device = at::kCPU;
  int threads = 1;               ///< images side by side on a CPU; a GPU takes one after another
  int loaderThreads = 1;         ///< that load ahead for a GPU
  int maxImages = 0;             ///< the first so many of the data set; 0: all
  bool skipsBadImages = false;   ///< an image that cannot be read is left out and named
  dist::World* world = nullptr;  ///< its ranks share the images; null: this process does all
};

struct Detected {
  std::vector<coco::Detection> detections;
  std::vector<data::ImageFault> badImages;  ///< that were left out
};

/// Held-out figures over one part of a data set. Every image goes through the model alone, with its
/// own padding and norms in evaluation mode, so that its figures depend on the weights, the seed
/// and its id only. The part may name fewer categories than the model knows: detections of the
/// others do not count in its AP, as in pycocotools.
///
/// With a world every rank calls the same functions with the same arguments on the same weights;
/// rank 0 has the whole result, the same to the last bit for any number of ranks, the others an
/// empty one. A fault of any rank is thrown on all.
class Evaluator {
 public:
  /// Keeps a reference to the loader, whose classes are those of the models to come.
  Evaluator(const data::SampleLoader& loader, const EvaluatorOptions& options);

  /// Losses and detections share one pass of the backbone. Leaves the model in the mode it was in.
  /// Throws BadImage naming the file for an image that cannot be read, unless those are left out:
  /// then Error when none is left.
  Evaluation evaluate(model::MaskRcnn& model, const EvaluationRequest& request,
                      const Progress& progress = {}) const;

  /// Detections of some images (indices into Dataset::images()), in that order, per image best
  /// first.
  Detected detect(model::MaskRcnn& model, const std::vector<std::size_t>& imageIndices,
                  const Progress& progress = {}) const;

  std::int64_t imageCount() const;
  const coco::Dataset& dataset() const { return loader_.dataset(); }

 private:
  using BatchWork = std::function<void(const data::Batch& image, ImageFigures& figures)>;

  /// Calls work(image, figures) for the images at the places of this rank, and puts all ranks'
  /// figures together on rank 0. imageOf: index into Dataset::images() of a place.
  std::vector<ImageFigures> shared(std::int64_t count,
                                   const std::function<std::size_t(std::int64_t place)>& imageOf,
                                   const BatchWork& work, const Progress& progress) const;
  void addAveragePrecision(Evaluation& evaluation, const std::vector<ImageId>& ids) const;
  const std::vector<CategoryId>& categories() const { return loader_.classes().categories(); }

  const data::SampleLoader& loader_;
  EvaluatorOptions options_;
};

/// An image file that belongs to no data set.
struct NumberedFile {
  ImageId id;
  std::filesystem::path path;
};

struct FileDetectionOptions {
  const config::AugmentConfig& augment;
  const std::vector<CategoryId>& categories;  ///< of the model: categories[k-1] is that of class k
  at::Device device = at::kCPU;
  int threads = 1;               ///< as EvaluatorOptions::threads
  int loaderThreads = 1;         ///< as EvaluatorOptions::loaderThreads
  dist::World* world = nullptr;  ///< as EvaluatorOptions::world
};

/// Detections of image files, in their order, per image best first; those that cannot be read are
/// named and the others done all the same. Leaves the model in the mode it was in.
Detected detectFiles(model::MaskRcnn& model, const std::vector<NumberedFile>& files,
                     const FileDetectionOptions& options, const Progress& progress = {});

}  // namespace lockstep::eval
