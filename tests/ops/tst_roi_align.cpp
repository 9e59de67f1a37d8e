#include <ATen/Parallel.h>

#include <QObject>
#include <QTest>
#include <cmath>

#include "engine/ops/roi_align.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#ifndef Q_MOC_RUN
#include <torch/csrc/autograd/autograd.h>
#endif

using namespace lockstep;

namespace {

/// Bilinear sample of one channel as torchvision defines it.
double sampleAt(const at::Tensor& map, double y, double x) {
  const std::int64_t height = map.size(0), width = map.size(1);
  if (y < -1 || y > double(height) || x < -1 || x > double(width)) return 0;
  y = std::max(y, 0.0);
  x = std::max(x, 0.0);
  auto top = static_cast<std::int64_t>(y), left = static_cast<std::int64_t>(x);
  std::int64_t bottom = top + 1, right = left + 1;
  if (top >= height - 1) y = double(top = bottom = height - 1);
  if (left >= width - 1) x = double(left = right = width - 1);
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return map[row][column].item<double>();
  };
  const double down = y - double(top), along = x - double(left);
  return (1 - down) * ((1 - along) * at(top, left) + along * at(top, right)) +
         down * ((1 - along) * at(bottom, left) + along * at(bottom, right));
}

/// The definition of RoIAlign.
at::Tensor slowRoiAlign(const at::Tensor& features, const at::Tensor& rois, double scale,
                        const ops::RoiAlignShape& shape) {
  at::Tensor out =
      torch::zeros({rois.size(0), features.size(1), shape.height, shape.width}, at::kDouble);
  for (std::int64_t k = 0; k < rois.size(0); ++k) {
    const at::Tensor roi = rois[k].to(at::kDouble);
    const double x1 = roi[1].item<double>() * scale, y1 = roi[2].item<double>() * scale;
    const double binWidth = std::max(roi[3].item<double>() * scale - x1, 1.0) / double(shape.width);
    const double binHeight =
        std::max(roi[4].item<double>() * scale - y1, 1.0) / double(shape.height);
    const auto rows =
        shape.samplingRatio > 0 ? shape.samplingRatio : std::int64_t(std::ceil(binHeight));
    const auto columns =
        shape.samplingRatio > 0 ? shape.samplingRatio : std::int64_t(std::ceil(binWidth));
    for (std::int64_t c = 0; c < features.size(1); ++c) {
      const at::Tensor map = features[roi[0].item<std::int64_t>()][c];
      for (std::int64_t i = 0; i < shape.height; ++i) {
        for (std::int64_t j = 0; j < shape.width; ++j) {
          double sum = 0;
          for (std::int64_t a = 0; a < rows; ++a) {
            for (std::int64_t b = 0; b < columns; ++b) {
              sum += sampleAt(map, y1 + (double(i) + (double(a) + 0.5) / double(rows)) * binHeight,
                              x1 + (double(j) + (double(b) + 0.5) / double(columns)) * binWidth);
            }
          }
          out[k][c][i][j] = sum / double(rows * columns);
        }
      }
    }
  }
  return out;
}

/// RoIs of two images, some across the edges, some smaller than a feature pixel.
at::Tensor someRois() {
  return torch::tensor({{0.f, 3.f, 4.f, 30.f, 22.f},
                        {1.f, -9.f, -5.f, 20.f, 60.f},
                        {1.f, 30.f, 30.f, 31.f, 31.5f},
                        {0.f, 35.f, 1.f, 80.f, 90.f},
                        {0.f, 3.3f, 4.1f, 29.7f, 22.2f},
                        {1.f, 200.f, 200.f, 220.f, 230.f}});
}

/// Two levels of two images in float32 or float64 that take a gradient.
std::vector<at::Tensor> someLevels(at::ScalarType type) {
  std::vector<at::Tensor> levels;
  for (const std::int64_t side : {32, 16})
    levels.push_back(torch::randn({2, 40, side, side}, type).requires_grad_());
  return levels;
}

const std::vector<double> kScales{0.25, 0.125};

/// The RoI sets of a box head and of a mask head, the latter with only some of the RoIs.
std::vector<ops::RoiSet> boxAndMaskSets() {
  const at::Tensor rois = someRois(),
                   levels = torch::tensor(std::vector<std::int64_t>{0, 1, 1, 0, ops::kNoLevel, 0});
  return {{rois, levels, {7, 7, 2}}, {rois.slice(0, 0, 3), levels.slice(0, 0, 3), {14, 14, 2}}};
}

