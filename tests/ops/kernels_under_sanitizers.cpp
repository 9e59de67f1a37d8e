// Runs CUDA kernels on the CPU, one thread per CUDA thread, built once with ThreadSanitizer, which
// finds missing barriers, and once with AddressSanitizer. Results are checked in
// tst_kernels_on_cpu.cpp.
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "engine/base/counter_hash.h"
#include "engine/structures/image_row.h"
#include "engine/structures/mask_window.h"
#include "tests/ops/map_kernel_launches.h"
// After the emulated CUDA keywords.
#include "engine/ops/cuda/epilogue.cuh"
#include "engine/ops/cuda/mask_targets.cuh"
#include "engine/ops/cuda/matching.cuh"
#include "engine/ops/cuda/nms.cuh"
#include "engine/ops/cuda/paste_masks.cuh"
#include "engine/ops/cuda/resize_images.cuh"
#include "engine/ops/cuda/roi_align.cuh"
#include "engine/ops/cuda/sampling.cuh"
#include "engine/ops/cuda/segment_best.cuh"

using namespace lockstep;

namespace {

constexpr unsigned kThreads = 8;
constexpr unsigned kImages = 2;

float uniform(std::uint64_t number) {
  return static_cast<float>(base::counterUniform({1, number}));
}

/// [count,4] xyxy with sides up to 50.
std::vector<float> boxes(std::size_t count, float limit) {
  std::vector<float> all;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = uniform(4 * i) * limit, y = uniform(4 * i + 1) * limit;
    all.insert(all.end(), {x, y, x + uniform(4 * i + 2) * 50, y + uniform(4 * i + 3) * 50});
  }
  return all;
}

std::vector<float4> corners4(std::size_t count, float limit) {
  std::vector<float4> all;
  const std::vector<float> numbers = boxes(count, limit);
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]});
  return all;
}

void sample(int candidates, int slots, int partSize, bool hasTies) {
  const auto size = static_cast<std::size_t>(candidates);
  std::vector<std::int64_t> labels, numbers;
  for (std::size_t i = 0; i < kImages * size; ++i) {
    labels.push_back(static_cast<std::int64_t>(uniform(i) * 4) - 1);
    numbers.push_back(hasTies ? 1 : static_cast<std::int64_t>(i));
  }
  const std::vector<std::int64_t> words{1, 2, 3, 4};
  const int parts = (candidates + partSize - 1) / partSize;
  const auto filled = static_cast<std::size_t>(slots) * kImages;
  std::vector<std::uint64_t> keys(filled * 2 * static_cast<std::size_t>(parts));
  std::vector<std::uint32_t> found(keys.size());
  std::vector<std::int64_t> indices(filled);
  const auto valid = std::make_unique<bool[]>(filled), positive = std::make_unique<bool[]>(filled);
  const ops::SampleJob job{labels.data(),  numbers.data(), words.data(),
                           candidates,     slots / 2,      slots,
                           partSize,       parts,          {keys.data(), found.data()},
                           indices.data(), valid.get(),    positive.get()};
  tests::launchOnCpu({static_cast<unsigned>(parts), 2, kImages}, kThreads,
                     [&] { ops::samplePartsKernel(job); });
  tests::launchOnCpu({kImages, 1, 1}, kThreads, [&] { ops::sampleKernel(job); });
}

void chooseBest(std::int64_t most) {
  const std::vector<std::int64_t> sizes{5000, 1200, 0, 300, 1};
  const int size = 6501;
  std::vector<float> scores;
  for (std::size_t i = 0; i < kImages * std::size_t{6501}; ++i) scores.push_back(uniform(i));
  const ops::SegmentPlan plan = ops::planSegments(sizes, most, 3000);
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(kImages * plan.parts * most));
  std::vector<std::uint32_t> found(keys.size());
  std::vector<std::int64_t> indices(static_cast<std::size_t>(kImages * plan.bestCount)),
      segments(indices.size());
  const ops::SegmentJob<float> job{plan,         scores.data(),  size,           keys.data(),
                                   found.data(), indices.data(), segments.data()};
  tests::launchOnCpu({static_cast<unsigned>(plan.parts), kImages, 1}, kThreads,
                     [&] { ops::bestOfPartsKernel(job); });
  tests::launchOnCpu({static_cast<unsigned>(plan.segmentCount), kImages, 1}, kThreads,
                     [&] { ops::bestOfSegmentsKernel(job); });
}

