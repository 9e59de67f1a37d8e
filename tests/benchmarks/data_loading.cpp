// usage: data_loading ANNOTATIONS IMAGES MIN_SIZE MAX_SIZE BATCH STEPS THREADS [pictures|cached]
// Prints the images per second of the loader alone. pictures: as for a GPU, which makes the images
// itself; cached: with dataset.cache: ram, from the second epoch on.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "engine/data/sample_loader.h"

using namespace lockstep;

namespace {

double imagesPerSecond(char** arguments, std::string_view mode) {
  const coco::Dataset dataset = coco::Dataset::load(arguments[1]);
  const bool isCached = mode == "cached";
  config::AugmentConfig augment;
  augment.minSize = {std::atoi(arguments[3])};
  augment.maxSize = std::atoi(arguments[4]);
  const data::SampleLoader loader(
      dataset, arguments[2], augment, data::ClassTable(dataset),
      {.output = mode == "pictures" ? data::LoaderOutput::Decoded : data::LoaderOutput::Transformed,
       .cache = isCached ? std::make_shared<data::ImageCache>(std::int64_t{8} << 30) : nullptr});
  data::SamplerOptions options;
  options.batchSize = std::atoi(arguments[5]);
  const data::Sampler sampler(dataset, options);
  const int steps = std::atoi(arguments[6]);
  const std::int64_t before =
      isCached ? (sampler.drawsPerEpoch() + options.batchSize - 1) / options.batchSize : 0;
  const auto prefetcher =
      data::prefetchTraining(loader, sampler, 1, before + steps, std::atoi(arguments[7]));
  for (std::int64_t step = 0; step < before; ++step) prefetcher->next();
  const auto start = std::chrono::steady_clock::now();
  std::int64_t images = 0;
  for (int step = 0; step < steps; ++step) images += prefetcher->next().count();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(images) / seconds.count();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mode = count == 9 ? arguments[8] : "";
  if ((count != 8 && count != 9) || (count == 9 && mode != "pictures" && mode != "cached")) {
    std::fprintf(stderr,
                 "usage: data_loading ANNOTATIONS IMAGES MIN_SIZE MAX_SIZE BATCH STEPS THREADS "
                 "[pictures|cached]\n");
    return 2;
  }
  try {
    std::printf("%.2f\n", imagesPerSecond(arguments, mode));
    return 0;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "data_loading: %s\n", fault.what());
    return 1;
  }
}
