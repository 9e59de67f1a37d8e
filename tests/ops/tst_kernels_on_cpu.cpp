#include <QObject>
#include <QTest>
#include <numeric>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/ops/nms.h"
#include "engine/ops/paste_masks.h"
#include "engine/ops/sampling.h"
#include "engine/ops/segment_best.h"
#include "tests/support/cuda_on_cpu.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
// After the emulated CUDA keywords.
#include "engine/ops/cuda/nms.cuh"
#include "engine/ops/cuda/paste_masks.cuh"
#include "engine/ops/cuda/sampling.cuh"
#include "engine/ops/cuda/segment_best.cuh"

using namespace lockstep;

namespace {

/// The launches of cuda::pasteMasks, and what it does between them.
std::vector<ops::MaskRuns> pasteByKernels(const at::Tensor& probs, const at::Tensor& boxes,
                                          const base::ImageSize& size) {
  const ops::PasteJob job{probs.const_data_ptr<float>(),   boxes.const_data_ptr<float>(),
                          static_cast<int>(probs.size(1)), ops::pasteGrowth(probs.size(1)),
                          static_cast<int>(size.height),   static_cast<int>(size.width)};
  const auto width = static_cast<unsigned>(size.width),
             detections = static_cast<unsigned>(probs.size(0));
  const tests::CudaIndex grid{(width + 3) / 4, detections, 1};
  std::vector<int> counts(std::size_t{width} * detections, -1);
  tests::launchOnCpu(grid, 4, [&] { ops::countChangesKernel(job, counts.data()); });
  std::vector<std::int64_t> ends(counts.size());
  std::partial_sum(counts.begin(), counts.end(), ends.begin());
  std::vector<int> changes(static_cast<std::size_t>(ends.back()), -1);
  tests::launchOnCpu(
      grid, 4, [&] { ops::writeChangesKernel(job, counts.data(), ends.data(), changes.data()); });
  std::vector<ops::MaskRuns> masks;
  for (std::size_t d = 0, i = 0; d < detections; ++d) {
    ops::MaskRuns& runs = masks.emplace_back();
    int from = 0;
    for (; i < static_cast<std::size_t>(ends[(d + 1) * width - 1]); from = changes[i++])
      runs.push_back(static_cast<std::uint32_t>(changes[i] - from));
    runs.push_back(static_cast<std::uint32_t>(size.height * size.width - from));
  }
  return masks;
}

constexpr unsigned kBlockThreads = 4;

/// The launches of cuda::sampleBalanced with parts of this size.
ops::BalancedSelection sampleByKernels(const at::Tensor& labels, const ops::SampleCounts& counts,
                                       const ops::SamplingKeys& keys, const at::Tensor& numbers,
                                       int partSize) {
  const std::int64_t images = labels.size(0), candidates = labels.size(1),
                     slots = std::min(counts.total, candidates);
  const std::int64_t parts = (candidates + partSize - 1) / partSize;
  std::vector<std::int64_t> words;
  for (std::size_t n = 0; n < keys.positive.size(); ++n) {
    words.push_back(static_cast<std::int64_t>(base::mixBits(keys.positive[n])));
    words.push_back(static_cast<std::int64_t>(base::mixBits(keys.negative[n])));
  }
  // Sentinel values, which show what no thread has written.
  std::vector<std::uint64_t> partialKeys(images * 2 * parts * slots, 1);
  std::vector<std::uint32_t> partialIndices(partialKeys.size(), 7);
  ops::BalancedSelection sample;
  sample.indices = torch::full({images, slots}, -1, at::kLong);
  sample.valid = torch::ones({images, slots}, at::kBool);
  sample.isPositive = torch::ones({images, slots}, at::kBool);
  const ops::SampleJob job{labels.const_data_ptr<std::int64_t>(),
                           numbers.defined() ? numbers.const_data_ptr<std::int64_t>() : nullptr,
                           words.data(),
                           static_cast<int>(candidates),
                           static_cast<int>(std::min(counts.mostPositives(), slots)),
                           static_cast<int>(slots),
                           partSize,
                           static_cast<int>(parts),
                           {partialKeys.data(), partialIndices.data()},
                           sample.indices.data_ptr<std::int64_t>(),
                           sample.valid.data_ptr<bool>(),
                           sample.isPositive.data_ptr<bool>()};
  const auto imageCount = static_cast<unsigned>(images);
  if (parts > 1) {
    tests::launchOnCpu({static_cast<unsigned>(parts), 2, imageCount}, kBlockThreads,
                       [&] { ops::samplePartsKernel(job); });
  }
  tests::launchOnCpu({imageCount, 1, 1}, kBlockThreads, [&] { ops::sampleKernel(job); });
  return sample;
}

/// The launches of cuda::segmentedTopK with parts of this size.
template <typename T>
ops::SegmentedTopK bestByKernels(const at::Tensor& scores, const std::vector<std::int64_t>& sizes,
                                 std::int64_t most, std::int64_t partSize) {
  const ops::SegmentPlan plan = ops::planSegments(sizes, most, partSize);
  const std::int64_t images = scores.size(0);
  ops::SegmentedTopK best{torch::full({images, plan.bestCount}, -1, at::kLong),
                          torch::full({images, plan.bestCount}, -1, at::kLong)};
  std::vector<std::uint64_t> keys(images * plan.parts * most, 1);
  std::vector<std::uint32_t> indices(keys.size(), 7);
  const ops::SegmentJob<T> job{plan,
                               scores.const_data_ptr<T>(),
                               static_cast<int>(scores.size(1)),
                               keys.data(),
                               indices.data(),
                               best.indices.data_ptr<std::int64_t>(),
                               best.segments.data_ptr<std::int64_t>()};
  const auto imageCount = static_cast<unsigned>(images);
  if (plan.hasManyParts) {
    tests::launchOnCpu({static_cast<unsigned>(plan.parts), imageCount, 1}, kBlockThreads,
                       [&] { ops::bestOfPartsKernel(job); });
  }
  tests::launchOnCpu({static_cast<unsigned>(plan.segmentCount), imageCount, 1}, kBlockThreads,
                     [&] { ops::bestOfSegmentsKernel(job); });
  return best;
}

/// The launches of cuda::selectByNms with few threads a block, and `tileBlocks` for each group.
ops::Selection suppressByKernels(const ops::NmsCandidates& from, double threshold, int slots,
                                 unsigned tileBlocks) {
  const std::int64_t images = from.scores.size(0), size = from.scores.size(1);
  const at::Tensor counts = from.valid.sum(1);
  const at::Tensor ranked = from.scores.masked_fill(from.valid.logical_not(), -1.0);
  const at::Tensor order = std::get<1>(ranked.sort(/*stable=*/true, 1, /*descending=*/true));
  const ops::NmsBoxes all{reinterpret_cast<const float4*>(from.boxesXyxy.data_ptr<float>()),
                          from.groups.data_ptr<std::int64_t>(),
                          order.data_ptr<std::int64_t>(),
                          counts.data_ptr<std::int64_t>(),
                          static_cast<int>(size),
                          static_cast<int>(from.groupCount),
                          static_cast<int>(from.groupSize())};
  // Sentinel values, for what no thread writes: no member, and everything suppressed.
  std::vector<int> members(images * size, -1), firsts(images * from.groupCount, -1),
      memberCounts(firsts.size(), -1);
  std::vector<ops::NmsWord> mask(images * size * all.words(), ~ops::NmsWord{0});
  at::Tensor isKept = torch::zeros({images, size}, at::kBool);
  const ops::NmsWork work{members.data(), firsts.data(), memberCounts.data(), mask.data(),
                          isKept.data_ptr<bool>()};
  ops::Selection kept{torch::full({images, slots}, -1, at::kLong),
                      torch::ones({images, slots}, at::kBool)};
  const ops::NmsKept out{slots, kept.indices.data_ptr<std::int64_t>(), kept.valid.data_ptr<bool>()};
  const auto withFewThreads = [](ops::Launch launch) {
    launch.threads = kBlockThreads;
    return launch;
  };
  ops::Launch overlap = withFewThreads(ops::overlapLaunch(all, images));
  if (tileBlocks > 0) overlap.y = tileBlocks;
  tests::launchOnCpu(withFewThreads(ops::groupLaunch(all, images)),
                     [&] { ops::groupKernel(all, work); });
  tests::launchOnCpu(overlap,
                     [&] { ops::overlapKernel(all, work, ops::largestFloatUpTo(threshold)); });
  tests::launchOnCpu(withFewThreads(ops::keepLaunch(all, images)),
                     [&] { ops::keepKernel(all, work, slots); });
  tests::launchOnCpu(withFewThreads(ops::gatherLaunch(images)),
                     [&] { ops::gatherKernel(all, work, out); });
  return kept;
}

}  // namespace

