#include <QObject>
#include <QTest>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "engine/ops/mask_targets.h"
#include "engine/ops/matching.h"
#include "engine/ops/roi_align.h"
#include "engine/structures/ground_truth.h"
#include "tests/ops/tensors.h"
#include "tests/support/cuda_on_cpu.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#ifndef Q_MOC_RUN
#include <torch/csrc/autograd/autograd.h>
#endif
// After the emulated CUDA keywords.
#include "engine/ops/cuda/mask_targets.cuh"
#include "engine/ops/cuda/matching.cuh"
#include "engine/ops/cuda/roi_align.cuh"

using namespace lockstep;
using tests::relativeDifference;

namespace {

// ---- RoIAlign

/// Maps of a pyramid, channels last.
struct Pyramid {
  std::vector<at::Tensor> maps;
  std::vector<double> scales;
};

Pyramid makePyramid(std::int64_t channels, std::int64_t height, std::int64_t width,
                    at::ScalarType type) {
  Pyramid pyramid;
  for (const int step : {4, 8, 16}) {
    pyramid.maps.push_back(
        torch::randn({2, channels, (height + step - 1) / step, (width + step - 1) / step})
            .to(type)
            .contiguous(at::MemoryFormat::ChannelsLast));
    pyramid.scales.push_back(1.0 / step);
  }
  return pyramid;
}

/// RoIs of two images in any order: inside, across every edge, tiny, far outside, inverted, and one
/// padding row.
struct Regions {
  at::Tensor rois, levels;
};

Regions someRegions(double height, double width) {
  const at::Tensor place = torch::rand({40, 2}) * torch::tensor({width * 1.2, height * 1.2}) -
                           torch::tensor({width * 0.1, height * 0.1});
  const at::Tensor size = torch::rand({40, 2}) * torch::tensor({width * 0.7, height * 0.7});
  at::Tensor rois =
      torch::cat({torch::randint(0, 2, {40, 1}).to(at::kFloat), place, place + size}, 1)
          .to(at::kFloat);
  const float h = static_cast<float>(height), w = static_cast<float>(width);
  const std::vector<std::vector<float>> odd{{0, 0, 0, w, h},
                                            {1, 5, 5, 5, 5},
                                            {1, -3 * w, -3 * h, 4 * w, 4 * h},
                                            {0, 5 * w, 5 * h, 6 * w, 6 * h},
                                            {1, 20, 20, 10, 12},
                                            {0, w - 1, h - 1, w, h}};
  for (const auto& roi : odd) rois = torch::cat({rois, torch::tensor(roi).view({1, 5})});
  const at::Tensor levels = torch::randint(0, 3, {rois.size(0)}, at::kLong);
  levels[7] = ops::kNoLevel;
  return {rois.contiguous(), levels};
}

ops::RoiLevel levelOf(const Pyramid& pyramid, std::size_t index, const Regions& regions,
                      const ops::RoiAlignShape& shape) {
  const at::Tensor& map = pyramid.maps[index];
  return {regions.rois.const_data_ptr<float>(),
          regions.levels.const_data_ptr<std::int64_t>(),
          regions.rois.size(0),
          static_cast<int>(index),
          static_cast<int>(map.size(1)),
          static_cast<int>(map.size(2)),
          static_cast<int>(map.size(3)),
          static_cast<float>(pyramid.scales[index]),
          static_cast<int>(shape.height),
          static_cast<int>(shape.width),
          static_cast<int>(shape.samplingRatio)};
}

/// [K,C,height,width], as cuda::roiAlign.
template <typename T, int kCount>
at::Tensor poolByKernel(const Pyramid& pyramid, const Regions& regions,
                        const ops::RoiAlignShape& shape) {
  at::Tensor out =
      torch::zeros({regions.rois.size(0), shape.height, shape.width, pyramid.maps[0].size(1)},
                   pyramid.maps[0].scalar_type());
  for (std::size_t i = 0; i < pyramid.maps.size(); ++i) {
    const at::Tensor& map = pyramid.maps[i];
    const ops::RoiLevel level = levelOf(pyramid, i, regions, shape);
    const ops::MapStrides strides{map.stride(0), map.stride(2), map.stride(3)};
    tests::launchOnCpu(ops::roiAlignLaunch(level), [&] {
      ops::roiAlignKernel<T, kCount>(map.const_data_ptr<T>(), strides, level, out.data_ptr<T>());
    });
  }
  return out.permute({0, 3, 1, 2});
}

/// The regions of every image and level, and the lists of them that roi_align.cu makes.
struct Lists {
  std::vector<std::int64_t> order, first;
  int levels;

