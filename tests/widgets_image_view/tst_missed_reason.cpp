#include <QTest>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/instances/instance_match.h"

using namespace lockstep;
using namespace lockstep::widgets;
using tests::boxAnnotation;
using tests::boxDetection;
using tests::kWideImage;
using Reason = MissedReason::Kind;

namespace {

QString nameOf(CategoryId id) { return QStringLiteral("class %1").arg(id.value); }

/// Of the only missed object, at a score and an IoU of 0.5.
MissedReason reasonIn(const std::vector<coco::Annotation>& truth,
                      const std::vector<coco::Detection>& found) {
  const ImageContent content{kWideImage, &truth, &found};
  std::optional<MissedReason> reason;
  for (const InstanceFacts& facts : instancesAt(content, overlapsOf(content), {0.5, 0.5}, {})) {
    if (facts.verdict != Verdict::Missed) continue;
    if (reason) qFatal("two are missed");
    reason = facts.missed;
  }
  if (!reason) qFatal("none is missed");
  return *reason;
}

}  // namespace

/// Objects of 20 x 20 px; a detection that is d px to the right overlaps by (20 - d) / (20 + d).
class TstMissedReason : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatBecameOfItsPredictionIsSaid_data() {
    QTest::addColumn<qint64>("category");
    QTest::addColumn<double>("score");
    QTest::addColumn<double>("shift");
    QTest::addColumn<Reason>("kind");
    QTest::addColumn<QString>("text");
    QTest::newRow("low score") << qint64{1} << 0.31 << 0.0 << Reason::LowScore << "score 0.31";
    QTest::newRow("another class") << qint64{2} << 0.9 << 4.0 << Reason::OtherClass << "as class 2";
    QTest::newRow("too far off") << qint64{1} << 0.9 << 10.0 << Reason::LowIou << "IoU 0.33";
    QTest::newRow("barely") << qint64{1} << 0.9 << 19.0 << Reason::NoneNear << "";
    QTest::newRow("another class, too far off")
        << qint64{2} << 0.9 << 10.0 << Reason::OtherNear << "near: class 2";
    QTest::newRow("elsewhere") << qint64{1} << 0.9 << 60.0 << Reason::NoneNear << "";
    QTest::newRow("nothing is right") << qint64{2} << 0.3 << 4.0 << Reason::NoneNear << "";
  }
  void whatBecameOfItsPredictionIsSaid() {
    QFETCH(qint64, category);
    QFETCH(double, score);
    QFETCH(double, shift);
    QFETCH(Reason, kind);
    QFETCH(QString, text);
    const MissedReason reason =
        reasonIn({boxAnnotation(1, 1, 1, {10, 10, 20, 20})},
                 {boxDetection(kWideImage, category, score, {10 + shift, 10, 20, 20})});
    QCOMPARE(reason.kind, kind);
    QCOMPARE(shortText(reason, nameOf), text);
    if (kind != Reason::NoneNear) {
      QCOMPARE(reason.score, score);
      QCOMPARE(reason.iou, (20 - shift) / (20 + shift));
    }
  }

  /// One detection between two objects belongs to the nearer one.
  void anObjectMayLoseItsPredictionToAnother() {
    const MissedReason reason = reasonIn(
        {boxAnnotation(1, 1, 1, {10, 10, 20, 20}), boxAnnotation(2, 1, 1, {14, 10, 20, 20})},
        {boxDetection(kWideImage, 1, 0.8, {15, 10, 20, 20})});
    QCOMPARE(reason.kind, Reason::Taken);
    QCOMPARE(reason.iou, 15.0 / 25.0);
    QVERIFY(sentence(reason, nameOf).contains(QStringLiteral("matched with another object")));
  }

  /// What an object is found by says nothing of its neighbour.
  void theMatchOfAnotherObjectIsNoReason() {
    const std::vector<coco::Annotation> two{boxAnnotation(1, 1, 1, {10, 10, 20, 20}),
                                            boxAnnotation(2, 1, 1, {20, 10, 20, 20})};
    const coco::Detection own = boxDetection(kWideImage, 1, 0.9, {20, 10, 20, 20}),
                          other = boxDetection(kWideImage, 2, 0.8, {16, 10, 20, 20});
    QCOMPARE(reasonIn(two, {own}).kind, Reason::NoneNear);
    const MissedReason reason = reasonIn(two, {own, other});
    QCOMPARE(reason.kind, Reason::OtherClass);
    QCOMPARE(shortText(reason, nameOf), QStringLiteral("as class 2"));
    const std::vector<coco::Annotation> ofTwoClasses{boxAnnotation(1, 1, 1, {10, 10, 20, 20}),
                                                     boxAnnotation(2, 1, 2, {12, 10, 20, 20})};
    const MissedReason under =
        reasonIn(ofTwoClasses, {boxDetection(kWideImage, 2, 0.8, {12, 10, 20, 20})});
    QCOMPARE(under.kind, Reason::OtherNear);
    QVERIFY(sentence(under, nameOf).contains(QStringLiteral("the one of class 2 overlaps it")));
  }

  /// What is nearer to a match is said, whatever the order of the predictions.
  void theNearestMissIsSaid() {
    const std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20})};
    const coco::Detection far = boxDetection(kWideImage, 1, 0.9, {20, 10, 20, 20}),
                          low = boxDetection(kWideImage, 1, 0.4, {10, 10, 20, 20}),
                          lower = boxDetection(kWideImage, 1, 0.2, {12, 10, 20, 20}),
                          other = boxDetection(kWideImage, 2, 0.7, {10, 10, 20, 20});
    QCOMPARE(reasonIn(truth, {far, low, lower, other}).kind, Reason::LowScore);
    QCOMPARE(reasonIn(truth, {far, lower, low}).score, 0.4);
    QCOMPARE(reasonIn(truth, {far, other}).kind, Reason::OtherClass);
    QCOMPARE(reasonIn(truth, {other, far}).kind, Reason::OtherClass);
  }
};

LOCKSTEP_TEST(TstMissedReason)
#include "tst_missed_reason.moc"
