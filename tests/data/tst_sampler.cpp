#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/error.h"
#include "engine/coco/files/training_images.h"
#include "engine/data/sampler.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using data::Sampler;
using data::SamplerOptions;

namespace {

/// `count` images, every third of them tall, every `emptyEvery`-th without a usable annotation.
coco::Dataset dataset(int count, int emptyEvery = 1000000) {
  std::vector<coco::Image> images;
  std::vector<coco::Annotation> annotations;
  for (int i = 0; i < count; ++i) {
    const bool isTall = i % 3 == 0;
    images.push_back({{100 + i}, std::to_string(i) + ".png", isTall ? 20 : 30, isTall ? 30 : 20});
    coco::Annotation annotation;
    annotation.id = i + 1;
    annotation.imageId = images.back().id;
    annotation.categoryId = {1};
    annotation.boxXywh = {1, 1, i % emptyEvery == emptyEvery - 1 ? 1.0 : 8.0, 8};
    annotation.area = 64;
    annotation.segmentation = std::vector<std::vector<double>>{{1, 1, 9, 1, 9, 9}};
    annotations.push_back(annotation);
  }
  return coco::Dataset::fromParts(images, {{{1}, "thing"}}, annotations, "made.json");
}

std::vector<Sampler::Draw> firstDraws(const Sampler& sampler, std::int64_t steps,
                                      int microBatches) {
  std::vector<Sampler::Draw> draws;
  for (std::int64_t step = 1; step <= steps; ++step) {
    for (int microBatch = 0; microBatch < microBatches; ++microBatch) {
      const auto some = sampler.imagesOf(step, microBatch);
      draws.insert(draws.end(), some.begin(), some.end());
    }
  }
  return draws;
}

SamplerOptions options(int batchSize, int accumulate = 1, bool groupByAspect = true) {
  SamplerOptions made;
  made.batchSize = batchSize;
  made.accumulate = accumulate;
  made.groupByAspect = groupByAspect;
  return made;
}

}  // namespace

