#pragma once

#include <cstdint>
#include <memory>

#include "engine/data/prefetcher.h"
#include "engine/data/sample_loader.h"
#include "engine/data/sampler.h"

namespace lockstep::data {

/// Batches of training from (firstStep, part 0) to (lastStep, last part), with `step` and `part`
/// filled. Keeps references.
std::unique_ptr<Prefetcher> prefetchTraining(const SampleLoader& loader, const Sampler& sampler,
                                             std::int64_t firstStep, std::int64_t lastStep,
                                             int threads);

}  // namespace lockstep::data
