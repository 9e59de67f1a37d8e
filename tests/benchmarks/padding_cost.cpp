// The cost of augment.pad_to: the padded px of training batches for both of its values, over the
// batches that the sampler draws. No image is opened.
// usage: padding_cost ANNOTATIONS BATCH [KEY=VALUE]…     BATCH: images per micro-batch
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/config/load.h"
#include "engine/config/padded_sizes.h"
#include "engine/data/batch.h"
#include "engine/data/sampler.h"
#include "engine/data/transform.h"

using namespace lockstep;

namespace {

constexpr int kEpochs = 50;

/// Over all batches of a training.
struct Padding {
  double px = 0;  ///< padding and images
  std::set<std::pair<std::int64_t, std::int64_t>> sizes;

  void add(std::int64_t height, std::int64_t width, std::size_t images) {
    px += static_cast<double>(height * width) * static_cast<double>(images);
    sizes.emplace(height, width);
  }
};

struct Cost {
  double imagePx = 0;
  std::size_t images = 0;
  Padding batch, canonical;
};

Cost costOf(const config::Experiment& experiment, const coco::Dataset& dataset) {
  const data::Sampler sampler(dataset, data::samplerOptions(experiment, 0, 1));
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  const std::size_t steps =
      kEpochs * sampler.imageCount() / static_cast<std::size_t>(sampler.imagesPerMicroBatch());
  Cost cost;
  for (std::size_t step = 1; step <= steps; ++step) {
    std::vector<base::ImageSize> sizes;
    for (const auto& [index, epoch] : sampler.imagesOf(static_cast<std::int64_t>(step), 0)) {
      const coco::Image& image = dataset.images()[index];
      sizes.push_back(
          data::planTraining(experiment.augment, {image.height, image.width}, image.id, epoch, seed)
              .resized);
      cost.imagePx += static_cast<double>(sizes.back().height * sizes.back().width);
    }
    cost.images += sizes.size();
    const base::ImageSize own = data::paddedSize(sizes);
    const auto [height, width] = config::canonicalSize(experiment.augment, own);
    cost.batch.add(own.height, own.width, sizes.size());
    cost.canonical.add(height, width, sizes.size());
  }
  return cost;
}

void print(const char* name, const Padding& padding, const Cost& cost) {
  std::printf(
      "%-10s %8.0f px an image, %5.1f %% of them padding, %+5.1f %% beside batch, %zu sizes\n",
      name, padding.px / static_cast<double>(cost.images), 100 * (1 - cost.imagePx / padding.px),
      100 * (padding.px / cost.batch.px - 1), padding.sizes.size());
}

int run(int argc, char** argv) {
  const config::LoadedExperiment loaded =
      config::loadExperimentText("", "padding.yaml", {argv + 3, argv + argc});
  loaded.throwOnError();
  config::Experiment experiment = loaded.experiment;
  experiment.solver.batchSize = std::atoi(argv[2]);
  experiment.solver.accumulate = 1;
  const Cost cost = costOf(experiment, coco::Dataset::load(argv[1]));
  std::printf("%zu images in %d epochs of batch %d; %.0f px an image without padding\n",
              cost.images, kEpochs, experiment.solver.batchSize,
              cost.imagePx / static_cast<double>(cost.images));
  print("batch", cost.batch, cost);
  print("canonical", cost.canonical, cost);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || std::atoi(argv[2]) < 1) {
    std::fputs("usage: padding_cost ANNOTATIONS BATCH [KEY=VALUE]…\n", stderr);
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "padding_cost: %s\n", error.what());
    return 1;
  }
}
