#include "engine/eval/evaluator.h"

#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "engine/base/error.h"
#include "engine/eval/detections.h"
#include "engine/eval/image_source.h"
#include "engine/structures/instances.h"

namespace lockstep::eval {
namespace {

/// Switches a model to eval() and back to its previous mode.
class EvaluationMode {
 public:
  explicit EvaluationMode(model::MaskRcnn& model)
      : model_(model), wasTraining_(model.is_training()) {
    model_.eval();
  }
  ~EvaluationMode() { model_.train(wasTraining_); }
  EvaluationMode(const EvaluationMode&) = delete;

 private:
  model::MaskRcnn& model_;
  bool wasTraining_;
};

LossValues lossValues(const model::Losses& losses, const config::LossWeights& weights) {
  LossValues values{};
  double total = 0;
  for (std::size_t i = 0; i < losses.values.size(); ++i) {
    values[i] = losses.values[i].item<float>();
    total += weights.values[i] * values[i];
  }
  values.back() = total;
  return values;
}

std::vector<data::BadImageInfo> badImagesIn(const std::vector<ImageResult>& results) {
  std::vector<data::BadImageInfo> badImages;
  for (const ImageResult& image : results)
    if (image.badImage) badImages.push_back(*image.badImage);
  return badImages;
}

/// The image, or nothing if it cannot be read, which is recorded in the result.
std::optional<data::Batch> takeOrRecord(ImageSource& images, std::int64_t index,
                                        ImageResult& result) {
  try {
    return images.take(index);
  } catch (const data::BadImage& image) {
    result.badImage = image.info();
    return std::nullopt;
  }
}

void throwIfBad(const ImageResult& result) {
  if (result.badImage) throw Error(result.badImage->file + ": " + result.badImage->reason);
}

/// A mean over no images would look like the best one.
void requireAnyImage(const std::vector<ImageResult>& results,
                     const std::vector<data::BadImageInfo>& badImages) {
  if (badImages.empty() || badImages.size() < results.size()) return;
  throw Error("dataset.val: none of the " + std::to_string(results.size()) +
              " images can be read, such as " + badImages[0].file + ": " + badImages[0].reason);
}

std::vector<coco::Detection> allDetections(std::vector<ImageResult>& results) {
  std::vector<coco::Detection> detections;
  for (ImageResult& image : results)
    std::ranges::move(image.detections, std::back_inserter(detections));
  return detections;
}

int threadsOn(at::Device device, int threads) { return device.is_cpu() ? threads : 1; }
int threadsAheadOf(at::Device device, int threads) { return device.is_cpu() ? 0 : threads; }

}  // namespace

Evaluator::Evaluator(const data::SampleLoader& loader, const EvaluatorOptions& options)
    : loader_(loader), options_(options) {}

std::int64_t Evaluator::imageCount() const {
  const auto all = static_cast<std::int64_t>(dataset().images().size());
  return options_.maxImages > 0 ? std::min<std::int64_t>(options_.maxImages, all) : all;
}

std::vector<ImageResult> Evaluator::shared(std::int64_t count,
                                           const std::function<std::size_t(std::int64_t)>& imageOf,
                                           const BatchWork& work, const Progress& progress) const {
  const ImageSharding sharding{options_.world, threadsOn(options_.device, options_.threads)};
  const auto load = [&](std::int64_t i) { return loader_.loadEvaluation(imageOf(i)); };
  const auto makeWork = [&]() -> ImageWork {
    const auto images =
        std::make_shared<ImageSource>(load, count, sharding, options_.device,
                                      threadsAheadOf(options_.device, options_.loaderThreads));
    return [&, images](std::int64_t i, ImageResult& result) {
      if (!options_.skipsBadImages) return work(images->take(i), result);
      if (const auto batch = takeOrRecord(*images, i, result)) work(*batch, result);
    };
  };
  return evaluateImages(count, sharding, makeWork, progress);
}

Evaluation Evaluator::evaluate(model::MaskRcnn& model, const EvaluationRequest& request,
                               const Progress& progress) const {
  const EvaluationMode mode(model);
  const auto evaluateImage = [&](const data::Batch& batch, ImageResult& image) {
    const std::vector<std::uint64_t> keys{data::evaluationSamplingKey(options_.seed, batch.ids[0])};
    const auto keep = [&](const std::vector<structures::PredInstances>& predictions) {
      image.detections = toDetections(predictions[0], batch.sizes[0], batch.originalSizes[0],
                                      batch.ids[0], categories());
    };
    if (!request.losses) return keep(model.detect(batch.images, batch.sizes));
    model::RoiLosses perRoi;
    if (request.averagePrecision) {
      const model::LossesAndDetections both =
          model.lossesAndDetections(batch.images, batch.sizes, batch.gts, keys, &perRoi);
      image.losses = lossValues(both.losses, options_.lossWeights);
      keep(both.detections);
    } else {
      image.losses = lossValues(model.losses(batch.images, batch.sizes, batch.gts, keys, &perRoi),
                                options_.lossWeights);
    }
    image.lossGroups = groupLosses(perRoi);
  };
  const auto inOrder = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  std::vector<ImageResult> results = shared(imageCount(), inOrder, evaluateImage, progress);

  Evaluation evaluation;
  if (options_.world != nullptr && options_.world->rank() != 0) return evaluation;
  evaluation.badImages = badImagesIn(results);
  requireAnyImage(results, evaluation.badImages);
  std::vector<ImageId> ids;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].badImage) continue;
    ids.push_back(dataset().images()[i].id);
    if (request.losses) evaluation.perImage.push_back({ids.back(), results[i].losses});
  }
  evaluation.imageCount = static_cast<std::int64_t>(ids.size());
  if (request.losses) {
    evaluation.losses = meanLosses(evaluation.perImage);
    evaluation.objectLosses = objectLosses(results);
  }
  if (request.averagePrecision) {
    evaluation.detections = allDetections(results);
    addAveragePrecision(evaluation, ids, model.hasMaskHead());
  }
  return evaluation;
}

