#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_pairs.h"
#include "widgets/instances/paired_objects.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

double boxIou(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const double w = std::min(a[0] + a[2], b[0] + b[2]) - std::max(a[0], b[0]),
               h = std::min(a[1] + a[3], b[1] + b[3]) - std::max(a[1], b[1]);
  if (w <= 0 || h <= 0) return 0;
  return w * h / (a[2] * a[3] + b[2] * b[3] - w * h);
}

/// COCO's greedy matching in plain words: by falling score each detection takes the free object of
/// its class with the highest IoU, the later one of equal ones. By score and IoU; NaN: not found.
std::vector<PairedFind> plainlyFound(const std::vector<coco::Annotation>& objects,
                                     std::vector<coco::Detection> detections,
                                     const MatchThresholds& thresholds) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<PairedFind> found(objects.size());
  for (const coco::Detection& detection : detections) {
    if (detection.score < thresholds.score) continue;
    int best = -1;
    double highest = thresholds.iou;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (!std::isnan(found[i].score) || objects[i].isCrowd ||
          objects[i].categoryId != detection.categoryId)
        continue;
      const double iou = boxIou(objects[i].boxXywh, detection.boxXywh);
      if (iou < highest) continue;
      highest = iou;
      best = static_cast<int>(i);
    }
    if (best >= 0)
      found[static_cast<std::size_t>(best)] = {static_cast<float>(detection.score),
                                               static_cast<float>(highest)};
  }
  return found;
}

/// NaN is NaN. IoUs are computed in another order.
bool areSame(const PairedFind& one, const PairedFind& other) {
  if (std::isnan(one.score)) return std::isnan(other.score) && std::isnan(one.iou);
  return one.score == other.score && std::abs(one.iou - other.iou) < 1e-6F;
}

}  // namespace

class TstPairedObjects : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findersAreThoseOfPlainMatching_data() {
    QTest::addColumn<int>("seed");
    QTest::addColumn<double>("score");
    for (int seed = 1; seed <= 10; ++seed)
      for (const double score : {0.0, 0.5})
        QTest::addRow("seed %d, score %.1f", seed, score) << seed << score;
  }
  void findersAreThoseOfPlainMatching() {
    QFETCH(int, seed);
    QFETCH(double, score);
    const tests::MadePairs made(static_cast<std::uint64_t>(seed));
    const MatchThresholds thresholds{score, 0.5};
    const auto objects =
        pairedObjects(made.dataset, made.first, made.second, {coco::IouType::Box}, thresholds);
    std::size_t at = 0;
    std::array<int, 4> counts{};
    for (std::size_t i = 0; i < made.dataset.images().size(); ++i) {
      const ImageId id = made.dataset.images()[i].id;
      if (!made.first.contains(id) || !made.second.contains(id)) continue;
      const auto& truth = made.dataset.annotationsOf(i);
      const auto byFirst = plainlyFound(truth, *made.first.at(id).read(), thresholds),
                 bySecond = plainlyFound(truth, *made.second.at(id).read(), thresholds);
      for (std::size_t a = 0; a < truth.size(); ++a) {
        if (truth[a].isCrowd) continue;
        QVERIFY(at < objects.size());
        QCOMPARE(objects[at].imageIndex, i);
        QCOMPARE(objects[at].annotation, static_cast<int>(a));
        const bool first = !std::isnan(byFirst[a].score), second = !std::isnan(bySecond[a].score);
        const Finders expected = first    ? second ? Finders::Both : Finders::OnlyFirst
                                 : second ? Finders::OnlySecond
                                          : Finders::Neither;
        QVERIFY(areSame(objects[at].finds[0], byFirst[a]));
        QVERIFY(areSame(objects[at].finds[1], bySecond[a]));
        QCOMPARE(objects[at].finders, expected);
        ++counts.at(static_cast<std::size_t>(expected));
        ++at;
      }
    }
    QCOMPARE(at, objects.size());
    QVERIFY(std::ranges::all_of(counts, [](int count) { return count > 0; }));
  }

  void swappedResultsSwapTheFinders() {
    const tests::MadePairs made(3);
    const auto there = pairedObjects(made.dataset, made.first, made.second, {}, {});
    const auto back = pairedObjects(made.dataset, made.second, made.first, {}, {});
    QCOMPARE(there.size(), back.size());
    for (std::size_t i = 0; i < there.size(); ++i) {
      const Finders was = there[i].finders;
      const Finders expected = was == Finders::OnlyFirst    ? Finders::OnlySecond
                               : was == Finders::OnlySecond ? Finders::OnlyFirst
                                                            : was;
      QCOMPARE(back[i].finders, expected);
    }
  }

  void withoutACommonImageThereIsNoObject() {
    const tests::MadePairs made(1);
    QVERIFY(pairedObjects(made.dataset, made.first, {}, {}, {}).empty());
  }
};

LOCKSTEP_TEST(TstPairedObjects)
#include "tst_paired_objects.moc"
