#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/image_view/prediction_session.h"

using namespace lockstep;
using namespace lockstep::widgets;

class TstPredictionSession : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    dataset_ = tests::writeMadeImages(folder_->path(), 4);
    session_ = std::make_unique<PredictionSession>();
    session_->setDataset(dataset_, folder_->path(), {});
    for (const qint64 step : {10, 20}) predict(step);
    session_->setStep(10);
    session_->setImage(1, {2, 0, 3});
    waitUntilPrepared();
  }

  void theNextImageHasItsSceneAtOnce() {
    QSignalSpy built(session_.get(), &PredictionSession::sceneBuilt);
    session_->setImage(2, {3, 1, 0});
    const auto prepared = session_->scene();
    QVERIFY(prepared);
    QTRY_COMPARE(built.count(), 1);
    QCOMPARE(session_->scene(), prepared);
    session_->refreshScene();
    QTRY_VERIFY(session_->scene() != prepared);
    compare(*prepared, *session_->scene());
  }

  void theImageBeforeHasKeptItsScene() {
    const auto first = session_->scene();
    session_->setImage(2, {3, 1, 0});
    QTRY_VERIFY(session_->isIdle());
    session_->setImage(1, {2, 0, 3});
    QCOMPARE(session_->scene(), first);
  }

  void whatIsShownHasTheThresholdsOfNow() {
    session_->setThresholds({.score = 0.75, .iou = 0.5}, {});
    session_->setImage(2, {3, 1, 0});
    QVERIFY(!session_->scene());
    QTRY_VERIFY(session_->scene());
    QCOMPARE(session_->scene()->instances.size(), std::size_t{2});  // one is missed now
    waitUntilPrepared();
    session_->setColourBy(ColourBy::Class);
    session_->setImage(3, {2, 1});
    QVERIFY(!session_->scene());
  }

  void whatStandsOutIsOfTheShownImageAlone() {
    session_->setChosenObjects({1});
    QTRY_VERIFY(session_->isIdle() && session_->scene()->groundTruths[1].isChosen);
    waitUntilPrepared();
    session_->setImage(2, {1, 3});
    QVERIFY(!session_->scene()->groundTruths[1].isChosen);
    session_->setImage(1, {2, 0});
    QTRY_VERIFY(session_->scene());
    QVERIFY(!session_->scene()->groundTruths[1].isChosen);
  }

  void otherImagesStayPreparedAsAnObjectIsChosen() {
    session_->setChosenObjects({});
    QVERIFY(session_->isSceneCurrent());  // none was chosen
    session_->setChosenObjects({1});
    QVERIFY(!session_->isSceneCurrent() && session_->isPrepared());
    session_->setImage(2, {1, 3});
    QVERIFY(session_->scene() && session_->isSceneCurrent());
    QVERIFY(!session_->scene()->groundTruths[1].isChosen);
  }

  void largeImagesAreNotPrepared() {
    std::vector<coco::Image> large;
    for (int i = 1; i <= 2; ++i) large.push_back({ImageId{i}, "none.png", 1000, 1001});
    const auto dataset = std::make_shared<const coco::Dataset>(
        coco::Dataset::fromParts(large, {{CategoryId{1}, "1"}}, {}, "made"));
    session_->setDataset(dataset, folder_->path(), {});
    session_->setImage(0, {1});
    QTRY_VERIFY(session_->isIdle() && session_->scene());
    QVERIFY(session_->isPrepared());
    session_->setImage(1, {0});
    QVERIFY(!session_->scene());
  }

  /// Two would be in memory at once.
  void theCheckpointBeforeIsForgottenFirst() {
    QTRY_VERIFY(session_->isAnalysed() && session_->isIdle());
    QVERIFY(session_->figures().of);
    const std::weak_ptr<const CheckpointAnalysis> before = session_->keptAnalysis();
    session_->setStep(20);
    QVERIFY(before.expired());
    QVERIFY(!session_->isAnalysed() && session_->awaitsAnalysis() && !session_->figures().of);
    QTRY_VERIFY(session_->isAnalysed());
    QVERIFY(!session_->awaitsAnalysis());
    QCOMPARE(session_->analysis()->step(), qint64{20});
  }

 private:
  /// Both objects of each image.
  void predict(qint64 step) {
    std::vector<coco::Detection> detections;
    for (const coco::Image& image : dataset_->images()) {
      detections.push_back(tests::boxDetection(image, 1, 0.9, {4, 4, 16, 16}));
      detections.push_back(tests::boxDetection(image, 2, 0.6, {37, 20, 16, 16}));
    }
    session_->store().add(step, detections, {});
  }
  void waitUntilPrepared() {
    QTRY_VERIFY(session_->isIdle() && session_->scene() && session_->isPrepared());
  }
  static void compare(const CanvasScene& one, const CanvasScene& other) {
    QCOMPARE(one.masks.largest(), other.masks.largest());
    QCOMPARE(one.instances.size(), other.instances.size());
    for (std::size_t i = 0; i < one.instances.size(); ++i) {
      QCOMPARE(one.instances[i].label, other.instances[i].label);
      QCOMPARE(one.instances[i].facts.iou, other.instances[i].facts.iou);
      QCOMPARE(one.instances[i].outline, other.instances[i].outline);
    }
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::shared_ptr<const coco::Dataset> dataset_;
  std::unique_ptr<PredictionSession> session_;
};

LOCKSTEP_TEST(TstPredictionSession)
#include "tst_prediction_session.moc"
