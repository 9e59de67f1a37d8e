#include <QAbstractButton>
#include <QListWidget>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <array>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"
#include "widgets/image_view/canvas_legend.h"
#include "widgets/image_view/explain_panel.h"
#include "widgets/image_view/explanation_facts.h"
#include "widgets/image_view/explanation_scene.h"
#include "widgets/image_view/shown_results.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

using BoxKind = ExplanationScene::Kind;

/// Of the first made image: an object that is found, and one that is missed although it was
/// proposed.
explanation::Explanation sample(const coco::Image& image) {
  explanation::Explanation of{.image = image.id, .width = image.width, .height = image.height};
  of.foregroundIou = 0.7;
  of.scoreThreshold = 0.05;
  of.levels = {{.place = {0, 0, 64, 48},
                .width = 2,
                .height = 1,
                .anchors = 6,
                .matched = 2,
                .scores = std::string("\xff\x00", 2)},
               {.place = {0, 0, 64, 48},
                .width = 1,
                .height = 1,
                .anchors = 3,
                .matched = 0,
                .scores = std::string("\x80", 1)}};
  of.truths = {{{1}, {4, 4, 16, 16}}, {{2}, {36, 20, 16, 16}}};
  of.anchors = {{{4, 4, 16, 14}, 0, 0.9, 0, 0.87},
                {{36, 20, 16, 12}, 0, 0.4, 1, 0.75},
                {{0, 0, 32, 32}, 1, 0.6},
                {{8, 0, 32, 32}, 1, 0.4}};
  of.proposalCount = 2;
  of.proposals = {{{4, 4, 15, 16}, {4, 4, 16, 14}, 0, 0.9, {CategoryId{1}, 0.9}},
                  {{36, 20, 15, 16}, {36, 20, 16, 12}, 1, 0.4, {CategoryId{2}, 0.01}}};
  of.maskSide = 2;
  explanation::Detection found{.proposal = 0,
                               .classes = {{CategoryId{1}, 0.9}, {std::nullopt, 0.1}}};
  found.detection = {image.id, {1}, 0.9, {4, 4, 16, 16}, {}};
  found.mask = std::string("\xff\xff\xff\x00", 4);
  const std::array<double, 8> outline{4, 4, 20, 4, 20, 20, 4, 20};
  found.detection.mask = coco::rasterisePolygon(outline, image.height, image.width);
  of.detections = {found};
  return of;
}

std::vector<BoxKind> kindsIn(const ExplanationScene& scene, bool standOut) {
  std::vector<BoxKind> kinds;
  for (const auto& box : scene.boxes)
    if (box.standsOut == standOut) kinds.push_back(box.kind);
  return kinds;
}

}  // namespace