  Lists(const Regions& regions, std::size_t levelCount) : levels(static_cast<int>(levelCount)) {
    for (std::int64_t list = 0; list < 2 * levels; ++list) {
      first.push_back(static_cast<std::int64_t>(order.size()));
      for (std::int64_t k = 0; k < regions.rois.size(0); ++k) {
        const auto image = static_cast<std::int64_t>(regions.rois[k][0].item<float>());
        const auto level = regions.levels[k].item<std::int64_t>();
        if (level != ops::kNoLevel && image * levels + level == list) order.push_back(k);
      }
    }
    first.push_back(static_cast<std::int64_t>(order.size()));
  }
};

/// RoIs, their pooled size, and the output gradient.
struct RegionSet {
  Regions regions;
  ops::RoiAlignShape shape;
  at::Tensor gradOut;
};

/// As cuda::roiAlignBackward.
template <typename T>
std::vector<at::Tensor> spreadByKernel(const Pyramid& pyramid, const std::vector<RegionSet>& sets) {
  std::vector<Lists> lists;
  std::vector<at::Tensor> gradients, grads;
  for (const RegionSet& set : sets) {
    lists.emplace_back(set.regions, pyramid.maps.size());
    gradients.push_back(set.gradOut.permute({0, 2, 3, 1}).contiguous());
  }
  for (std::size_t i = 0; i < pyramid.maps.size(); ++i) {
    // What no thread writes stays NaN.
    at::Tensor out = torch::full_like(pyramid.maps[i], NAN).permute({0, 2, 3, 1});
    ops::GradOfSets<T> all{};
    for (std::size_t s = 0; s < sets.size(); ++s) {
      all.sets[all.count++] = {levelOf(pyramid, i, sets[s].regions, sets[s].shape),
                               {lists[s].order.data(), lists[s].first.data(), lists[s].levels},
                               gradients[s].const_data_ptr<T>()};
    }
    tests::launchOnCpu(ops::roiAlignBackwardLaunch(all, 2),
                       [&] { ops::roiAlignBackwardKernel<T>(all, out.data_ptr<T>()); });
    grads.push_back(out.permute({0, 3, 1, 2}));
  }
  return grads;
}

/// Sets random output gradients and computes the map gradients on the CPU.
std::vector<at::Tensor> gradientsOfCpu(Pyramid pyramid, std::vector<RegionSet>& sets) {
  for (at::Tensor& map : pyramid.maps) map = map.clone().requires_grad_();
  std::vector<ops::RoiSet> regions;
  for (const RegionSet& set : sets)
    regions.push_back({set.regions.rois, set.regions.levels, set.shape});
  const auto pooled = ops::roiAlignSets(pyramid.maps, pyramid.scales, regions);
  std::vector<at::Tensor> gradOut;
  for (std::size_t s = 0; s < sets.size(); ++s)
    gradOut.push_back(sets[s].gradOut = torch::randn(pooled[s].sizes()));
  return torch::autograd::grad(pooled, pyramid.maps, gradOut);
}

// ---- matching

at::Tensor someBoxes(at::IntArrayRef sizes, bool isOnAGrid) {
  std::vector<std::int64_t> corners(sizes.begin(), sizes.end());
  corners.push_back(2);
  // On a grid many overlaps are equal.
  const at::Tensor from =
      isOnAGrid ? torch::randint(0, 6, corners).to(at::kFloat) * 10 : torch::rand(corners) * 60;
  const at::Tensor side =
      isOnAGrid ? torch::randint(1, 4, corners).to(at::kFloat) * 10 : torch::rand(corners) * 40 + 1;
  return torch::cat({from, from + side}, -1).contiguous();
}

/// As cuda::matchBoxes.
at::Tensor matchByKernels(const structures::GtBatch& groundTruth, const at::Tensor& candidates,
                          const ops::MatchThresholds& thresholds) {
  const at::Tensor& gts = groundTruth.boxesXyxy;
  const std::int64_t images = gts.size(0), count = candidates.size(-2);
  at::Tensor matches = torch::full({images, count}, 99, at::kLong),
             nearest = torch::full({images, count}, 99, at::kInt);
  std::vector<unsigned> bestOfGt(static_cast<std::size_t>(images * gts.size(1)));
  const ops::MatchPairs pairs{reinterpret_cast<const float4*>(gts.const_data_ptr<float>()),
                              groundTruth.counts.const_data_ptr<std::int64_t>(),
                              static_cast<int>(gts.size(1)),
                              reinterpret_cast<const float4*>(candidates.const_data_ptr<float>()),
                              candidates.dim() == 3 ? count : 0,
                              static_cast<int>(count)};
  tests::launchOnCpu(ops::matchLaunch(pairs, images), [&] {
    ops::bestKernel(pairs, static_cast<float>(thresholds.foreground),
                    static_cast<float>(thresholds.background), nearest.data_ptr<int>(),
                    matches.data_ptr<std::int64_t>(), bestOfGt.data());
  });
  if (!thresholds.lowQualityMatches) return matches;
  tests::launchOnCpu(ops::matchLaunch(pairs, images), [&] {
    ops::restoreKernel(pairs, nearest.const_data_ptr<int>(), bestOfGt.data(),
                       matches.data_ptr<std::int64_t>());
  });
  return matches;
}

// ---- mask targets

/// As cuda::maskTargets.
at::Tensor targetsByKernel(const structures::GtMasks& masks, const ops::MaskRegions& regions,
                           int side) {
  at::Tensor out = torch::zeros({regions.boxesXyxy.size(0), side, side});
  const ops::MaskTable table{
      masks.pixels.const_data_ptr<std::uint8_t>(),
      reinterpret_cast<const structures::MaskWindow*>(masks.windows.const_data_ptr<std::int64_t>()),
      masks.sizes.const_data_ptr<std::int64_t>(), masks.mostObjects()};
  const ops::RegionTable from{regions.boxesXyxy.const_data_ptr<float>(),
                              regions.images.const_data_ptr<std::int64_t>(),
                              regions.objects.const_data_ptr<std::int64_t>(), side};
  const int stride = ops::targetStride(masks.longestSide, side);
  tests::launchOnCpu(ops::targetLaunch(out.size(0), side, stride),
                     [&] { ops::targetKernel(table, from, stride, out.data_ptr<float>()); });
  return out;
}

}  // namespace