/// Random gradients of what the sets give; the same for the same sets.
std::vector<at::Tensor> randomGradOut(const std::vector<ops::RoiSet>& sets, at::ScalarType type) {
  torch::manual_seed(8);
  std::vector<at::Tensor> gradOut;
  for (const ops::RoiSet& set : sets) {
    gradOut.push_back(
        torch::randn({set.rois.size(0), 40, set.shape.height, set.shape.width}, type));
  }
  return gradOut;
}

/// Gradients of the levels for these output gradients; undefined: no loss uses the set.
std::vector<at::Tensor> gradientsOf(const std::vector<at::Tensor>& levels,
                                    const std::vector<ops::RoiSet>& sets,
                                    const std::vector<at::Tensor>& gradOut) {
  const std::vector<at::Tensor> pooled = ops::roiAlignSets(levels, kScales, sets);
  std::vector<at::Tensor> outputs, gradients;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!gradOut[i].defined()) continue;
    outputs.push_back(pooled[i]);
    gradients.push_back(gradOut[i]);
  }
  return torch::autograd::grad(outputs, levels, gradients);
}

}  // namespace

class TstRoiAlign : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(3); }
  void cleanup() { at::set_num_threads(2); }

  void aRampKeepsItsValues() {
    // A feature pixel's value is its column; bins of 2 px, two samples each at 0.5 and 1.5: their
    // mean is the bin's middle.
    const at::Tensor ramp =
        torch::arange(16, at::kFloat).view({1, 1, 1, 16}).expand({1, 1, 16, 16});
    const at::Tensor out =
        ops::roiAlign(ramp, torch::tensor({{0.f, 2.f, 2.f, 8.f, 8.f}}), 1.0, {3, 3, 2});
    const at::Tensor expected =
        torch::tensor({3.f, 5.f, 7.f}).view({1, 1, 1, 3}).expand({1, 1, 3, 3});
    QVERIFY(at::allclose(out, expected));
  }

  void resultEqualsTheDefinition_data() {
    QTest::addColumn<int>("samplingRatio");
    QTest::addColumn<bool>("isChannelsLast");
    for (const int ratio : {1, 2, 0}) {
      QTest::addRow("%d samples, contiguous", ratio) << ratio << false;
      QTest::addRow("%d samples, channels last", ratio) << ratio << true;
    }
  }

  void resultEqualsTheDefinition() {
    QFETCH(int, samplingRatio);
    QFETCH(bool, isChannelsLast);
    const auto format =
        isChannelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    const at::Tensor features = torch::randn({2, 5, 12, 10}).contiguous(format);
    const ops::RoiAlignShape shape{3, 4, samplingRatio};
    const at::Tensor out = ops::roiAlign(features, someRois(), 0.25, shape);
    const at::Tensor expected = slowRoiAlign(features, someRois(), 0.25, shape);
    QVERIFY(at::allclose(out.to(at::kDouble), expected, 1e-4, 1e-4));
    QVERIFY(out.is_contiguous(format));
  }

  void gradientEqualsFiniteDifferences() {
    at::Tensor features = torch::randn({2, 3, 6, 5}, at::kDouble).requires_grad_();
    const at::Tensor weights = torch::randn({6, 3, 2, 3}, at::kDouble);
    const auto value = [&](const at::Tensor& input) {
      return (ops::roiAlign(input, someRois(), 0.125, {2, 3, 2}) * weights).sum();
    };
    value(features).backward();
    const at::Tensor flat = features.detach().clone();
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
      const double step = 1e-4;
      at::Tensor up = flat.clone(), down = flat.clone();
      up.view(-1)[i] += step;
      down.view(-1)[i] -= step;
      const double slope = (value(up) - value(down)).item<double>() / (2 * step);
      QVERIFY(std::abs(slope - features.grad().view(-1)[i].item<double>()) < 1e-7);
    }
  }

  void threadsDoNotChangeABitOfTheGradient() {
    const at::Tensor rois = at::cat({torch::randint(0, 2, {200, 1}).to(at::kFloat),
                                     torch::rand({200, 2}) * 60, 60 + torch::rand({200, 2}) * 60},
                                    1);
    const at::Tensor weights = torch::randn({200, 80, 7, 7});
    std::vector<at::Tensor> grads;
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      torch::manual_seed(4);
      at::Tensor features = torch::randn({2, 80, 30, 30}).requires_grad_();
      const at::Tensor levels = torch::zeros({200}, at::kLong);
      const auto pooled = ops::roiAlignSets(
          {features}, {0.25}, {{rois, levels, {7, 7, 2}}, {rois, levels, {14, 14, 2}}});
      ((pooled[0] * weights).sum() + pooled[1].square().sum()).backward();
      grads.push_back(features.grad());
    }
    QVERIFY(at::equal(grads[0], grads[1]));
    QVERIFY(at::equal(grads[0], grads[2]));
  }

  void aPyramidEqualsItsLevelsOneByOne() {
    std::vector<at::Tensor> levels, alone;
    for (const std::int64_t side : {32, 16}) {
      levels.push_back(torch::randn({2, 4, side, side}).requires_grad_());
      alone.push_back(levels.back().detach().clone().requires_grad_());
    }
    const at::Tensor rois = someRois(), choice = torch::tensor({0, 1, 1, 0, 1, 0}, at::kLong);
    const at::Tensor out = ops::roiAlignPyramid(levels, {0.25, 0.125}, rois, choice, {2, 2, 2});
    out.square().sum().backward();
    for (int level = 0; level < 2; ++level) {
      const at::Tensor index = (choice == level).nonzero().squeeze(1);
      const at::Tensor part =
          ops::roiAlign(alone[level], rois.index_select(0, index), level ? 0.125 : 0.25, {2, 2, 2});
      part.square().sum().backward();
      QVERIFY(at::equal(out.index_select(0, index), part));
      QVERIFY(at::equal(levels[level].grad(), alone[level].grad()));
    }
  }

  void setsEqualEachSetAlone() {
    const std::vector<at::Tensor> levels = someLevels(at::kFloat);
    const std::vector<ops::RoiSet> sets = boxAndMaskSets();
    const std::vector<at::Tensor> pooled = ops::roiAlignSets(levels, kScales, sets);
    QCOMPARE(pooled.size(), sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const auto& [rois, choice, shape] = sets[i];
      QVERIFY(at::equal(pooled[i], ops::roiAlignPyramid(levels, kScales, rois, choice, shape)));
    }
  }

  /// In float32 they differ in the last bits, because of another order of summation.
  void gradientsOfSetsAreTheSumOfEachAlone_data() {
    QTest::addColumn<bool>("isDouble");
    QTest::newRow("float32") << false;
    QTest::newRow("float64") << true;
  }
  void gradientsOfSetsAreTheSumOfEachAlone() {
    QFETCH(bool, isDouble);
    const at::ScalarType type = isDouble ? at::kDouble : at::kFloat;
    const std::vector<at::Tensor> levels = someLevels(type);
    const std::vector<ops::RoiSet> sets = boxAndMaskSets();
    const std::vector<at::Tensor> gradOut = randomGradOut(sets, type);
    const auto got = gradientsOf(levels, sets, gradOut);
    const auto boxes = gradientsOf(levels, {sets[0]}, {gradOut[0]}),
               masks = gradientsOf(levels, {sets[1]}, {gradOut[1]});
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const at::Tensor sum = boxes[i] + masks[i];
      QVERIFY(masks[i].abs().max().item<double>() > 0.1);
      QVERIFY((got[i] - sum).abs().max().item<double>() <=
              (isDouble ? 2e-15 : 1e-6) * sum.abs().max().item<double>());
    }
  }

  /// RoIs of one size in two sets are accumulated in the same order as in one set.
  void gradientsOfSetsAreAccumulatedInOrder() {
    const std::vector<at::Tensor> levels = someLevels(at::kFloat);
    const ops::RoiSet all{someRois(), torch::tensor({0, 1, 1, 0, 0, 0}, at::kLong), {7, 7, 2}};
    const auto part = [&](std::int64_t from, std::int64_t to) {
      return ops::RoiSet{all.rois.slice(0, from, to), all.levels.slice(0, from, to), all.shape};
    };
    const at::Tensor gradOut = randomGradOut({all}, at::kFloat)[0];
    const auto whole = gradientsOf(levels, {all}, {gradOut});
    const auto inParts = gradientsOf(levels, {part(0, 4), part(4, 6)},
                                     {gradOut.slice(0, 0, 4), gradOut.slice(0, 4, 6)});
    for (std::size_t i = 0; i < levels.size(); ++i) QVERIFY(at::equal(inParts[i], whole[i]));
  }

  void aSetWithoutALossAddsNoGradient() {
    const std::vector<at::Tensor> levels = someLevels(at::kFloat);
    const std::vector<ops::RoiSet> sets = boxAndMaskSets();
    const std::vector<at::Tensor> gradOut = randomGradOut(sets, at::kFloat);
    const auto got = gradientsOf(levels, sets, {{}, gradOut[1]}),
               expected = gradientsOf(levels, {sets[1]}, {gradOut[1]});
    for (std::size_t i = 0; i < levels.size(); ++i) QVERIFY(at::equal(got[i], expected[i]));
  }

  void anEmptySetAddsNoGradient() {
    const std::vector<at::Tensor> levels = someLevels(at::kFloat);
    std::vector<ops::RoiSet> sets = boxAndMaskSets();
    sets[1] = {torch::zeros({0, 5}), torch::zeros({0}, at::kLong), {14, 14, 2}};
    const auto gradOut = randomGradOut(sets, at::kFloat);
    const auto pooled = ops::roiAlignSets(levels, kScales, sets);
    QVERIFY((pooled[1].sizes() == at::IntArrayRef{0, 40, 14, 14}));
    const auto got = gradientsOf(levels, sets, gradOut),
               expected = gradientsOf(levels, {sets[0]}, {gradOut[0]});
    for (std::size_t i = 0; i < levels.size(); ++i) QVERIFY(at::equal(got[i], expected[i]));
    sets[0] = sets[1];
    for (const at::Tensor& none : gradientsOf(levels, sets, randomGradOut(sets, at::kFloat)))
      QVERIFY((none == 0).all().item<bool>());
  }

  void moreSetsThanHeadsAreRefused() {
    const std::vector<ops::RoiSet> sets = boxAndMaskSets();
    QVERIFY_EXCEPTION_THROWN(
        ops::roiAlignSets(someLevels(at::kFloat), kScales, {sets[0], sets[1], sets[0]}),
        c10::Error);
    QVERIFY_EXCEPTION_THROWN(ops::roiAlignSets(someLevels(at::kFloat), kScales, {}), c10::Error);
  }

  void noRoisGiveEmptyOutputAndZeroGradient() {
    at::Tensor features = torch::randn({1, 2, 4, 4}).requires_grad_();
    const at::Tensor out = ops::roiAlign(features, torch::zeros({0, 5}), 1.0, {7, 7, 2});
    QVERIFY((out.sizes() == at::IntArrayRef{0, 2, 7, 7}));
    out.sum().backward();
    QVERIFY(features.grad().eq(0).all().item<bool>());
  }

  void lowPrecisionFeaturesKeepFullPrecisionRois() {
    const at::Tensor features = torch::randn({1, 3, 40, 40}).to(at::kBFloat16);
    const at::Tensor roi = torch::tensor(
        {{0.f, 1001.3f, 1003.7f, 1100.2f, 1111.1f}});  // bfloat16 has steps of 8 px here
    const at::Tensor out = ops::roiAlign(features, roi, 1.0 / 32, {2, 2, 2});
    QVERIFY(out.scalar_type() == at::kBFloat16);
    const at::Tensor exact = ops::roiAlign(features.to(at::kFloat), roi, 1.0 / 32, {2, 2, 2});
    QVERIFY(at::equal(out, exact.to(at::kBFloat16)));
  }

  void roisOfAMissingImageAreRefused() {
    const at::Tensor features = torch::randn({1, 2, 4, 4});
    QVERIFY_EXCEPTION_THROWN(
        ops::roiAlign(features, torch::tensor({{1.f, 0.f, 0.f, 2.f, 2.f}}), 1.0, {}), c10::Error);
    QVERIFY_EXCEPTION_THROWN(ops::roiAlign(features, torch::zeros({1, 4}), 1.0, {}), c10::Error);
  }
};

LOCKSTEP_TEST(TstRoiAlign)
#include "tst_roi_align.moc"