class TstExplain : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private:
  ExplainPanel* explain() { return view_->findChild<ExplainPanel*>(); }
  QTabWidget* tabs() { return view_->findChild<QTabWidget*>(); }
  QStringList legend() {
    QStringList texts;
    for (const auto& entry : view_->findChild<CanvasLegend*>()->entries()) texts << entry.text;
    return texts;
  }
  void answer() {
    const coco::Image& image = dataset_->images()[0];
    view_->setExplanation(image.id, 10,
                          std::make_shared<const explanation::Explanation>(sample(image)));
    QTRY_VERIFY(explain()->isIdle());
  }
  bool says(const char* part) {
    const auto labels = explain()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && label->text().contains(QString::fromUtf8(part));
    });
  }
  QAbstractButton* button(const char* text) {
    for (auto* each : explain()->findChildren<QAbstractButton*>())
      if (each->isVisible() && each->text() == QLatin1String(text)) return each;
    return nullptr;
  }

 private Q_SLOTS:
  void init() { openPage(); }

  void aKeyAsksAndShowsTheStepsInTurn() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    QSignalSpy asked(view_.get(), &PredictionsView::explanationRequested);
    QTest::keyClick(view_.get(), Qt::Key_E);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].value<ImageId>(), dataset_->images()[0].id);
    QCOMPARE(asked[0][1].toLongLong(), qint64{10});
    QVERIFY(says("Explaining with the checkpoint of step 10"));
    answer();
    QListWidget* steps = explain()->steps();
    QVERIFY(steps->isVisible());
    QTRY_VERIFY(legend().contains(QStringLiteral("matched anchor")));
    QVERIFY(!canvas()->layers().masks && !canvas()->layers().boxes);
    QVERIFY(view_->shown()->layers.masks);  // as a file: the instances
    steps->setFocus();
    QSignalSpy drawn(explain(), &ExplainPanel::sceneChanged);
    struct Expected {
      QString entry;          ///< of the legend
      QList<QSize> pictures;  ///< their pixels
      qsizetype outlines = 0;
    };
    const Expected expected[] = {{QStringLiteral("high probability"), {{1, 1}, {2, 1}}},
                                 {QStringLiteral("proposal"), {}},
                                 {QStringLiteral("detection"), {}},
                                 {QStringLiteral("detection"), {{2, 2}}},
                                 {QStringLiteral("detection"), {{18, 18}}, 1}};
    for (const Expected& step : expected) {
      const int before = steps->currentRow();
      drawn.clear();
      QTest::keyClick(steps, Qt::Key_Down);
      QCOMPARE(steps->currentRow(), before + 1);
      QTRY_COMPARE(drawn.count(), 1);
      const auto scene = drawn[0][0].value<std::shared_ptr<const ExplanationScene>>();
      QVERIFY(scene);
      QList<QSize> pictures;
      for (const auto& picture : scene->pictures) pictures << picture.pixels.size();
      QCOMPARE(pictures, step.pictures);
      QCOMPARE(static_cast<qsizetype>(scene->outlines.size()), step.outlines);
      QVERIFY2(legend().contains(step.entry), qPrintable(step.entry));
    }
    QCOMPARE(steps->currentRow(), kExplainSteps - 1);
    QTest::keyClick(view_.get(), Qt::Key_E);  // back to the instances
    QCOMPARE(tabs()->currentIndex(), 0);
    QTRY_VERIFY(canvas()->layers().masks && canvas()->layers().boxes);
    QVERIFY(!legend().contains(QStringLiteral("proposal")));
    QCOMPARE(asked.count(), 1);
  }

  void theChosenObjectsOriginsStandOut() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    QTest::keyClick(view_.get(), Qt::Key_E);
    answer();
    QVERIFY(says("No object chosen"));
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, canvas()->toWidget({12, 12}).toPoint());
    QTRY_VERIFY(says("0.90"));
    QTRY_VERIFY(says("P2 (2 × 1), 16 × 14 px, score 0.900"));
    QTRY_VERIFY(says("1, best IoU 0.87"));
    QTRY_VERIFY(says("background 0.100"));
    QTRY_VERIFY(says("75 % of its box"));
    const auto of = sample(dataset_->images()[0]);
    ExplanationChoice choice{.step = ExplainStep::Anchors, .object = {.detection = 0, .truth = 0}};
    QCOMPARE(kindsIn(explanationScene(of, choice, darkTheme()), true),
             (std::vector{BoxKind::Truth, BoxKind::MatchedAnchor, BoxKind::Anchor}));
    choice.step = ExplainStep::Boxes;
    QCOMPARE(kindsIn(explanationScene(of, choice, darkTheme()), true),
             (std::vector{BoxKind::Proposal, BoxKind::Detection}));
    choice.step = ExplainStep::Mask;
    const ExplanationScene mask = explanationScene(of, choice, darkTheme());
    QCOMPARE(mask.pictures.size(), std::size_t{1});
    QCOMPARE(mask.pictures[0].place, QRectF(4, 4, 16, 16));
    QCOMPARE(mask.pictures[0].pixels.size(), QSize(2, 2));
    QVERIFY(mask.pictures[0].pixels.pixelColor(0, 0).alpha() > 200);
    QCOMPARE(mask.pictures[0].pixels.pixelColor(1, 1).alpha(), 0);
  }

  void aMissedObjectSaysWhereItWasLost() {
    const auto& images = dataset_->images();
    view_->setPredictions(10, {tests::boxDetection(images[0], 1, 0.9, {4, 4, 16, 16})},
                          {images[0].id});
    QTRY_VERIFY(view_->isReady());
    QTest::keyClick(view_.get(), Qt::Key_E);
    answer();
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, canvas()->toWidget({44, 28}).toPoint());
    QTRY_VERIFY(says("the box head classified it as background"));
    QTRY_VERIFY(says("IoU 0.94"));
  }

  /// A prediction of a low score, whose proposal is another one than the nearest.
  void aMissedObjectHasTheVerdictOfItsToolTip() {
    const auto& images = dataset_->images();
    view_->setPredictions(10, {tests::boxDetection(images[0], 2, 0.23, {36, 20, 16, 12})},
                          {images[0].id});
    QTRY_VERIFY(view_->isReady());
    QTest::keyClick(view_.get(), Qt::Key_E);
    auto of = sample(images[0]);
    of.proposals.push_back({{36, 19.98, 14, 8}, {36, 20, 16, 8}, 0, 0.3, {CategoryId{2}, 0.23}});
    explanation::Detection low{.proposal = 2, .classes = {{CategoryId{2}, 0.23}}};
    low.detection = tests::boxDetection(images[0], 2, 0.2301, {36, 20, 16, 12});
    of.detections.push_back(low);
    view_->setExplanation(images[0].id, 10,
                          std::make_shared<const explanation::Explanation>(std::move(of)));
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, canvas()->toWidget({44, 28}).toPoint());
    const MissedReason reason{MissedReason::Kind::LowScore, 0.23, 0.75, {2}};
    QTRY_VERIFY(says(qPrintable(sentence(reason, {}) + QLatin1Char('.'))));
    QTRY_VERIFY(says("14 × 8 px, moved by -1.0, 0.0 px; box IoU 0.44 with the object"));
    QTRY_VERIFY(says("16 × 12 px, moved by 1.0, 2.0 px; box IoU 0.75 with the object"));
    QVERIFY(!says("did not find it") && !says("nearest proposal"));
  }

  void aMissedObjectWhoseScoreIsTooLowSaysSo() {
    explanation::Explanation of = sample(dataset_->images()[0]);
    of.proposals[1].best.score = 0.4;
    const auto verdictAt = [&](double scoreThreshold) {
      const auto name = [](CategoryId) { return QStringLiteral("disc"); };
      return factsOf({.detection = -1, .truth = 1}, MissedReason(), of, name, scoreThreshold)
          .verdict;
    };
    QVERIFY2(verdictAt(0.5).contains(QStringLiteral("score 0.400 is below the score threshold "
                                                    "0.50")),
             qPrintable(verdictAt(0.5)));
    QVERIFY(verdictAt(0.3).contains(QStringLiteral("the detections beside it")));
  }

  void theLayersAskAndAreDrawnBesideThePredictions() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    QSignalSpy asked(view_.get(), &PredictionsView::explanationRequested);
    QVERIFY(!canvas()->layers().proposals && !canvas()->layers().anchors);
    QTest::keyClick(view_.get(), Qt::Key_Q);
    QCOMPARE(asked.count(), 1);
    answer();
    QTRY_VERIFY(legend().contains(QStringLiteral("proposal")));
    QVERIFY(!legend().contains(QStringLiteral("anchor")));
    QTest::keyClick(view_.get(), Qt::Key_H);
    QTRY_VERIFY(legend().contains(QStringLiteral("anchor")) &&
                legend().contains(QStringLiteral("matched anchor")));
    QCOMPARE(asked.count(), 1);
    QVERIFY(canvas()->layers().masks && canvas()->layers().boxes);
    QTest::keyClick(view_.get(), Qt::Key_Q);
    QTest::keyClick(view_.get(), Qt::Key_H);
    QTRY_VERIFY(!legend().contains(QStringLiteral("proposal")) &&
                !legend().contains(QStringLiteral("anchor")));
  }

  void aLevelIsChosen() {
    givePredictions(10);
    QTest::keyClick(view_.get(), Qt::Key_E);
    answer();
    QComboBox* levels = explain()->levels();
    QCOMPARE(levels->count(), 3);
    const auto of = sample(dataset_->images()[0]);
    ExplanationChoice choice{.step = ExplainStep::Scores};
    QCOMPARE(explanationScene(of, choice, darkTheme()).pictures.size(), std::size_t{2});
    choice.level = 0;
    const ExplanationScene scene = explanationScene(of, choice, darkTheme());
    QCOMPARE(scene.pictures.size(), std::size_t{1});
    QVERIFY(scene.pictures[0].pixels.pixelColor(0, 0).alpha() > 200);
    QCOMPARE(scene.pictures[0].pixels.pixelColor(1, 0).alpha(), 0);
    choice.step = ExplainStep::Proposals;
    QCOMPARE(explanationScene(of, choice, darkTheme()).boxes.size(), std::size_t{1});
    levels->setFocus();
    QTest::keyClick(levels, Qt::Key_Down);
    QTRY_VERIFY(explain()->isIdle());
    QCOMPARE(levels->currentIndex(), 1);
  }

  void aRequestIsCancelledFailsAndIsTriedAgain() {
    givePredictions(10);
    QSignalSpy asked(view_.get(), &PredictionsView::explanationRequested);
    QSignalSpy canceled(view_.get(), &PredictionsView::explanationCanceled);
    QTest::keyClick(view_.get(), Qt::Key_E);
    QTest::mouseClick(button("Cancel"), Qt::LeftButton);
    QCOMPARE(canceled.count(), 1);
    const ImageId image = dataset_->images()[0].id;
    view_->setExplanationFailed(image, 10, QStringLiteral("cancelled"));  // is no failure then
    QVERIFY(!says("cancelled"));
    QTest::mouseClick(button("Explain this image"), Qt::LeftButton);
    QCOMPARE(asked.count(), 2);
    view_->setExplanationFailed(image, 10, QStringLiteral("no memory"));
    QVERIFY(says("no memory"));
    QTest::mouseClick(button("Try again"), Qt::LeftButton);
    QCOMPARE(asked.count(), 3);
    answer();
    QVERIFY(says("Click one in the image"));
  }

  /// The answer to the one before is not shown.
  void anotherImageIsAskedForAnew() {
    givePredictions(10);
    QSignalSpy asked(view_.get(), &PredictionsView::explanationRequested);
    QSignalSpy canceled(view_.get(), &PredictionsView::explanationCanceled);
    QTest::keyClick(view_.get(), Qt::Key_E);
    view_->setFocus();
    QTest::keyClick(view_.get(), Qt::Key_D);
    QCOMPARE(canceled.count(), 1);
    QCOMPARE(asked.count(), 2);
    QCOMPARE(asked[1][0].value<ImageId>(), dataset_->images()[1].id);
    const coco::Image& image = dataset_->images()[0];
    view_->setExplanation(image.id, 10,
                          std::make_shared<const explanation::Explanation>(sample(image)));
    QVERIFY(says("Explaining with"));
    QVERIFY(!explain()->isIdle());
  }

  void withoutAnEngineTheReasonIsSaid() {
    givePredictions(10);
    view_->setPredictionPossible(false, QStringLiteral("The machine is away."));
    QSignalSpy asked(view_.get(), &PredictionsView::explanationRequested);
    QTest::keyClick(view_.get(), Qt::Key_E);
    QCOMPARE(asked.count(), 0);
    QVERIFY(says("The machine is away."));
    view_->setPredictionPossible(true);
    QCOMPARE(asked.count(), 1);
  }
};

LOCKSTEP_TEST(TstExplain)
#include "tst_explain.moc"
