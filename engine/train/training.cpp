#include "engine/train/training.h"

#include <ATen/Parallel.h>

#include <utility>

#include "engine/base/enum_text.h"
#include "engine/train/device.h"

namespace lockstep::train {
namespace {

run_folder::TrainingState startState(const config::Experiment& experiment, at::Device device,
                                     const TrainingData& data, const dist::World& world) {
  const config::RuntimeConfig& runtime = experiment.runtime;
  return {.step = 0,
          .best = std::nullopt,
          .earlyStop = std::nullopt,
          .seed = runtime.seed,
          .batchSize = experiment.solver.batchSize,
          .accumulate = experiment.solver.accumulate,
          .workers = world.size(),
          .cpuThreads = runtime.cpuThreads,
          .device = base::textOf(device.is_cpu() ? config::Device::Cpu : config::Device::Cuda),
          .optimizer = base::textOf(experiment.solver.optimizer),
          .version = LOCKSTEP_VERSION,
          .data = run_folder::dataFingerprints(data.trainSet,
                                               data.heldOutSet ? &*data.heldOutSet : nullptr)};
}

/// Shared by both splits; null: off.
std::shared_ptr<data::ImageCache> imageCache(const config::DatasetConfig& dataset) {
  return dataset.cache == config::ImageCache::Ram
             ? std::make_shared<data::ImageCache>(dataset.cacheLimitBytes)
             : nullptr;
}

}  // namespace

TrainingData::TrainingData(const config::Experiment& experiment, at::Device device,
                           const dist::World& world)
    : trainSet(coco::Dataset::load(experiment.dataset.train.annotations)) {
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  const data::LoaderOptions options{seed, data::loaderOutputFor(device), experiment.model.masks,
                                    imageCache(experiment.dataset)};
  trainLoader =
      std::make_unique<data::SampleLoader>(trainSet, experiment.dataset.train.images,
                                           experiment.augment, data::ClassTable(trainSet), options);
  sampler = std::make_unique<data::Sampler>(
      trainSet, data::samplerOptions(experiment, world.rank(), world.size()));
  if (!experiment.dataset.hasHeldOut()) return;
  const config::DatasetSplit& val = experiment.dataset.val;
  heldOutSet = coco::Dataset::load(val.annotations);
  heldOutLoader = std::make_unique<data::SampleLoader>(*heldOutSet, val.images, experiment.augment,
                                                       trainLoader->classes(), options);
}

Training::Training(const config::Experiment& resolved, const run_folder::Layout& runFolder,
                   const TrainerContext& given)
    : experiment(resolved),
      layout(runFolder),
      context(given),
      device(prepareDevice(experiment.runtime, context.gpu)),
      loaderThreads(train::loaderThreads(experiment, device, context.machineRanks)),
      data(experiment, device, context.world),
      state(startState(experiment, device, data, context.world)) {
  at::set_num_threads(experiment.runtime.cpuThreads);
  if (context.isRangeTest) rangeTest.emplace();
}

void Training::sendState(protocol::RunState runState) const {
  send(protocol::State{.step = state.step, .state = runState});
}

void Training::log(base::LogLevel level, std::string text) const {
  send(protocol::Log{.step = state.step, .level = level, .text = std::move(text)});
}

eval::Progress Training::countImages() const {
  return [&images = context.phase.images](std::int64_t, std::int64_t) { ++images; };
}

}  // namespace lockstep::train