/// Simple kernels run on the CPU, to find errors in their logic without a GPU.
class TstKernelsOnCpu : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(1); }

  void pastedMasksEqualTheCpu_data() {
    QTest::addColumn<double>("smallest");
    QTest::addColumn<double>("largest");
    QTest::addColumn<bool>("solid");
    QTest::newRow("inside") << 5.0 << 40.0 << false;
    QTest::newRow("beyond every side") << -20.0 << 70.0 << false;
    QTest::newRow("full columns") << -20.0 << 80.0 << true;
    QTest::newRow("outside") << 90.0 << 120.0 << true;
  }
  void pastedMasksEqualTheCpu() {
    QFETCH(double, smallest);
    QFETCH(double, largest);
    QFETCH(bool, solid);
    const base::ImageSize size{40, 50};
    const at::Tensor ends = torch::rand({12, 2, 2}) * (largest - smallest) + smallest;
    at::Tensor boxes =
        at::cat({std::get<0>(ends.min(1)), std::get<0>(ends.max(1))}, 1).contiguous();
    if (solid && smallest < 0) boxes[0].copy_(torch::tensor({5.f, -10.f, 30.f, 60.f}));
    at::Tensor probs = torch::rand({12, 14, 14});
    if (solid) probs = (probs + 0.9).clamp_max(1);
    const auto expected = ops::pasteMasks(probs, boxes, size);
    QCOMPARE(pasteByKernels(probs, boxes, size), expected);
    if (solid && smallest < 0) {
      const at::Tensor masks = ops::fullMasks(expected, size);
      QVERIFY(masks.to(at::kBool).all(1).any().item<bool>());  // there was a full column
    }
  }

  void samplesEqualTheCpu_data() {
    QTest::addColumn<int>("candidates");
    QTest::addColumn<int>("total");
    QTest::addColumn<int>("partSize");
    QTest::addColumn<int>("shares");  // labels are -1 … shares - 2
    QTest::newRow("one part") << 2500 << 256 << 4000 << 4;
    QTest::newRow("parts") << 9000 << 256 << 1000 << 4;
    QTest::newRow("more than the space holds") << 6000 << 300 << 6000 << 3;
    QTest::newRow("the most there may be") << 5000 << 2048 << 2500 << 3;
    QTest::newRow("few positives") << 3000 << 200 << 700 << 2;
    QTest::newRow("more slots than candidates") << 90 << 256 << 40 << 4;
    QTest::newRow("a single one") << 1 << 256 << 100 << 4;
  }
  void samplesEqualTheCpu() {
    QFETCH(int, candidates);
    QFETCH(int, total);
    QFETCH(int, partSize);
    QFETCH(int, shares);
    at::Tensor labels = torch::randint(-1, shares - 1, {3, candidates}, at::kLong);
    labels[1].fill_(-1);
    labels[2].slice(0, 0, candidates / 2).fill_(1);
    const ops::SampleCounts counts{total, 0.5};
    const ops::SamplingKeys keys{{1, 2, 3}, {4, 5, 6}};
    for (const at::Tensor& numbers :
         {at::Tensor(), torch::randint(1 << 20, {3, candidates}, at::kLong)}) {
      const auto expected = ops::sampleBalanced(labels, counts, keys, numbers);
      const auto got = sampleByKernels(labels, counts, keys, numbers, partSize);
      QVERIFY(at::equal(got.indices, expected.indices));
      QVERIFY(at::equal(got.valid, expected.valid));
      QVERIFY(at::equal(got.isPositive.logical_and(got.valid),
                        expected.isPositive.logical_and(expected.valid)));
    }
  }

  void tiesOfKeysGoToTheFirst() {
    const at::Tensor labels = torch::zeros({1, 7000}, at::kLong);
    const at::Tensor numbers = torch::full({1, 7000}, 5, at::kLong);
    for (const int partSize : {7000, 900}) {
      const auto got = sampleByKernels(labels, {100, 0.5}, {{1}, {2}}, numbers, partSize);
      QVERIFY(at::equal(got.indices[0], torch::arange(100)));
      QVERIFY(at::equal(got.indices,
                        ops::sampleBalanced(labels, {100, 0.5}, {{1}, {2}}, numbers).indices));
    }
  }

  void bestScoresEqualTheCpu_data() {
    QTest::addColumn<int>("most");
    QTest::addColumn<int>("partSize");
    QTest::addColumn<double>("step");  // scores are multiples of it
    QTest::newRow("parts") << 500 << 1500 << 1e-7;
    QTest::newRow("whole segments") << 300 << 10000 << 1e-7;
    QTest::newRow("ties") << 500 << 1500 << 0.25;
    QTest::newRow("all equal") << 700 << 2500 << 1e9;
    QTest::newRow("the most there may be") << 2048 << 2500 << 1e-7;
  }
  void bestScoresEqualTheCpu() {
    QFETCH(int, most);
    QFETCH(int, partSize);
    QFETCH(double, step);
    const std::vector<std::int64_t> sizes{6000, 2000, 0, 400, 1};
    const at::Tensor scores = (torch::randn({2, 8401}) / step).round() * step;
    const auto expected = ops::segmentedTopK(scores, sizes, most);
    const auto got = bestByKernels<float>(scores, sizes, most, partSize);
    QVERIFY(at::equal(got.indices, expected.indices));
    QVERIFY(at::equal(got.segments, expected.segments));
    const at::Tensor coarse = scores.to(at::kBFloat16);
    QVERIFY(at::equal(bestByKernels<c10::BFloat16>(coarse, sizes, most, partSize).indices,
                      ops::segmentedTopK(coarse, sizes, most).indices));
  }

  void keptBoxesEqualTheCpu_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("groups");
    QTest::addColumn<int>("slots");
    QTest::newRow("one") << 1 << 3 << 1;
    QTest::newRow("a word") << 64 << 1 << 64;
    QTest::newRow("a word and one") << 65 << 1 << 65;
    QTest::newRow("many") << 700 << 3 << 700;
    QTest::newRow("one group") << 700 << 1 << 700;
    QTest::newRow("groups without a box") << 60 << 90 << 60;
    QTest::newRow("fewer slots than stay") << 700 << 3 << 20;
    QTest::newRow("slots that fill with a word") << 700 << 1 << 64;
    QTest::newRow("as many as a pyramid has") << 4000 << 5 << 1000;
  }
  void keptBoxesEqualTheCpu() {
    QFETCH(int, count);
    QFETCH(int, groups);
    QFETCH(int, slots);
    const at::Tensor corner = torch::rand({3, count, 2}) * 100;
    ops::NmsCandidates all{at::cat({corner, corner + torch::rand({3, count, 2}) * 60 + 1}, 2),
                           torch::randint(50, {3, count}).to(at::kFloat),
                           torch::randint(groups, {3, count}, at::kLong),
                           torch::rand({3, count}) < 0.9, groups};
    all.valid[1].fill_(false);
    const auto expected = ops::selectByNms(all, 0.5, slots);
    // As many blocks for the tiles of a group as would be started, and fewer than tiles.
    for (const unsigned tileBlocks : {0U, 3U}) {
      const auto got = suppressByKernels(all, 0.5, slots, tileBlocks);
      QVERIFY(at::equal(got.valid, expected.valid));
      QVERIFY(at::equal(got.indices, expected.indices));
    }
  }

  /// If the size of the largest group is known, the mask is only that wide.
  void keptBoxesOfGroupsOfKnownSizeEqualTheCpu() {
    const std::vector<std::int64_t> sizes{130, 64, 0, 65, 1};
    std::vector<std::int64_t> groups;
    for (std::size_t g = 0; g < sizes.size(); ++g)
      groups.insert(groups.end(), sizes[g], static_cast<std::int64_t>(g));
    const auto count = static_cast<std::int64_t>(groups.size());
    const at::Tensor corner = torch::rand({2, count, 2}) * 60;
    const ops::NmsCandidates all{at::cat({corner, corner + torch::rand({2, count, 2}) * 60 + 1}, 2),
                                 torch::randint(50, {2, count}).to(at::kFloat),
                                 torch::tensor(groups, at::kLong).repeat({2, 1}),
                                 torch::ones({2, count}, at::kBool),
                                 5,
                                 130};
    const auto expected = ops::selectByNms(all, 0.5, count);
    const auto got = suppressByKernels(all, 0.5, static_cast<int>(count), 0);
    QVERIFY(at::equal(got.valid, expected.valid));
    QVERIFY(at::equal(got.indices, expected.indices));
  }
};

LOCKSTEP_TEST(TstKernelsOnCpu)
#include "tst_kernels_on_cpu.moc"