/// Kernels over RoIs and pairs of boxes run on the CPU, to find errors in their logic without a
/// GPU.
class TstRegionKernelsOnCpu : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(11); }

  void pooledRoisEqualTheCpu_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("bins");
    QTest::addColumn<int>("samples");
    QTest::newRow("box head") << 16 << 7 << 2;
    QTest::newRow("mask head") << 8 << 14 << 2;
    QTest::newRow("as many samples as pixels") << 8 << 7 << 0;
    QTest::newRow("channels past a warp's packs") << 136 << 3 << 1;
  }
  void pooledRoisEqualTheCpu() {
    QFETCH(int, channels);
    QFETCH(int, bins);
    QFETCH(int, samples);
    const ops::RoiAlignShape shape{bins, bins, samples};
    const Pyramid pyramid = makePyramid(channels, 90, 130, at::kFloat);
    const Regions regions = someRegions(90, 130);
    const at::Tensor expected =
        ops::roiAlignPyramid(pyramid.maps, pyramid.scales, regions.rois, regions.levels, shape);
    QVERIFY(relativeDifference(poolByKernel<float, 4>(pyramid, regions, shape), expected) < 1e-6);
    QVERIFY(relativeDifference(poolByKernel<float, 1>(pyramid, regions, shape), expected) < 1e-6);

    Pyramid halves = pyramid;
    for (at::Tensor& map : halves.maps) map = map.to(at::kBFloat16);
    Pyramid rounded = halves;
    for (at::Tensor& map : rounded.maps) map = map.to(at::kFloat);
    const at::Tensor ofRounded =
        ops::roiAlignPyramid(rounded.maps, rounded.scales, regions.rois, regions.levels, shape);
    QVERIFY(relativeDifference(poolByKernel<c10::BFloat16, 8>(halves, regions, shape), ofRounded) <
            1.0 / 256);
  }

  void roiGradientsEqualTheCpu_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("bins");
    QTest::addColumn<int>("samples");
    QTest::newRow("box head") << 12 << 7 << 2;
    QTest::newRow("mask head") << 5 << 14 << 2;
    QTest::newRow("as many samples as pixels") << 4 << 5 << 0;
    QTest::newRow("channels past a block") << 260 << 2 << 1;
  }
  void roiGradientsEqualTheCpu() {
    QFETCH(int, channels);
    QFETCH(int, bins);
    QFETCH(int, samples);
    const Pyramid pyramid = makePyramid(channels, 50, 90, at::kFloat);
    std::vector<RegionSet> sets{{someRegions(50, 90), {bins, bins, samples}, {}}};
    const auto expected = gradientsOfCpu(pyramid, sets);
    const auto got = spreadByKernel<float>(pyramid, sets);
    for (std::size_t i = 0; i < got.size(); ++i)
      QVERIFY(relativeDifference(got[i], expected[i]) < 1e-5);
    // Another order of blocks and threads: the same bits.
    const auto again = spreadByKernel<float>(pyramid, sets);
    for (std::size_t i = 0; i < got.size(); ++i) QVERIFY(at::equal(got[i], again[i]));
  }

  void gradientsOfTwoSetsEqualTheCpu_data() {
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("second");
    QTest::newRow("box and mask head") << 7 << 14;
    QTest::newRow("the larger first") << 9 << 3;
  }
  void gradientsOfTwoSetsEqualTheCpu() {
    QFETCH(int, first);
    QFETCH(int, second);
    const Pyramid pyramid = makePyramid(12, 50, 90, at::kFloat);
    std::vector<RegionSet> sets{{someRegions(50, 90), {first, first, 2}, {}},
                                {someRegions(50, 90), {second, second, 2}, {}}};
    const auto expected = gradientsOfCpu(pyramid, sets);
    const auto got = spreadByKernel<float>(pyramid, sets);
    for (std::size_t i = 0; i < got.size(); ++i)
      QVERIFY(relativeDifference(got[i], expected[i]) < 1e-5);
    // Half-precision gradients are accumulated in float32 over both sets and rounded once.
    Pyramid halves = pyramid;
    for (at::Tensor& map : halves.maps) map = map.to(at::kBFloat16);
    for (RegionSet& set : sets) set.gradOut = set.gradOut.to(at::kBFloat16);
    const auto ofHalves = spreadByKernel<c10::BFloat16>(halves, sets);
    for (RegionSet& set : sets) set.gradOut = set.gradOut.to(at::kFloat);
    const auto exact = spreadByKernel<float>(pyramid, sets);
    for (std::size_t i = 0; i < exact.size(); ++i)
      QVERIFY(at::equal(ofHalves[i], exact[i].to(at::kBFloat16)));
  }

  void setsWithoutRoisGiveZeros() {
    const Pyramid pyramid = makePyramid(5, 30, 40, at::kFloat);
    const Regions none{torch::zeros({0, 5}), torch::zeros({0}, at::kLong)};
    std::vector<RegionSet> sets{{someRegions(30, 40), {7, 7, 2}, {}}, {none, {14, 14, 2}, {}}};
    const auto expected = gradientsOfCpu(pyramid, sets);
    const auto got = spreadByKernel<float>(pyramid, sets);
    for (std::size_t i = 0; i < got.size(); ++i)
      QVERIFY(relativeDifference(got[i], expected[i]) < 1e-5);
    sets[0] = sets[1];
    for (const at::Tensor& map : spreadByKernel<float>(pyramid, sets))
      QVERIFY((map == 0).all().item<bool>());
  }

  void moreRoisThanThreadsOfABlockAreAccumulated() {
    const Pyramid pyramid = makePyramid(4, 30, 30, at::kFloat);
    Regions regions{torch::rand({600, 5}) * 20, torch::zeros({600}, at::kLong)};
    regions.rois.select(1, 0).zero_();
    std::vector<RegionSet> sets{{regions, {2, 2, 1}, {}}};
    const auto expected = gradientsOfCpu(pyramid, sets);
    const auto got = spreadByKernel<float>(pyramid, sets);
    QVERIFY(relativeDifference(got[0], expected[0]) < 1e-5);
    QVERIFY((got[1] == 0).all().item<bool>() && (got[2] == 0).all().item<bool>());
  }

  void matchesEqualTheCpu_data() {
    QTest::addColumn<int>("candidates");
    QTest::addColumn<bool>("isOnAGrid");
    QTest::addColumn<bool>("isShared");
    QTest::addColumn<bool>("low");
    for (const int candidates : {1, 31, 256, 700}) {
      for (const bool isOnAGrid : {false, true}) {
        for (const bool low : {false, true}) {
          QTest::addRow("%d%s%s", candidates, isOnAGrid ? ", ties" : "", low ? ", low quality" : "")
              << candidates << isOnAGrid << (candidates == 256) << low;
        }
      }
    }
  }
  void matchesEqualTheCpu() {
    QFETCH(int, candidates);
    QFETCH(bool, isOnAGrid);
    QFETCH(bool, isShared);
    QFETCH(bool, low);
    std::vector<structures::GtInstances> images;
    for (const int count : {5, 0, 1, 37})
      images.push_back({someBoxes({count}, isOnAGrid), torch::ones({count}, at::kLong), {}});
    const structures::GtBatch groundTruth = structures::batchGroundTruth(images);
    const at::Tensor boxes =
        isShared ? someBoxes({candidates}, isOnAGrid) : someBoxes({4, candidates}, isOnAGrid);
    const ops::MatchThresholds thresholds{0.6, 0.3, low};
    QVERIFY(at::equal(matchByKernels(groundTruth, boxes, thresholds),
                      ops::matchBoxes(groundTruth, boxes, thresholds)));
  }

  void targetsEqualTheCpu_data() {
    QTest::addColumn<int>("side");
    for (const int side : {1, 7, 28}) QTest::addRow("%d bins", side) << side;
  }
  void targetsEqualTheCpu() {
    QFETCH(int, side);
    std::vector<structures::GtInstances> images;
    for (const auto& [count, height, width] :
         {std::tuple{3, 70, 90}, {0, 20, 20}, {1, 1, 1}, {2, 40, 260}}) {
      structures::GtInstances image;
      if (count > 0) {
        image = {torch::zeros({count, 4}), torch::ones({count}, at::kLong),
                 tests::cropped(torch::randint(0, 2, {count, height, width}, at::kByte))};
      }
      images.push_back(image);
    }
    const structures::GtMasks masks = structures::batchGroundTruth(images).masks;
    ops::MaskRegions regions{
        torch::tensor({{3.2f, 4.7f, 60.1f, 55.f},
                       {-20.f, -9.f, 95.f, 200.f},
                       {0.f, 0.f, 90.f, 70.f},
                       {10.f, 10.f, 10.f, 10.f},
                       {0.f, 0.f, 1.f, 1.f},
                       {100.f, 2.f, 259.f, 39.f},
                       {300.f, 300.f, 400.f, 400.f},
                       {5.f, 5.f, 9.f, 9.f},
                       {30.f, 30.f, 20.f, 20.f},
                       {0.f, 0.f, 260.f, 40.f}}),
        torch::tensor(std::vector<std::int64_t>{0, 0, 0, 0, 2, 3, 3, -1, 0, 3}),
        torch::tensor(std::vector<std::int64_t>{0, 1, 2, 0, 0, 1, 0, 0, 1, 0})};
    QVERIFY(
        at::equal(targetsByKernel(masks, regions, side), ops::maskTargets(masks, regions, side)));
  }

  /// A barrier that some threads do not reach deadlocks on some GPUs.
  void divergentBarriersAreDetected() {
    if (LOCKSTEP_REAL_THREADS) QSKIP("under a sanitizer the others do wait for ever");
    QVERIFY_THROWS_EXCEPTION(std::logic_error, tests::launchOnCpu(ops::Launch{.threads = 8}, [] {
                               if (threadIdx.x > 3) return;
                               __syncthreads();
                             }));
  }
};

LOCKSTEP_TEST(TstRegionKernelsOnCpu)
#include "tst_region_kernels_on_cpu.moc"
