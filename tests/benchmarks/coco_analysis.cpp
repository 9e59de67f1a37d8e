// Times coco/analysis on a results file: the IoUs once, then each metric repeatedly, as when a user
// moves a threshold. Prints medians in ms.
// With --in-memory only the seconds of the evaluation of results that were read, masks too.
// usage: coco_analysis GT.json RESULTS.json bbox|segm|boundary [THREADS|--in-memory]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>

#include "engine/coco/analysis/bootstrap.h"
#include "engine/coco/analysis/error_types.h"
#include "engine/coco/analysis/operating_point.h"
#include "engine/coco/analysis/precision_recall.h"

using namespace lockstep::coco;

namespace {

double millisecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void report(const char* what, int times, const std::function<void(int)>& work) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(millisecondsOf([&] { work(i); }));
  std::sort(all.begin(), all.end());
  std::printf("%-36s %9.1f ms  (%.1f to %.1f)\n", what, all[all.size() / 2], all.front(),
              all.back());
}

void reportSize(const OverlapSet& set) {
  std::size_t detections = 0, pairs = 0, bytes = 0;
  for (const ImageOverlaps& image : set.images()) {
    detections += image.detections.size();
    pairs += image.pairs.size();
    bytes += image.detections.capacity() * sizeof(OverlapDetection) +
             image.annotations.capacity() * sizeof(OverlapAnnotation) +
             image.pairs.capacity() * sizeof(Overlap);
  }
  std::printf("%zu images, %zu detections, %zu pairs, overlaps of %.1f MB\n", set.images().size(),
              detections, pairs, static_cast<double>(bytes) / 1e6);
}

/// To compare with tidecv's output.
void printErrors(const OverlapSet& set, int threads) {
  const ErrorCosts costs = errorCosts(set, .5, .1, threads);
  std::printf("AP50 %.6f", costs.ap);
  const auto print = [](const char* name, const ErrorCost& cost) {
    std::printf("; %s %llu cost %.6f", name, static_cast<unsigned long long>(cost.count),
                cost.apCost);
  };
  for (std::size_t e = 0; e < kErrorTypeCount; ++e) print(kErrorTypeNames[e], costs.types[e]);
  print("false positives", costs.falsePositives);
  print("false negatives", costs.falseNegatives);
  std::printf("\n");
}

void reportFigures(const OverlapSet& set, int threads) {
  report("move score threshold (0 to 0.9)", 19,
         [&](int i) { operatingPoint(set, .05 * i, .5, threads); });
  report("move score threshold, all shown", 9, [&](int) { operatingPoint(set, 0, .5, threads); });
  report("move IoU threshold (0.05 to 0.95)", 19,
         [&](int i) { operatingPoint(set, 0, .05 * (i + 1), threads); });
  report("precision/recall curves", 5, [&](int i) { precisionRecall(set, .5 + .05 * i, threads); });
  report("TIDE's error types", 5, [&](int) { errorCosts(set, .5, .1, threads); });
}

/// Matches and metrics of detections with their masks, as other evaluators have them in memory.
void printSecondsInMemory(const Dataset& groundTruth, const char* file, IouType type) {
  const std::vector<Detection> detections = loadDetections(file);
  const double milliseconds = millisecondsOf([&] { evaluate(groundTruth, detections, type); });
  std::printf("%.4f s\n", milliseconds / 1000);
}

IouType typeOf(const char* name) {
  if (std::strcmp(name, "boundary") == 0) return IouType::Boundary;
  return std::strcmp(name, "bbox") == 0 ? IouType::Box : IouType::Mask;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(
        stderr,
        "usage: coco_analysis GT.json RESULTS.json bbox|segm|boundary [THREADS|--in-memory]\n");
    return 2;
  }
  const IouType type = typeOf(argv[3]);
  if (argc > 4 && std::strcmp(argv[4], "--in-memory") == 0) {
    printSecondsInMemory(Dataset::load(argv[1]), argv[2], type);
    return 0;
  }
  const int threads = argc > 4 ? std::atoi(argv[4]) : 0;
  const Dataset groundTruth = Dataset::load(argv[1]);
  const ResultsFile detections = ResultsFile::load(argv[2], groundTruth);
  std::optional<OverlapSet> set;
  report("overlaps of all images", 3,
         [&](int) { set.emplace(groundTruth, detections, type, Params(), threads); });
  reportSize(*set);
  printErrors(*set, threads);
  reportFigures(*set, threads);
  std::vector<ImageMatches> matches;
  report("matches of all images, for AP", 3,
         [&](int) { matches = matchResults(groundTruth, detections, type, {}, threads); });
  report("rank for the bootstrap", 1,
         [&](int) { WeightedAp(matches, groundTruth.categories(), {}, threads); });
  const WeightedAp results(matches, groundTruth.categories(), {}, threads);
  report("bootstrap, 1000 resamples", 3, [&](int) { bootstrap(results, {1000, 0, threads}); });
  report("paired comparison, 1000 resamples", 1, [&](int) {
    compareAp(results, results, {1000, 0, threads});
  });
  return 0;
}
