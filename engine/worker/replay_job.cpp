#include <ATen/Parallel.h>
#include <torch/types.h>

#include "engine/checkpoint/load_weights.h"
#include "engine/train/device.h"
#include "engine/train/precision.h"
#include "engine/train/step_replay.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

protocol::Finished runReplay(const JobContext& context) {
  const protocol::Job& job = context.job;
  const config::Experiment experiment = experimentOf(job);
  const at::Device device = train::prepareDevice(experiment.runtime, job.gpu);
  at::set_num_threads(experiment.runtime.cpuThreads);
  const config::DatasetPart& part = partOf(experiment, "train");
  const coco::Dataset dataset = coco::Dataset::load(part.annotations);
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  const data::SampleLoader loader(dataset, part.images, experiment.augment, seed,
                                  data::ClassTable(dataset), data::handoverTo(device));
  // What several ranks did side by side is done one after another.
  data::SamplerOptions options = data::samplerOptions(experiment, 0, 1);
  options.accumulate *= experiment.runtime.workers;
  data::Sampler sampler(dataset, options);
  sampler.leaveOut(job.badImages);
  model::MaskRcnn model(experiment.model,
                        static_cast<std::int64_t>(dataset.categories().size()) + 1, seed);
  checkpoint::loadWeights(model.namedState(), checkpoint::readSafetensors(job.weights),
                          checkpoint::WeightsUse::Exactly, job.weights);
  model.to(device);
  model.setComputeType(train::computeType(experiment.runtime, device));
  model.train();
  context.phase.phase = "forward";
  const train::StepReplay replay =
      train::replayStep(model, {loader, sampler, experiment.solver.lossWeights, device}, job.step);
  return {job.step, false, train::toJson(replay, dataset)};
}

}  // namespace lockstep::worker