void Evaluator::addAveragePrecision(Evaluation& evaluation, const std::vector<ImageId>& ids,
                                    bool ofMasks) const {
  const auto counts = [&](const coco::Detection& d) { return dataset().hasCategory(d.categoryId); };
  std::vector<coco::Detection> some;
  const bool all = std::ranges::all_of(evaluation.detections, counts);
  if (!all) std::ranges::copy_if(evaluation.detections, std::back_inserter(some), counts);
  const std::vector<coco::Detection>& counted = all ? evaluation.detections : some;
  evaluation.bbox = coco::evaluate(dataset(), counted, coco::IouType::Box, ids, options_.params);
  if (!ofMasks) return;
  evaluation.segm = coco::evaluate(dataset(), counted, coco::IouType::Mask, ids, options_.params);
}

ObjectLosses Evaluator::objectLosses(const std::vector<ImageResult>& results) const {
  ObjectLosses losses;
  std::map<std::int32_t, LossSums> byClass;
  for (const ImageResult& image : results) {
    for (const LossGroup& group : image.lossGroups) {
      byClass[group.classIndex].add(group.losses);
      losses.bySize[static_cast<std::size_t>(group.size)].add(group.losses);
      losses.bySize[static_cast<std::size_t>(coco::ObjectSize::All)].add(group.losses);
    }
  }
  for (const auto& [classIndex, sums] : byClass) {
    const CategoryId id = categories()[static_cast<std::size_t>(classIndex) - 1];
    losses.byClass.push_back(
        {id, dataset().categories()[static_cast<std::size_t>(dataset().classOf(id).value) - 1].name,
         sums});
  }
  return losses;
}

Detected Evaluator::detect(model::MaskRcnn& model, const std::vector<std::size_t>& imageIndices,
                           const Progress& progress) const {
  const EvaluationMode mode(model);
  std::vector<ImageResult> results = shared(
      static_cast<std::int64_t>(imageIndices.size()),
      [&](std::int64_t i) { return imageIndices[i]; },
      [&](const data::Batch& batch, ImageResult& image) {
        image.detections = toDetections(model.detect(batch.images, batch.sizes)[0], batch.sizes[0],
                                        batch.originalSizes[0], batch.ids[0], categories());
      },
      progress);
  std::vector<data::BadImageInfo> badImages = badImagesIn(results);
  return {allDetections(results), std::move(badImages)};
}

