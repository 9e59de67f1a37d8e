#include <QTest>
#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_pairs.h"
#include "widgets/instances/matched_pair.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

constexpr double kIou = 0.5;

double boxIou(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const double w = std::min(a[0] + a[2], b[0] + b[2]) - std::max(a[0], b[0]),
               h = std::min(a[1] + a[3], b[1] + b[3]) - std::max(a[1], b[1]);
  if (w <= 0 || h <= 0) return 0;
  return w * h / (a[2] * a[3] + b[2] * b[3] - w * h);
}

/// How an object is found; a class of another detection: it is taken for that.
struct PlainFind {
  PairedFind find{};
  std::optional<CategoryId> predicted{};
};

/// Whether a detection is on a crowd of its class, which makes it no error.
bool isOnCrowd(const coco::Detection& detection, const std::vector<coco::Annotation>& objects) {
  return std::ranges::any_of(objects, [&](const coco::Annotation& object) {
    if (!object.isCrowd || object.categoryId != detection.categoryId) return false;
    const auto &a = object.boxXywh, &b = detection.boxXywh;
    const double w = std::min(a[0] + a[2], b[0] + b[2]) - std::max(a[0], b[0]),
                 h = std::min(a[1] + a[3], b[1] + b[3]) - std::max(a[1], b[1]);
    return w > 0 && h > 0 && w * h / (b[2] * b[3]) >= kIou;
  });
}

/// COCO's greedy matching in plain words: by falling score each detection takes the free object of
/// its class with the highest IoU, the later one of equal ones; then each that has none, likewise,
/// the missed one of another class.
std::vector<PlainFind> plainlyFound(const std::vector<coco::Annotation>& objects,
                                    std::vector<coco::Detection> detections, double score) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::erase_if(detections, [&](const auto& one) { return one.score < score; });
  std::vector<PlainFind> found(objects.size());
  for (const bool isOfItsClass : {true, false}) {
    std::vector<coco::Detection> left;
    for (const coco::Detection& detection : detections) {
      int best = -1;
      double highest = kIou;
      for (std::size_t i = 0; i < objects.size(); ++i) {
        const bool isSame = objects[i].categoryId == detection.categoryId;
        if (found[i].predicted || objects[i].isCrowd || isSame != isOfItsClass) continue;
        const double iou = boxIou(objects[i].boxXywh, detection.boxXywh);
        if (iou < highest) continue;
        highest = iou;
        best = static_cast<int>(i);
      }
      if (best >= 0)
        found[static_cast<std::size_t>(best)] = {
            {static_cast<float>(detection.score), static_cast<float>(highest)},
            detection.categoryId};
      else if (!isOnCrowd(detection, objects))
        left.push_back(detection);
    }
    detections = left;
  }
  return found;
}

std::vector<PairedObject> objectsOf(const tests::MadePairs& made, double score) {
  return MatchedPair(made.dataset, made.first, made.second, {coco::IouType::Box}, kIou)
      .objectsAt(score);
}

/// NaN is NaN. IoUs are computed in another order.
bool areSameFinds(const PairedFind& one, const PairedFind& other) {
  if (std::isnan(one.score)) return std::isnan(other.score) && std::isnan(one.iou);
  return one.score == other.score && std::abs(one.iou - other.iou) < 1e-6F;
}

}  // namespace

class TstPairedObjects : public QObject {
  Q_OBJECT

 private:
  int takenForOthers_ = 0;

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
    const auto objects = objectsOf(made, score);
    const auto& categories = made.dataset.categories();
    std::size_t at = 0;
    std::array<int, 4> counts{};
    int taken = 0;  // for another class
    for (std::size_t i = 0; i < made.dataset.images().size(); ++i) {
      const ImageId id = made.dataset.images()[i].id;
      if (!made.first.contains(id) || !made.second.contains(id)) continue;
      const auto& truth = made.dataset.annotationsOf(i);
      const std::array plain{plainlyFound(truth, *made.first.at(id).read(), score),
                             plainlyFound(truth, *made.second.at(id).read(), score)};
      for (std::size_t a = 0; a < truth.size(); ++a) {
        if (truth[a].isCrowd) continue;
        QVERIFY(at < objects.size());
        QCOMPARE(objects[at].imageIndex, i);
        QCOMPARE(objects[at].annotation, static_cast<int>(a));
        const auto isFound = [&](std::size_t side) {
          return plain.at(side)[a].predicted == truth[a].categoryId;
        };
        const Finders expected = isFound(0)   ? isFound(1) ? Finders::Both : Finders::OnlyFirst
                                 : isFound(1) ? Finders::OnlySecond
                                              : Finders::Neither;
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
          const std::int32_t row = objects[at].predicted.at(side);
          std::optional<CategoryId> predicted;
          if (row >= 0) predicted = categories[static_cast<std::size_t>(row)].id;
          QVERIFY(areSameFinds(objects[at].finds.at(side), plain.at(side)[a].find));
          QVERIFY(predicted == plain.at(side)[a].predicted);
          taken += predicted && *predicted != truth[a].categoryId ? 1 : 0;
        }
        QCOMPARE(objects[at].finders, expected);
        ++counts.at(static_cast<std::size_t>(expected));
        ++at;
      }
    }
    QCOMPARE(at, objects.size());
    QVERIFY(std::ranges::all_of(counts, [](int count) { return count > 0; }));
    takenForOthers_ += taken;
  }

  void swappedResultsSwapTheFinders() {
    const tests::MadePairs made(3);
    const auto there = objectsOf(made, 0.5);
    tests::MadePairs swapped = made;
    std::swap(swapped.first, swapped.second);
    const auto back = objectsOf(swapped, 0.5);
    QCOMPARE(there.size(), back.size());
    for (std::size_t i = 0; i < there.size(); ++i) {
      const Finders was = there[i].finders;
      const Finders expected = was == Finders::OnlyFirst    ? Finders::OnlySecond
                               : was == Finders::OnlySecond ? Finders::OnlyFirst
                                                            : was;
      QCOMPARE(back[i].finders, expected);
    }
  }

  void objectsAreCounted() {
    const tests::MadePairs made(2);
    const MatchedPair pair(made.dataset, made.first, made.second, {coco::IouType::Box}, kIou);
    std::vector<std::size_t> counts(pair.categories().size());
    for (const PairedObject& object : pair.objectsAt(0))
      for (std::size_t row = 0; row < counts.size(); ++row)
        counts[row] += pair.categories()[row].id == object.category ? 1 : 0;
    QCOMPARE(pair.objectCounts(), counts);
  }

  /// Of the sets above, or they would say nothing.
  void someObjectsWereTakenForOthers() { QVERIFY(takenForOthers_ > 0); }
};

LOCKSTEP_TEST(TstPairedObjects)
#include "tst_paired_objects.moc"
