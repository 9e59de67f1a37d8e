#include <ATen/Parallel.h>
#include <torch/types.h>

#include "engine/checkpoint/load_weights.h"
#include "engine/train/device.h"
#include "engine/train/precision.h"
#include "engine/train/step_replay.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

protocol::Finished run(const protocol::ReplayJob& job, const JobContext& context) {
  const config::Experiment experiment = experimentOf(job.model.configYaml);
  const at::Device device = train::prepareDevice(experiment.runtime, context.placement.gpu);
  at::set_num_threads(experiment.runtime.cpuThreads);
  const config::DatasetSplit& split = splitOf(experiment, protocol::Split::Train);
  const coco::Dataset dataset = coco::Dataset::load(split.annotations);
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  const data::SampleLoader loader(dataset, split.images, experiment.augment,
                                  data::ClassTable(dataset),
                                  {seed, data::loaderOutputFor(device), experiment.model.masks});
  data::Sampler sampler(dataset, data::samplerOptionsOfAllRanks(experiment));
  sampler.leaveOut(job.badImages);
  model::MaskRcnn model(experiment.model,
                        static_cast<std::int64_t>(dataset.categories().size()) + 1, seed);
  checkpoint::loadWeights(model.namedState(), checkpoint::readSafetensors(job.model.weights),
                          checkpoint::WeightsUse::Exactly, job.model.weights);
  model.to(device);
  model.setClassWeights(experiment.solver.classWeights.values);
  model.setComputeType(train::computeType(experiment.runtime, device));
  model.train();
  context.phase.phase = protocol::Phase::Forward;
  const train::StepReplay replay = train::replayStep(
      model, {loader, sampler, experiment.solver.lossWeights, device}, job.model.step);
  return {.result = train::resultOf(replay, dataset)};
}

}  // namespace lockstep::worker