class TstSampler : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void imagesLeftOutAreReplacedByTheNextOfTheEpoch_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("microBatches");
    QTest::addColumn<bool>("grouped");
    QTest::newRow("1 rank") << 1 << 1 << false;
    QTest::newRow("1 rank, by aspect") << 1 << 1 << true;
    QTest::newRow("2 ranks of 2 micro-batches") << 2 << 2 << false;
    QTest::newRow("3 ranks, by aspect") << 3 << 1 << true;
  }
  void imagesLeftOutAreReplacedByTheNextOfTheEpoch() {
    QFETCH(int, ranks);
    QFETCH(int, microBatches);
    QFETCH(bool, grouped);
    constexpr int kImages = 20, kSteps = 20;
    const coco::Dataset images = dataset(kImages);
    const auto drawsWithout = [&](const std::vector<std::int64_t>& ids) {
      std::vector<Sampler::Draw> draws;
      for (std::int64_t step = 1; step <= kSteps; ++step) {
        for (int microBatch = 0; microBatch < microBatches; ++microBatch) {
          for (int rank = 0; rank < ranks; ++rank) {
            SamplerOptions made = options(12, microBatches, grouped);
            made.rank = rank;
            made.worldSize = ranks;
            Sampler sampler(images, made);
            sampler.leaveOut(ids);
            const auto some = sampler.imagesOf(step, microBatch);
            draws.insert(draws.end(), some.begin(), some.end());
          }
        }
      }
      return draws;
    };
    const std::set<std::size_t> left{3, 4, 11};
    const auto whole = drawsWithout({}), some = drawsWithout({103, 104, 111, 9999});
    QCOMPARE(some.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      // The positions of its epoch, from this one on, cyclically.
      const std::size_t begin = i / kImages * kImages;
      std::size_t next = i % kImages;
      while (left.contains(whole[begin + next].imageIndex)) next = (next + 1) % kImages;
      QVERIFY(some[i].imageIndex == whole[begin + next].imageIndex);
      QCOMPARE(some[i].epoch, whole[i].epoch);
    }
  }

  void leavingOutAllImagesIsRefused() {
    Sampler sampler(dataset(3), options(1));
    sampler.leaveOut({100, 101});
    for (int step = 1; step < 5; ++step)
      QCOMPARE(sampler.imagesOf(step, 0)[0].imageIndex, std::size_t{2});
    try {
      sampler.leaveOut({102});
      QFAIL("was accepted");
    } catch (const Error& error) {
      QVERIFY2(
          std::string(error.what()).find("none of the 3 images can be read") != std::string::npos,
          error.what());
    }
  }

  void everyEpochIsAPermutation_data() {
    QTest::addColumn<int>("images");
    QTest::addColumn<int>("batchSize");
    QTest::addColumn<int>("accumulate");
    QTest::addColumn<bool>("grouped");
    for (bool grouped : {false, true}) {
      for (int images : {1, 2, 3, 7, 12, 31, 100}) {
        for (auto [batch, accumulate] :
             {std::pair{1, 1}, {2, 1}, {4, 1}, {8, 2}, {9, 3}, {16, 1}}) {
          QTest::addRow("%d images, batch %d in %d micro-batches%s", images, batch, accumulate,
                        grouped ? ", grouped" : "")
              << images << batch << accumulate << grouped;
        }
      }
    }
  }
  void everyEpochIsAPermutation() {
    QFETCH(int, images);
    QFETCH(int, batchSize);
    QFETCH(int, accumulate);
    QFETCH(bool, grouped);
    const coco::Dataset made = dataset(images);
    const Sampler sampler(made, options(batchSize, accumulate, grouped));
    const auto draws = firstDraws(sampler, 5 * images / batchSize + 1, accumulate);
    for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
      std::set<std::size_t> seen;
      for (int i = 0; i < images; ++i) {
        const Sampler::Draw& draw = draws[static_cast<std::size_t>(epoch * images + i)];
        QCOMPARE(draw.epoch, epoch);
        QVERIFY(draw.imageIndex < static_cast<std::size_t>(images));
        seen.insert(draw.imageIndex);
      }
      QCOMPARE(seen.size(), static_cast<std::size_t>(images));
    }
  }

  void imagesOfABatchHaveOneAspect() {
    const coco::Dataset made = dataset(101);
    const Sampler sampler(made, options(8, 2));
    int mixed = 0, microBatches = 0;
    for (std::int64_t step = 1; step <= 126; ++step) {  // ten epochs
      for (int microBatch = 0; microBatch < 2; ++microBatch, ++microBatches) {
        std::set<bool> aspects;
        for (const Sampler::Draw& draw : sampler.imagesOf(step, microBatch))
          aspects.insert(draw.imageIndex % 3 == 0);
        mixed += aspects.size() > 1;
      }
    }
    QVERIFY2(mixed <= 20, qPrintable(QString::number(mixed)));  // at most two an epoch, of 25
  }

  void stepsCanBeQueriedInAnyOrder() {
    const coco::Dataset made = dataset(23);
    const Sampler sampler(made, options(4)), other(made, options(4));
    const auto late = other.imagesOf(40, 0);
    QVERIFY(sampler.imagesOf(40, 0) == late);
    const auto first = sampler.imagesOf(1, 0);
    QVERIFY(other.imagesOf(1, 0) == first);
    QVERIFY(sampler.imagesOf(40, 0) == late);
  }

  void ranksGetTheImagesOfMicroBatchesOfOneRank() {
    const coco::Dataset made = dataset(50);
    SamplerOptions ofRank = options(12);
    ofRank.worldSize = 3;
    const Sampler single(made, options(12, 3));
    for (std::int64_t step : {1, 2, 9}) {
      for (int rank = 0; rank < 3; ++rank) {
        ofRank.rank = rank;
        QVERIFY(Sampler(made, ofRank).imagesOf(step, 0) == single.imagesOf(step, rank));
      }
    }
  }

  void orderDependsOnSeedAndEpoch() {
    const coco::Dataset made = dataset(40);
    SamplerOptions other = options(1);
    other.seed = 2;
    const auto one = firstDraws(Sampler(made, options(1)), 80, 1),
               two = firstDraws(Sampler(made, other), 80, 1);
    const auto order = [](auto begin, auto end) {
      std::vector<std::size_t> indices;
      for (; begin != end; ++begin) indices.push_back(begin->imageIndex);
      return indices;
    };
    QVERIFY(order(one.begin(), one.begin() + 40) != order(two.begin(), two.begin() + 40));
    QVERIFY(order(one.begin(), one.begin() + 40) != order(one.begin() + 40, one.end()));
  }

  void relativeOrderDependsOnIdsOnly() {
    // Images that are left out do not change the relative order of the others.
    const coco::Dataset all = dataset(30), some = dataset(30, 5);
    const auto draws = firstDraws(Sampler(all, options(1)), 30, 1),
               fewer = firstDraws(Sampler(some, options(1)), 24, 1);
    std::vector<std::size_t> expected, found;
    for (const auto& draw : draws) {
      if (draw.imageIndex % 5 != 4) expected.push_back(draw.imageIndex);
    }
    for (const auto& draw : fewer) found.push_back(draw.imageIndex);
    QVERIFY(found == expected);
  }

  void skipEmptyLeavesOutImagesWithoutUsableAnnotations() {
    const coco::Dataset made = dataset(30, 5);
    SamplerOptions keep = options(2);
    keep.skipEmpty = false;
    QCOMPARE(Sampler(made, options(2)).drawsPerEpoch(), std::int64_t{24});
    QCOMPARE(Sampler(made, keep).drawsPerEpoch(), std::int64_t{30});
    QVERIFY_EXCEPTION_THROWN(Sampler(dataset(3, 1), options(1)), Error);
  }

  void indivisibleBatchSizesAreRefused() {
    const coco::Dataset made = dataset(5);
    try {
      const Sampler sampler(made, options(16, 3));
      QFAIL("was accepted");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QVERIFY2(QByteArray(error.what()).contains("16 is not a multiple of 3"), error.what());
    }
  }

  /// LVIS' formula by hand: 40 images, class 2 in four of them, class 1 in all.
  void repeatFactorsFollowLvis() {
    const coco::Dataset made = withRareClass();
    const auto used = coco::trainingImages(made, true);
    const std::vector<double> factors = coco::repeatFactors(made, used, .4);
    for (std::size_t i = 0; i < factors.size(); ++i)
      QCOMPARE(factors[i], i % 10 == 3 ? std::sqrt(.4 / .1) : 1.0);
    QCOMPARE(coco::drawsPerEpoch(factors), std::int64_t{44});
    for (const double factor : coco::repeatFactors(made, used, 0)) QCOMPARE(factor, 1.0);
    QCOMPARE(coco::repeatFactors(made, used, .3)[3], std::sqrt(.3 / .1));
  }

  void inverseClassWeightsHaveMeanOneOverObjects() {
    const coco::Dataset made = withRareClass();  // 40 objects and 4
    const std::vector<double> weights =
        coco::inverseClassWeights(made, coco::trainingImages(made, true));
    QCOMPARE(weights, (std::vector<double>{44 / 80., 44 / 8.}));
    QCOMPARE((40 * weights[0] + 4 * weights[1]) / 44, 1.0);
  }

  void imagesOfRareClassesAreRepeated_data() {
    QTest::addColumn<double>("threshold");
    QTest::addColumn<bool>("grouped");
    for (const bool grouped : {false, true}) {
      QTest::addRow("whole factor%s", grouped ? ", grouped" : "") << .4 << grouped;
      QTest::addRow("fraction%s", grouped ? ", grouped" : "") << .3 << grouped;
    }
  }
  void imagesOfRareClassesAreRepeated() {
    QFETCH(double, threshold);
    QFETCH(bool, grouped);
    const coco::Dataset made = withRareClass();
    SamplerOptions some = options(2, 1, grouped);
    some.repeatThreshold = threshold;
    const Sampler sampler(made, some);
    const std::int64_t length = sampler.drawsPerEpoch();
    const int epochs = 200;
    std::vector<int> counts(40);
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
      std::set<std::pair<std::size_t, int>> drawn;
      std::vector<int> here(40);
      for (std::int64_t step = epoch * length / 2 + 1; step <= (epoch + 1) * length / 2; ++step) {
        for (const Sampler::Draw& draw : sampler.imagesOf(step, 0)) {
          if (length % 2 == 0) QCOMPARE(draw.epoch, epoch);
          QVERIFY(drawn.insert({draw.imageIndex, draw.copy}).second || length % 2 != 0);
          ++counts[draw.imageIndex];
          ++here[draw.imageIndex];
        }
      }
      if (length % 2 != 0) continue;
      for (std::size_t i = 0; i < here.size(); ++i)
        QVERIFY(here[i] >= 1 && here[i] <= (i % 10 == 3 ? 2 : 1));
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double factor = i % 10 == 3 ? std::sqrt(threshold / .1) : 1;
      QVERIFY2(std::abs(counts[i] / double(epochs) - factor) < .12,
               qPrintable(QStringLiteral("image %1: %2").arg(i).arg(counts[i])));
    }
  }

  void aCopyHasRandomChoicesOfItsOwn() {
    const Sampler::Draw first{0, 3, 0}, second{0, 3, 1};
    QCOMPARE(first.occurrence(), std::int64_t{3});
    QVERIFY(second.occurrence() != first.occurrence());
  }

 private:
  static coco::Dataset withRareClass() {
    std::vector<coco::Image> images;
    std::vector<coco::Annotation> annotations;
    for (std::int64_t i = 0; i < 40; ++i) {
      images.push_back({{i + 1}, std::to_string(i) + ".png", i % 3 == 0 ? 50 : 80, 60});
      for (std::int64_t category = 1; category <= (i % 10 == 3 ? 2 : 1); ++category) {
        coco::Annotation annotation{static_cast<std::int64_t>(annotations.size()) + 1,
                                    {i + 1},
                                    {category},
                                    {1, 1, 9, 9},
                                    81,
                                    false,
                                    {}};
        annotation.segmentation = std::vector<std::vector<double>>{{1, 1, 10, 1, 10, 10, 1, 10}};
        annotations.push_back(annotation);
      }
    }
    return coco::Dataset::fromParts(images, {{{1}, "usual"}, {{2}, "rare"}}, annotations, "made");
  }

  void donorsAreOtherImagesOfTheEpoch() {
    const coco::Dataset images = dataset(12);
    SamplerOptions made = options(2);
    made.copyPaste = 0.5;
    Sampler sampler(images, made);
    std::set<std::size_t> donors;
    int pasted = 0, all = 0;
    for (const Sampler::Draw& draw : firstDraws(sampler, 300, 1)) {
      ++all;
      if (!draw.donorIndex) continue;
      ++pasted;
      QVERIFY(*draw.donorIndex != draw.imageIndex);
      donors.insert(*draw.donorIndex);
    }
    QVERIFY(std::abs(2 * pasted - all) < all / 6);
    QVERIFY(donors.size() >= 8);
    const auto again = firstDraws(Sampler(images, made), 300, 1);
    QVERIFY(again == firstDraws(sampler, 300, 1));
    const std::int64_t left = images.images()[*donors.begin()].id.value;
    sampler.leaveOut({left});
    for (const Sampler::Draw& draw : firstDraws(sampler, 300, 1))
      QVERIFY(!draw.donorIndex || images.images()[*draw.donorIndex].id.value != left);
  }
};

LOCKSTEP_TEST(TstSampler)
#include "tst_sampler.moc"
