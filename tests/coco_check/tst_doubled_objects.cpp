#include <QTest>
#include <random>

#include "engine/coco/check/doubled_objects.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;

namespace {

constexpr int kSidePx = 60;

/// Squares of one image.
struct Objects {
  std::vector<Annotation> annotations;
  std::vector<Rle> masks;

  void add(double x, double y, double side, std::int64_t category = 1, bool isCrowd = false) {
    Annotation annotation;
    annotation.categoryId = {category};
    annotation.isCrowd = isCrowd;
    annotations.push_back(annotation);
    masks.push_back(rasterisePolygon(
        std::vector<double>{x, y, x + side, y, x + side, y + side, x, y + side}, kSidePx, kSidePx));
  }
  std::vector<DoubledObject> found() const { return findDoubledObjects(annotations, masks); }
};

}  // namespace

class TstDoubledObjects : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theSmallerOneIsDoubled() {
    Objects objects;
    objects.add(0, 0, 10);
    objects.add(0, 0, 11);  // IoU 100 / 121
    const auto found = objects.found();
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].doubled, 0u);
    QCOMPARE(found[0].kept, 1u);
    QCOMPARE(found[0].iou, 100. / 121);
  }

  void ofEqualOnesTheLaterIsDoubled() {
    Objects objects;
    objects.add(5, 5, 10);
    objects.add(5, 5, 10);
    const auto found = objects.found();
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].doubled, 1u);
    QCOMPARE(found[0].iou, 1.0);
  }

  void whatIsNotTheSameObjectIsNotDoubled() {
    Objects objects;
    objects.add(0, 0, 20);
    objects.add(5, 0, 20);            // IoU 300 / 500: not over 0.6
    objects.add(0, 0, 20, 2);         // another class
    objects.add(0, 0, 20, 1, true);   // a crowd
    objects.add(2, 2, 8);             // within the first
    objects.add(kSidePx + 5, 0, 20);  // without a pixel
    objects.add(kSidePx + 5, 0, 20);
    QCOMPARE(objects.found().size(), 0u);
  }

  void randomObjectsAreComparedAsByEveryPair() {
    std::mt19937 random(3);
    std::size_t pairs = 0;
    for (int round = 0; round < 50; ++round) {
      Objects objects;
      for (int i = 0; i < 40; ++i)
        objects.add(random() % 30, random() % 30, 10 + random() % 8, 1 + random() % 2);
      std::size_t expected = 0;
      for (std::size_t i = 0; i < objects.masks.size(); ++i) {
        for (std::size_t j = i + 1; j < objects.masks.size(); ++j)
          expected += objects.annotations[i].categoryId == objects.annotations[j].categoryId &&
                      maskIou(objects.masks[i], objects.masks[j]) > kDoubledIou;
      }
      QCOMPARE(objects.found().size(), expected);
      pairs += expected;
    }
    QVERIFY(pairs > 100);
  }
};

LOCKSTEP_TEST(TstDoubledObjects)
#include "tst_doubled_objects.moc"