void suppress(int size, int slots) {
  constexpr int kGroups = 3;
  const auto all = static_cast<std::size_t>(size) * kImages;
  std::vector<std::int64_t> groups, order;
  for (std::size_t i = 0; i < all; ++i) {
    groups.push_back(i % 7 == 0 ? 0 : 2);
    order.push_back(static_cast<std::int64_t>(i) % size);
  }
  const std::vector<std::int64_t> counts{size, size / 2};
  const std::vector<float4> corners = corners4(all, 100);
  const ops::NmsBoxes from{corners.data(), groups.data(), order.data(), counts.data(),
                           size,           kGroups,       size};
  std::vector<int> members(all), firsts(std::size_t{kImages} * kGroups),
      memberCounts(firsts.size());
  std::vector<ops::NmsWord> mask(all * static_cast<std::size_t>(from.words()));
  const auto isKept = std::make_unique<bool[]>(all);
  const ops::NmsWork work{members.data(), firsts.data(), memberCounts.data(), mask.data(),
                          isKept.get()};
  const auto filled = static_cast<std::size_t>(slots) * kImages;
  std::vector<std::int64_t> indices(filled);
  const auto valid = std::make_unique<bool[]>(filled);
  const auto withFewThreads = [](ops::Launch launch) {
    launch.threads = kThreads;
    return launch;
  };
  ops::Launch overlap = withFewThreads(ops::overlapLaunch(from, kImages));
  overlap.y = 2;
  tests::launchOnCpu(withFewThreads(ops::groupLaunch(from, kImages)),
                     [&] { ops::groupKernel(from, work); });
  tests::launchOnCpu(overlap, [&] { ops::overlapKernel(from, work, 0.5f); });
  tests::launchOnCpu(withFewThreads(ops::keepLaunch(from, kImages)),
                     [&] { ops::keepKernel(from, work, slots); });
  tests::launchOnCpu(withFewThreads(ops::gatherLaunch(kImages)), [&] {
    ops::gatherKernel(from, work, {slots, indices.data(), valid.get()});
  });
}

void paste() {
  constexpr unsigned kDetections = 6;
  constexpr int kSide = 14, kHeight = 60, kWidth = 70;
  std::vector<float> probs;
  for (std::size_t i = 0; i < kDetections * kSide * kSide; ++i) probs.push_back(uniform(i));
  const std::vector<float> where = boxes(kDetections, 60);
  const ops::PasteJob job{probs.data(), where.data(), kSide, ops::pasteGrowth(kSide),
                          kHeight,      kWidth};
  const tests::CudaIndex grid{(kWidth + kThreads - 1) / kThreads, kDetections, 1};
  std::vector<int> counts(std::size_t{kDetections} * kWidth);
  tests::launchOnCpu(grid, kThreads, [&] { ops::countChangesKernel(job, counts.data()); });
  std::vector<std::int64_t> ends(counts.size());
  std::partial_sum(counts.begin(), counts.end(), ends.begin());
  std::vector<int> changes(static_cast<std::size_t>(ends.back()));
  tests::launchOnCpu(grid, kThreads, [&] {
    ops::writeChangesKernel(job, counts.data(), ends.data(), changes.data());
  });
}

void pool() {
  const ops::PoolSize size(kImages, 8, 7, 10);
  const auto values = [](std::int64_t count) {
    std::vector<float> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(uniform(static_cast<std::uint64_t>(i)));
    return all;
  };
  const std::vector<float> x = values(kImages * 7 * 10 * 8), gradOut = values(kImages * 4 * 5 * 8);
  std::vector<float> out(gradOut.size()), grad(x.size());
  tests::launchMaxPool<float, 4>(size, x.data(), gradOut.data(), out.data(), grad.data());
}

