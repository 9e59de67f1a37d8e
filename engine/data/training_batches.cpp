#include "engine/data/training_batches.h"

namespace lockstep::data {

std::unique_ptr<Prefetcher> prefetchTraining(const SampleLoader& loader, const Sampler& sampler,
                                             std::int64_t firstStep, std::int64_t lastStep,
                                             int threads) {
  const std::int64_t parts = sampler.accumulate();
  const auto load = [&loader, &sampler, parts](std::int64_t number) {
    const std::int64_t step = number / parts + 1;
    const int part = static_cast<int>(number % parts);
    Batch batch = loader.loadTraining(sampler.imagesOf(step, part));
    batch.step = step;
    batch.part = part;
    return batch;
  };
  return std::make_unique<Prefetcher>(load, (firstStep - 1) * parts, lastStep * parts, threads);
}

}  // namespace lockstep::data
