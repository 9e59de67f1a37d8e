#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"
#include "widgets/instances/wanted_instance.h"

using namespace lockstep;
using namespace lockstep::widgets;

/// An instance that other pages ask for.
class TstAskedInstance : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private:
  /// Of the first image.
  void ask(qint64 step, const WantedInstance& wanted) {
    view_->showInstance(dataset_->images().front(), step, wanted);
  }

 private Q_SLOTS:
  void init() {
    openPage();
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
  }

  void theThresholdGivesWayToIt() {
    panel()->stepScore(25);  // to 0.75
    QTRY_VERIFY(view_->isReady());
    ask(10, {1, -1, CategoryId{2}, 0.5});  // its score is 0.6
    QTRY_VERIFY(view_->chosenInstance());
    QCOMPARE(view_->chosenInstance()->facts.detection, 1);
    QCOMPARE(panel()->thresholds().score, 0.5);
  }

  void oneThatIsNotThereIsForgotten() {
    ask(10, {99, -1, CategoryId{1}, 0.25});
    QTRY_COMPARE(panel()->thresholds().score, 0.25);
    QTRY_VERIFY(view_->isReady());
    panel()->stepScore(50);
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(panel()->thresholds().score, 0.75);
    QVERIFY(!view_->chosenInstance());
  }

  void aScoreBelowTheSliderEndsAtItsLeast() {
    const coco::Image& image = dataset_->images().front();
    view_->setPredictions(20, {tests::boxDetection(image, 1, -0.5, {4, 4, 16, 16})}, {image.id});
    view_->setCurrentCheckpoint(20);
    ask(20, {0, -1, CategoryId{1}, -0.5});
    QTRY_COMPARE(panel()->thresholds().score, 0.0);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(!view_->chosenInstance());
  }

  void otherDataForgetIt() {
    const coco::Image third = dataset_->images()[2];  // not predicted yet
    view_->showInstance(third, 10, {0, -1, CategoryId{1}, 0.9});
    view_->clear();
    view_->setDataset(dataset_, folder_->path());
    view_->setCheckpoints({10}, {10});
    view_->setPredictions(10, {tests::boxDetection(third, 1, 0.9, {4, 4, 16, 16})}, {third.id});
    view_->showImage(third.id);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(!view_->chosenInstance());
  }
};

LOCKSTEP_TEST(TstAskedInstance)
#include "tst_asked_instance.moc"