void normalise(int channels, int groups, bool hasResidual) {
  constexpr int kPixels = 45;
  std::vector<float> map;
  const auto size = static_cast<std::size_t>(channels) * kPixels * kImages;
  for (std::size_t i = 0; i < size; ++i) map.push_back(uniform(i) - 0.5f);
  std::vector<float> out(size), gradX(size), gradResidual(size),
      parameters(std::size_t{kImages} * 2 * static_cast<std::size_t>(channels));
  tests::launchGroupNorm<float, 4>(
      {channels, groups, kPixels, 8, (kPixels + 7) / 8}, kImages, /*hasRelu=*/true,
      {map.data(), hasResidual ? map.data() : nullptr, map.data(), map.data(), map.data(),
       out.data(), gradX.data(), gradResidual.data(), parameters.data()});
}

/// Arbitrary floats.
std::vector<float> noise(std::size_t count) {
  std::vector<float> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(uniform(i) - 0.5f);
  return all;
}

/// RoIs of two images on one map of 21 x 19, at its edges and beyond them.
void poolRegions() {
  constexpr int kChannels = 12, kHeight = 21, kWidth = 19, kBins = 3;
  constexpr std::int64_t kRegions = 9;
  const std::vector<float> corners = boxes(kRegions, 90);
  std::vector<float> rois;
  for (std::size_t k = 0; k < kRegions; ++k) {
    rois.push_back(static_cast<float>(k % kImages));
    rois.insert(rois.end(), corners.begin() + 4 * static_cast<std::ptrdiff_t>(k),
                corners.begin() + 4 * static_cast<std::ptrdiff_t>(k + 1));
  }
  const std::vector<std::int64_t> levels(kRegions, 0), order{0, 2, 4, 6, 8, 1, 3, 5, 7},
      first{0, 5, 9};
  const ops::RoiLevel level{rois.data(), levels.data(), kRegions, 0,     kChannels, kHeight,
                            kWidth,      0.25f,         kBins,    kBins, 2};
  const std::vector<float> map = noise(std::size_t{kImages} * kHeight * kWidth * kChannels);
  std::vector<float> pooled(kRegions * kBins * kBins * kChannels), grad(map.size());
  tests::launchOnCpu(ops::roiAlignLaunch(level), [&] {
    ops::roiAlignKernel<float, 4>(map.data(),
                                  {kHeight * kWidth * kChannels, kWidth * kChannels, kChannels},
                                  level, pooled.data());
  });
  ops::RoiLevel finer = level;  // of the second set
  finer.binRows = finer.binColumns = 2 * kBins;
  const std::vector<float> gradOut = noise(4 * pooled.size());
  const ops::RegionLists lists{order.data(), first.data(), 1};
  const ops::GradOfSets<float> all{{{level, lists, pooled.data()}, {finer, lists, gradOut.data()}},
                                   2};
  tests::launchOnCpu(ops::roiAlignBackwardLaunch(all, kImages),
                     [&] { ops::roiAlignBackwardKernel<float>(all, grad.data()); });
}

void match() {
  constexpr int kGts = 5, kCandidates = 300;
  const std::vector<float4> gts = corners4(std::size_t{kGts} * kImages, 60),
                            candidates = corners4(std::size_t{kCandidates} * kImages, 60);
  const std::vector<std::int64_t> counts{kGts, 3};
  const ops::MatchPairs pairs{gts.data(),        counts.data(), kGts,
                              candidates.data(), kCandidates,   kCandidates};
  std::vector<int> nearest(candidates.size());
  std::vector<std::int64_t> matches(candidates.size());
  std::vector<unsigned> best(gts.size());
  const ops::Launch launch = ops::matchLaunch(pairs, kImages);
  tests::launchOnCpu(launch, [&] {
    ops::bestKernel(pairs, 0.5f, 0.3f, nearest.data(), matches.data(), best.data());
  });
  tests::launchOnCpu(
      launch, [&] { ops::restoreKernel(pairs, nearest.data(), best.data(), matches.data()); });
}

