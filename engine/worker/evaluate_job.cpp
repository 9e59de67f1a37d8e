#include <torch/types.h>

#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/config/losses.h"
#include "engine/eval/evaluator.h"
#include "engine/train/device.h"
#include "engine/train/loaded_model.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

namespace {

protocol::EvaluateResult resultOf(const eval::Evaluation& evaluation) {
  protocol::EvaluateResult result{
      .step = evaluation.step,
      .images = evaluation.imageCount,
      .badImages = static_cast<std::int64_t>(evaluation.badImages.size())};
  for (const data::BadImageInfo& image : evaluation.badImages)
    result.badImageIds.push_back(image.id.value);
  if (evaluation.losses)
    result.losses = protocol::figuresOf(config::kLossNames, *evaluation.losses);
  if (evaluation.bbox) {
    result.bbox = protocol::figuresOf(evaluation.bbox->names, evaluation.bbox->stats);
    result.pastLimit = evaluation.bbox->pastLimit.text();
  }
  if (evaluation.segm)
    result.segm = protocol::figuresOf(evaluation.segm->names, evaluation.segm->stats);
  return result;
}

void warnOfIds(const coco::Dataset& dataset, const std::string& file, bool isPycocotoolsExact) {
  const std::string idZero = isPycocotoolsExact ? std::string() : coco::idZeroText(dataset);
  for (const std::string& text : {dataset.newIds().text(), idZero})
    if (!text.empty()) base::logWarning("evaluate", file + ": " + text);
}

}  // namespace

protocol::Finished run(const protocol::EvaluateJob& own, const JobContext& context) {
  dist::World& world = joinWorld(context);
  const protocol::EvaluateJob job = sharedJob(world, own);
  const config::Experiment experiment = experimentOf(job.model.configYaml);
  const config::DatasetSplit& split = splitOf(experiment, job.split);
  const at::Device device = train::prepareDevice(experiment.runtime, context.placement.gpu);
  const coco::Dataset dataset = coco::Dataset::load(split.annotations);
  if (world.rank() == 0) warnOfIds(dataset, split.annotations, job.pycocotoolsExact);
  const train::LoadedModel loaded =
      train::loadModel(experiment, job.model.weights, &dataset, device);
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  coco::Params params = config::apParams(experiment.evaluation);
  params.pycocotoolsExact = job.pycocotoolsExact;
  const data::SampleLoader loader(dataset, split.images, experiment.augment,
                                  data::ClassTable(loaded.categories),
                                  {seed, data::loaderOutputFor(device), experiment.model.masks});
  const eval::Evaluator evaluator(loader, {.lossWeights = experiment.solver.lossWeights,
                                           .seed = seed,
                                           .device = device,
                                           .threads = experiment.runtime.cpuThreads,
                                           .loaderThreads = train::loaderThreads(
                                               experiment, device, context.placement.machineRanks),
                                           .maxImages = experiment.evaluation.maxImages,
                                           .params = params,
                                           .skipsBadImages = experiment.dataset.skipsBadImages(),
                                           .world = &world});
  context.phase.phase = protocol::Phase::Evaluating;
  eval::Evaluation evaluation = evaluator.evaluate(
      *loaded.model, {.losses = true, .averagePrecision = true},
      world.rank() == 0 ? progressTo(context.channel, "evaluating") : eval::Progress{});
  if (world.rank() != 0) return {};
  for (const data::BadImageInfo& image : evaluation.badImages)
    base::logWarning("data", image.file + ": " + image.reason + "; skipped");
  evaluation.step = job.model.step;
  if (!job.out.empty()) base::writeFileAtomically(job.out, eval::toJson(evaluation, job.perImage));
  if (!job.detections.empty())
    base::writeFileAtomically(job.detections, coco::detectionsToJson(evaluation.detections));
  protocol::EvaluateResult result = resultOf(evaluation);
  const std::string text = coco::detectionLimitText(
      dataset, static_cast<std::size_t>(experiment.model.boxHead.detectionsPerImage),
      static_cast<std::size_t>(experiment.evaluation.maxImages));
  if (!text.empty())
    result.pastLimit +=
        (result.pastLimit.empty() ? "" : "\n") + ("model.box_head.detections_per_image: " + text);
  return {.result = std::move(result)};
}

}  // namespace lockstep::worker
