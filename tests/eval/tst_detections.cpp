#include <QTest>

#include "engine/eval/detections.h"
#include "engine/structures/instances.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstDetections : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void detectionsAreInPxOfTheFile() {
    structures::PredInstances predictions{at::tensor({10.f, 20.f, 30.f, 60.f}).reshape({1, 4}),
                                          at::tensor({0.75f}), at::tensor({2}, at::kLong),
                                          at::ones({1, 28, 28})};
    const auto detections =
        eval::toDetections(predictions, {100, 50}, {200, 150}, {5}, {{11}, {17}});
    QCOMPARE(detections.size(), std::size_t(1));
    QCOMPARE(detections[0].categoryId.value, 17);
    QCOMPARE(detections[0].boxXywh, (std::array<double, 4>{30, 40, 60, 80}));
    QCOMPARE(detections[0].mask.height, 200);
    // The middle of the box is inside, a corner of the image is not.
    const auto mask = coco::decodeMask(detections[0].mask);
    QCOMPARE(detections[0].mask, coco::encodeMask(mask.data(), 200, 150, 150));
    QVERIFY(mask[80 * 150 + 60]);
    QVERIFY(!mask[0]);
  }
};

LOCKSTEP_TEST(TstDetections)
#include "tst_detections.moc"