void cutTargets() {
  constexpr int kSide = 7, kHeight = 40, kWidth = 50;
  std::vector<std::uint8_t> pixels(std::size_t{kHeight} * kWidth, 1);
  const std::vector<structures::MaskWindow> windows{
      {.firstByte = 0, .left = 0, .top = 0, .width = kWidth, .height = kHeight}};
  const std::vector<std::int64_t> sizes{kHeight, kWidth}, images{0, 0, 0, -1}, objects(4, 0);
  const std::vector<float> regions{0, 0, 50, 40, 3, 4, 20.5f, 9, -30, -30, 100, 100, 5, 5, 9, 9};
  const ops::MaskTable masks{pixels.data(), windows.data(), sizes.data(), 1};
  const ops::RegionTable table{regions.data(), images.data(), objects.data(), kSide};
  std::vector<float> out(images.size() * kSide * kSide);
  const int stride = ops::targetStride(kWidth, kSide);
  tests::launchOnCpu(ops::targetLaunch(static_cast<std::int64_t>(images.size()), kSide, stride),
                     [&] { ops::targetKernel(masks, table, stride, out.data()); });
}

void epilogue() {
  constexpr int kChannels = 12, kPixels = 55;
  std::vector<float> map = noise(std::size_t{kChannels} * kPixels * kImages);
  const std::vector<float> bias = noise(kChannels), residual = noise(map.size());
  const auto packs = static_cast<std::int64_t>(map.size() / 4);
  for (const ops::Launch& launch :
       {ops::epilogueLaunch(packs), ops::Launch{.threads = ops::kEpilogueThreads}}) {
    tests::launchOnCpu(launch, [&] {
      ops::epilogueKernel<float, float, 4>(map.data(), bias.data(), residual.data(), true, packs,
                                           kChannels);
    });
  }
}

void resize() {
  constexpr int kHeight = 20, kWidth = 33, kOutHeight = 17, kOutWidth = 41;
  const std::vector<std::uint8_t> pixels(std::size_t{kHeight} * kWidth * 3, 9);
  const std::vector<structures::ImageRow> images{{.height = kHeight,
                                                  .width = kWidth,
                                                  .resizedHeight = kOutHeight,
                                                  .resizedWidth = kOutWidth,
                                                  .flipsHorizontally = 1},
                                                 {.height = kHeight,
                                                  .width = kWidth,
                                                  .resizedHeight = 5,
                                                  .resizedWidth = 40,
                                                  .flipsVertically = 1}};
  const std::size_t outPixels = images.size() * kOutHeight * kOutWidth;
  std::vector<float> three(outPixels * 3);
  std::vector<float4> four(outPixels);
  const ops::Launch launch = ops::resizeLaunch(kImages, kOutHeight, kOutWidth);
  tests::launchOnCpu(launch, [&] {
    ops::resizeKernel<float, 3>(pixels.data(), images.data(), {0.5f, 0.5f, 0.5f}, {1, 1, 1},
                                kOutWidth, three.data());
  });
  tests::launchOnCpu(launch, [&] {
    ops::resizeKernel<float, 4>(pixels.data(), images.data(), {0.5f, 0.5f, 0.5f}, {1, 1, 1},
                                kOutWidth, &four[0].x);
  });
}

}  // namespace

int main() {
  sample(5000, 256, 1500, false);
  sample(4000, 300, 4000, true);
  sample(100, 200, 64, false);
  chooseBest(400);
  chooseBest(2048);
  suppress(300, 300);
  suppress(300, 40);
  paste();
  pool();
  normalise(80, 8, true);
  normalise(24, 8, false);
  poolRegions();
  match();
  cutTargets();
  epilogue();
  resize();
}