namespace {

/// Of the one image, which is not done yet.
void tellStage(const Progress& progress) {
  if (progress) progress(0, 1);
}

}  // namespace

explanation::Explanation Evaluator::explain(model::MaskRcnn& model, std::size_t imageIndex,
                                            const config::ModelConfig& settings,
                                            const Progress& progress) const {
  const EvaluationMode mode(model);
  explanation::Explanation explanation;
  const auto results = shared(
      1, [&](std::int64_t) { return imageIndex; },
      [&](const data::Batch& batch, ImageResult&) {
        explanation =
            explainImage(model, batch, settings, categories(), [&] { tellStage(progress); });
      },
      progress);
  throwIfBad(results.at(0));
  return explanation;
}

namespace {

/// Results of `work` on image files.
std::vector<ImageResult> filesShared(const std::vector<NumberedFile>& files,
                                     const FileDetectionOptions& options, const BatchWork& work,
                                     const Progress& progress) {
  const ImageSharding sharding{options.world, threadsOn(options.device, options.threads)};
  const auto count = static_cast<std::int64_t>(files.size());
  const data::LoaderOutput output = data::loaderOutputFor(options.device);
  const auto load = [&](std::int64_t i) {
    const NumberedFile& file = files[static_cast<std::size_t>(i)];
    try {
      return data::loadForPrediction(file.path, file.id, options.augment, output);
    } catch (const data::UnreadableImage& error) {
      // Includes the remedy, because no other message does.
      const std::string path = file.path.string();
      throw data::BadImage(error.what(),
                           {file.id, path, data::withoutFileName(error.what(), path)});
    }
  };
  const auto makeWork = [&]() -> ImageWork {
    const auto images =
        std::make_shared<ImageSource>(load, count, sharding, options.device,
                                      threadsAheadOf(options.device, options.loaderThreads));
    return [&, images](std::int64_t i, ImageResult& image) {
      if (const auto batch = takeOrRecord(*images, i, image)) work(*batch, image);
    };
  };
  return evaluateImages(count, sharding, makeWork, progress);
}

}  // namespace

Detected detectFiles(model::MaskRcnn& model, const std::vector<NumberedFile>& files,
                     const FileDetectionOptions& options, const Progress& progress) {
  const EvaluationMode mode(model);
  std::vector<ImageResult> results = filesShared(
      files, options,
      [&](const data::Batch& batch, ImageResult& image) {
        image.detections = toDetections(model.detect(batch.images, batch.sizes)[0], batch.sizes[0],
                                        batch.originalSizes[0], batch.ids[0], options.categories);
      },
      progress);
  std::vector<data::BadImageInfo> badImages = badImagesIn(results);
  return {allDetections(results), std::move(badImages)};
}

DetectedFile detectFile(model::MaskRcnn& model, const NumberedFile& file,
                        const FileDetectionOptions& options) {
  DetectedFile detected;
  const std::vector<ImageResult> results =
      filesShared({file}, options,
                  [&](const data::Batch& batch, ImageResult&) {
                    detected.size = batch.originalSizes[0];
                    detected.detections =
                        toDetections(model.detect(batch.images, batch.sizes)[0], batch.sizes[0],
                                     batch.originalSizes[0], batch.ids[0], options.categories);
                  },
                  {});
  if (const auto& bad = results.at(0).badImage)
    throw data::BadImage(bad->file + ": " + bad->reason, *bad);
  return detected;
}

explanation::Explanation explainFile(model::MaskRcnn& model, const NumberedFile& file,
                                     const config::ModelConfig& settings,
                                     const FileDetectionOptions& options,
                                     const Progress& progress) {
  const EvaluationMode mode(model);
  explanation::Explanation explanation;
  const auto results = filesShared(
      {file}, options,
      [&](const data::Batch& batch, ImageResult&) {
        explanation =
            explainImage(model, batch, settings, options.categories, [&] { tellStage(progress); });
      },
      progress);
  throwIfBad(results.at(0));
  return explanation;
}

}  // namespace lockstep::eval
