#include <torch/types.h>

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/eval/evaluator.h"
#include "engine/train/device.h"
#include "engine/train/loaded_model.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

protocol::Finished runEvaluate(const JobContext& context) {
  const auto [world, job] = joinWorld(context);
  const config::Experiment experiment = experimentOf(job);
  const config::DatasetPart& part = partOf(experiment, job.split);
  const at::Device device = train::prepareDevice(experiment.runtime, job.gpu);
  const coco::Dataset dataset = coco::Dataset::load(part.annotations);
  const std::string newIds = dataset.newIds().text();
  if (world.rank() == 0 && !newIds.empty())
    base::logWarning("evaluate", part.annotations + ": " + newIds);
  const train::LoadedModel loaded = train::loadModel(experiment, job.weights, &dataset, device);
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  const data::SampleLoader loader(dataset, part.images, experiment.augment, seed,
                                  data::ClassTable(loaded.categories), data::handoverTo(device));
  const eval::Evaluator evaluator(
      loader, {.lossWeights = experiment.solver.lossWeights,
               .seed = seed,
               .device = device,
               .threads = experiment.runtime.cpuThreads,
               .loaderThreads = train::loaderThreads(experiment, device, job.machineRanks),
               .maxImages = experiment.evaluation.maxImages,
               .skipsBadImages = experiment.dataset.skipsBadImages(),
               .world = &world});
  context.phase.phase = "evaluating";
  eval::Evaluation evaluation = evaluator.evaluate(
      *loaded.model, {.losses = true, .averagePrecision = true},
      world.rank() == 0 ? progressTo(context.channel, "evaluating") : eval::Progress{});
  if (world.rank() != 0) return {job.step, false, ""};
  for (const data::ImageFault& fault : evaluation.badImages)
    base::logWarning("data", fault.file + ": " + fault.reason + ": it is left out");
  evaluation.step = job.step;
  const std::string json = eval::toJson(evaluation, job.perImage);
  if (!job.out.empty()) base::writeFileAtomically(job.out, json);
  return {job.step, false, eval::toJson(evaluation, /*withPerImage=*/false)};
}

}  // namespace lockstep::worker
