#include <QElapsedTimer>
#include <QTest>
#include <cmath>
#include <random>
#include <set>

#include "engine/dataset_check/doubled_objects.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::dataset_check;

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
  void addBox(double x, double y, double width, double height) {
    Annotation annotation;
    annotation.categoryId = {1};
    annotation.hasMask = false;
    annotation.boxXywh = {x, y, width, height};
    annotations.push_back(annotation);
    masks.push_back(rasterisePolygon(
        std::vector<double>{x, y, x + width, y, x + width, y + height, x, y + height}, kSidePx,
        kSidePx));
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

  void objectsWithoutMasksAreComparedByTheirBoxes() {
    Objects objects;
    objects.addBox(0, 0, 20, 20);
    objects.addBox(0, 0, 20, 18.9);  // box IoU 0.945
    objects.addBox(30, 30, 20, 20);
    objects.addBox(30, 30, 19.1, 20);  // 0.955
    objects.add(0, 30, 20);
    objects.addBox(0, 30, 20, 20);  // of one that has a mask
    objects.addBox(-30, 50, 40, 10);
    objects.addBox(-10, 50, 20, 10);  // the same within the image
    const auto found = objects.found();
    QCOMPARE(found.size(), 2u);
    QCOMPARE(found[0].kept, 2u);
    QCOMPARE(found[0].doubled, 3u);
    QVERIFY(std::abs(found[0].iou - 0.955) < 1e-9);
    QCOMPARE(found[1].kept, 6u);
    QCOMPARE(found[1].doubled, 7u);
  }

  void whatIsDoubledByADoubledObjectIsNot() {
    Objects objects;
    objects.add(0, 0, 16);
    objects.add(0, 0, 25);
    objects.add(0, 0, 20);  // IoU 0.64 with both
    const auto found = objects.found();
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].kept, 1u);
    QCOMPARE(found[0].doubled, 2u);
  }

  void randomObjectsAreDoubledByOneThatIsKept() {
    std::mt19937 random(3);
    std::size_t doubled = 0;
    for (int round = 0; round < 50; ++round) {
      Objects objects;
      for (int i = 0; i < 40; ++i)
        objects.add(random() % 30, random() % 30, 10 + random() % 8, 1 + random() % 2);
      std::set<std::size_t> left;
      for (std::size_t i = 0; i < objects.masks.size(); ++i) left.insert(i);
      const auto found = objects.found();
      for (const DoubledObject& one : found) QCOMPARE(left.erase(one.doubled), 1u);
      for (const DoubledObject& one : found) {
        const Rle &kept = objects.masks[one.kept], &mask = objects.masks[one.doubled];
        QVERIFY(left.contains(one.kept) && areaPx(kept) >= areaPx(mask));
        QCOMPARE(one.iou, maskIou(kept, mask));
      }
      for (const std::size_t i : left) {
        for (const std::size_t j : left) {
          QVERIFY(i == j ||
                  objects.annotations[i].categoryId != objects.annotations[j].categoryId ||
                  maskIou(objects.masks[i], objects.masks[j]) <= kDoubledIou);
        }
      }
      doubled += found.size();
    }
    QVERIFY(doubled > 100);
  }

  void thousandsOfLargeObjectsTakeSeconds_data() {
    QTest::addColumn<int>("stepPx");
    QTest::newRow("in one place") << 1;
    QTest::newRow("over half an image") << 9;
  }
  void thousandsOfLargeObjectsTakeSeconds() {
    QFETCH(int, stepPx);
    constexpr int kSide = 1500, kObjects = 3000, kColumns = 55;
    Objects objects;
    for (int i = 0; i < kObjects; ++i) {
      const double x = i % kColumns * stepPx, y = i / kColumns * stepPx;
      objects.annotations.emplace_back();
      objects.masks.push_back(rasterisePolygon(
          std::vector<double>{x, y, x + 1000, y, x + 1000, y + 1000, x, y + 1000}, kSide, kSide));
    }
    QElapsedTimer timer;
    timer.start();
    const auto found = objects.found();
    QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
    QVERIFY(!found.empty());
  }
};

LOCKSTEP_TEST(TstDoubledObjects)
#include "tst_doubled_objects.moc"
