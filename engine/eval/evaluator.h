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
#include "engine/eval/explain.h"
#include "engine/eval/image_result.h"
#include "engine/eval/parallel_images.h"
#include "engine/eval/sharded_images.h"
#include "engine/model/mask_rcnn.h"

namespace lockstep::eval {

struct EvaluatorOptions {
  config::LossWeights lossWeights;
  std::uint64_t seed = 1;
  at::Device device = at::kCPU;
  int threads = 1;               ///< images in parallel on a CPU; a GPU processes one at a time
  int loaderThreads = 1;         ///< loader threads for a GPU
  int maxImages = 0;             ///< only the first images of the dataset; 0: all
  coco::Params params{};         ///< of AP
  bool skipsBadImages = false;   ///< skip and list images that cannot be read
  dist::World* world = nullptr;  ///< images are sharded over its ranks; null: this process only
};

/// Sets the result of an image, a batch of one.
using BatchWork = std::function<void(const data::Batch& image, ImageResult& result)>;

struct Detected {
  std::vector<coco::Detection> detections;
  std::vector<data::BadImageInfo> badImages;  ///< those that were skipped
};

/// Held-out metrics over one split of a dataset. Every image is a batch of one, with its own
/// padding and norms in eval mode, so that its results depend only on the weights, the seed and its
/// id. The split may have fewer categories than the model: detections of the others are ignored in
/// AP, as in pycocotools.
///
/// With a world, every rank must call the same functions with the same arguments on the same
/// weights; rank 0 gets the complete result, bit for bit the same for any number of ranks, and the
/// others an empty one. An error on any rank is thrown on all ranks.
class Evaluator {
 public:
  /// Keeps a reference to the loader, whose classes must be those of the models.
  Evaluator(const data::SampleLoader& loader, const EvaluatorOptions& options);

  /// Losses and detections share one backbone pass. Restores the model's train/eval mode. Throws
  /// BadImage naming the file for an image that cannot be read, unless those are skipped: then
  /// Error if no image is left.
  Evaluation evaluate(model::MaskRcnn& model, const EvaluationRequest& request,
                      const Progress& progress = {}) const;

  /// Detections of some images (indices into Dataset::images()), in that order, per image by
  /// falling score.
  Detected detect(model::MaskRcnn& model, const std::vector<std::size_t>& imageIndices,
                  const Progress& progress = {}) const;

  /// How the detections of one image came about, which equal those of detect(). `settings`: of the
  /// model. `progress` is also called between its stages, and may throw to end it there. Throws
  /// Error naming the file for an image that cannot be read.
  explanation::Explanation explain(model::MaskRcnn& model, std::size_t imageIndex,
                                   const config::ModelConfig& settings,
                                   const Progress& progress = {}) const;

  std::int64_t imageCount() const;
  const coco::Dataset& dataset() const { return loader_.dataset(); }

 private:
  /// Calls work(image, result) for the images of this rank's shard and gathers all results on rank
  /// 0. imageOf: index into Dataset::images() of the i-th image.
  std::vector<ImageResult> shared(std::int64_t count,
                                  const std::function<std::size_t(std::int64_t i)>& imageOf,
                                  const BatchWork& work, const Progress& progress) const;
  /// Added up in data-set order.
  ObjectLosses objectLosses(const std::vector<ImageResult>& results) const;
  void addAveragePrecision(Evaluation& evaluation, const std::vector<ImageId>& ids,
                           bool ofMasks) const;
  const std::vector<CategoryId>& categories() const { return loader_.classes().categories(); }

  const data::SampleLoader& loader_;
  EvaluatorOptions options_;
};

/// An image file that is not part of a dataset.
struct NumberedFile {
  ImageId id;
  std::filesystem::path path;
};

struct FileDetectionOptions {
  const config::AugmentConfig& augment;
  const std::vector<CategoryId>& categories;  ///< of the model: categories[k-1] is of class k
  at::Device device = at::kCPU;
  int threads = 1;               ///< as EvaluatorOptions::threads
  int loaderThreads = 1;         ///< as EvaluatorOptions::loaderThreads
  dist::World* world = nullptr;  ///< as EvaluatorOptions::world
};

/// Detections of image files, in their order, per image by falling score; files that cannot be read
/// are skipped and listed. Restores the model's train/eval mode.
Detected detectFiles(model::MaskRcnn& model, const std::vector<NumberedFile>& files,
                     const FileDetectionOptions& options, const Progress& progress = {});

struct DetectedFile {
  std::vector<coco::Detection> detections;  ///< by falling score
  base::ImageSize size;                     ///< as displayed
};
/// The same of one file; any number of threads at once, as the model is in evaluation mode already.
/// Throws data::BadImage if it cannot be read.
DetectedFile detectFile(model::MaskRcnn& model, const NumberedFile& file,
                        const FileDetectionOptions& options);

/// As Evaluator::explain() of an image file, which has no objects.
explanation::Explanation explainFile(model::MaskRcnn& model, const NumberedFile& file,
                                     const config::ModelConfig& settings,
                                     const FileDetectionOptions& options,
                                     const Progress& progress = {});

}  // namespace lockstep::eval
