// usage: data_loading ANNOTATIONS IMAGES MIN_SIZE MAX_SIZE BATCH STEPS THREADS [pictures]: images
// per second of the loader alone; pictures: as for a GPU, which makes the images itself
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "engine/data/sample_loader.h"

using namespace lockstep;

namespace {

double imagesPerSecond(char** arguments, bool isForGpu) {
  const coco::Dataset dataset = coco::Dataset::load(arguments[1]);
  config::AugmentConfig augment;
  augment.minSize = {std::atoi(arguments[3])};
  augment.maxSize = std::atoi(arguments[4]);
  const data::SampleLoader loader(
      dataset, arguments[2], augment, 1, data::ClassTable(dataset),
      isForGpu ? data::LoaderOutput::Decoded : data::LoaderOutput::Transformed);
  data::SamplerOptions options;
  options.batchSize = std::atoi(arguments[5]);
  const data::Sampler sampler(dataset, options);
  const int steps = std::atoi(arguments[6]);
  const auto start = std::chrono::steady_clock::now();
  const auto prefetcher =
      data::prefetchTraining(loader, sampler, 1, steps, std::atoi(arguments[7]));
  std::int64_t images = 0;
  for (int step = 0; step < steps; ++step) images += prefetcher->next().count();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(images) / seconds.count();
}

}  // namespace

int main(int count, char** arguments) {
  const bool isForGpu = count == 9 && std::string_view(arguments[8]) == "pictures";
  if (count != 8 && !isForGpu) {
    std::fprintf(stderr,
                 "usage: data_loading ANNOTATIONS IMAGES MIN_SIZE MAX_SIZE BATCH STEPS THREADS "
                 "[pictures]\n");
    return 2;
  }
  try {
    std::printf("%.2f\n", imagesPerSecond(arguments, isForGpu));
    return 0;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "data_loading: %s\n", fault.what());
    return 1;
  }
}
