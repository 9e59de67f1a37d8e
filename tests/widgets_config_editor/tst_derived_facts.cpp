#include <QImage>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cstdlib>

#include "tests/support/test_main.h"
#include "widgets/bars/histogram_chart.h"
#include "widgets/config_editor/box_size_bars.h"
#include "widgets/config_editor/facts_panel.h"
#include "widgets/config_editor/learning_rate_curve.h"
#include "widgets/experiment/derived_facts.h"
#include "widgets/theme.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

QString valueOf(const DerivedFacts& derived, const char* name) {
  for (const DerivedFacts::Fact& fact : derived.facts) {
    if (fact.name == QLatin1String(name))
      return QString(fact.value).replace(QChar(0x202f), QLatin1Char(' '));
  }
  return {};
}

config::Experiment small() {
  config::Experiment experiment;
  experiment.dataset.val = {"/images", "/annotations.json"};
  experiment.solver.maxSteps = {400};
  experiment.solver.batchSize = 2;
  experiment.solver.schedule = config::Schedule::Cosine;
  experiment.solver.warmupSteps = {50};
  experiment.evaluation.lossEvery = {100};
  experiment.evaluation.apEvery = {150};
  experiment.checkpoint.every = {100};
  return experiment;
}

}  // namespace

class TstDerivedFacts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsAreEpochsOnceTheImagesAreKnown() {
    QCOMPARE(valueOf(deriveFacts(small(), {}), "training length"), QStringLiteral("400 steps"));
    QCOMPARE(valueOf(deriveFacts(small(), {60, 12}), "training length"),
             QStringLiteral("400 steps = 13.33 epochs (60 training images)"));
    config::Experiment repeating = small();
    repeating.dataset.repeatThreshold = 0.1;
    QCOMPARE(valueOf(deriveFacts(repeating, {80, 12}), "training length"),
             QStringLiteral("400 steps = 10 epochs (80 draws each)"));
    QCOMPARE(valueOf(deriveFacts(small(), {800, 12}), "training length"),
             QStringLiteral("400 steps = 1 epoch (800 training images)"));
  }

  void epochsAreStepsOnceTheImagesAreKnown() {
    config::Experiment experiment = small();
    experiment.solver.maxSteps = {12, config::Duration::Unit::Epochs};
    QCOMPARE(valueOf(deriveFacts(experiment, {60, 12}), "training length"),
             QStringLiteral("360 steps = 12 epochs (60 training images)"));
    QCOMPARE(valueOf(deriveFacts(experiment, {}), "training length"), QStringLiteral("12 epochs"));
    QVERIFY(!planSteps(experiment, {}).isExact);
    QCOMPARE(planSteps(experiment, {60, 12}).maxSteps(), std::int64_t{360});
  }

  void evaluationsAreCountedAsTheTrainerMakesThem_data() {
    QTest::addColumn<double>("lossEvery");
    QTest::addColumn<double>("apEvery");
    QTest::addColumn<QString>("text");
    const auto row = [](double lossEvery, double apEvery, const char* text) {
      QTest::newRow(text) << lossEvery << apEvery << QString::fromUtf8(text);
    };
    row(100, 150, "loss every 100 steps and with AP (5 times), AP every 150 steps (3 times)");
    row(100, 200, "loss every 100 steps (4 times), AP every 200 steps (2 times)");
    row(0, 100, "loss at the last step and with AP (4 times), AP every 100 steps (4 times)");
    row(1000, 0, "loss every 1,000 steps (once), no AP");
  }
  void evaluationsAreCountedAsTheTrainerMakesThem() {
    QFETCH(double, lossEvery);
    QFETCH(double, apEvery);
    config::Experiment experiment = small();
    experiment.evaluation.lossEvery = {lossEvery};
    experiment.evaluation.apEvery = {apEvery};
    QTEST(valueOf(deriveFacts(experiment, {60, 12}), "evaluations"), "text");
  }

  void intervalsInEpochsHaveNoStepsUntilTheImagesAreCounted() {
    config::Experiment experiment = small();
    experiment.evaluation.apEvery = {2, config::Duration::Unit::Epochs};
    QVERIFY(valueOf(deriveFacts(experiment, {}), "evaluations")
                .contains(QStringLiteral("AP every 2 epochs (")));
    QVERIFY(valueOf(deriveFacts(experiment, {60, 12}), "evaluations")
                .contains(QStringLiteral("AP every 60 steps (")));
  }

  void withoutAHeldOutSetNothingIsEvaluated() {
    config::Experiment experiment = small();
    experiment.dataset.val = {};
    const DerivedFacts derived = deriveFacts(experiment, {60, 0});
    QCOMPARE(valueOf(derived, "evaluations"), QStringLiteral("none: no validation set"));
    QCOMPARE(valueOf(derived, "validation images"), QStringLiteral("none"));
    QCOMPARE(valueOf(derived, "checkpoints"),
             QStringLiteral("every 100 steps (4 times), keeps the latest 3"));
  }

  void withoutApNoCheckpointIsTheBestByAp() {
    config::Experiment experiment = small();
    QVERIFY(valueOf(deriveFacts(experiment, {}), "checkpoints").endsWith(QStringLiteral("best")));
    experiment.evaluation.apEvery = {};
    QVERIFY(!valueOf(deriveFacts(experiment, {}), "checkpoints").contains(QStringLiteral("best")));
    experiment.evaluation.bestMetric = "loss_total";
    QVERIFY(valueOf(deriveFacts(experiment, {}), "checkpoints").endsWith(QStringLiteral("best")));
  }

  void anEvaluationThatIsNeverDueIsWarnedAbout() {
    config::Experiment experiment = small();
    experiment.evaluation.lossEvery = {1000};
    QVERIFY(deriveFacts(experiment, {}).warnings.empty());  // AP evaluations measure it too
    experiment.evaluation.apEvery = {};
    QCOMPARE(deriveFacts(experiment, {}).warnings.size(), std::size_t{1});
    experiment.dataset.val = {};
    QVERIFY(deriveFacts(experiment, {}).warnings.empty());
  }

  void noLineEndsWithinANumber() {
    config::Experiment experiment = small();
    experiment.solver.maxSteps = {90000};
    const QString length = deriveFacts(experiment, {}).facts.front().value;
    QCOMPARE(length, QStringLiteral("90,000 steps"));
  }

  void aRateThatNeverDecaysIsWarnedAbout() {
    config::Experiment experiment = small();
    QVERIFY(deriveFacts(experiment, {}).warnings.empty());
    experiment.solver.schedule = config::Schedule::Step;
    QCOMPARE(deriveFacts(experiment, {}).warnings.size(), std::size_t{1});
    QVERIFY(deriveFacts(experiment, {}).warnings[0].contains(QStringLiteral("never decays")));
    experiment.solver.warmupSteps = {400};  // the last update has the full rate
    QCOMPARE(deriveFacts(experiment, {}).warnings.size(), std::size_t{1});
    experiment.solver.warmupSteps = {401};
    QCOMPARE(deriveFacts(experiment, {}).warnings.size(), std::size_t{2});
  }

  // torch.optim.lr_scheduler.LinearLR(start_factor=f, total_iters=n): f + (1 - f) * min(t, n) / n;
  // torchvision's n is one less than the steps of the warm-up.
  void theCurveWarmsUpAsTorchvisionDoes() {
    config::Experiment experiment = small();
    experiment.solver.schedule = config::Schedule::Constant;
    experiment.solver.warmupFactor = 0.001;
    LearningRateCurve curve;
    for (const int warmup : {0, 1, 2, 50, 101}) {
      experiment.solver.warmupSteps = {static_cast<double>(warmup)};
      curve.setPlan(planSteps(experiment, {}));
      const double iterations = std::max(1, warmup - 1);
      for (const QPointF& point : curve.points()) {
        const double done = warmup < 2 ? iterations : std::min(point.x() - 1, iterations);
        QCOMPARE(point.y(), 0.02 * (0.001 + 0.999 * done / iterations));
      }
      QCOMPARE(curve.points().size(), std::size_t{400});  // every step has its point
    }
  }

  /// Every label is under its tick and not cut, checked by its pixels.
  void theLabelsOfTheCurveAreAtTheirPlaces() {
    config::Experiment experiment = small();
    experiment.solver.baseLr = 0.0005;  // 0.00025 at the half
    LearningRateCurve curve;
    curve.resize(260, 120);
    curve.setPlan(planSteps(experiment, {}));
    const QImage picture = curve.grab().toImage();
    const auto isInk = [&](int x, int y) {
      const QRgb pixel = picture.pixel(x, y), ground = picture.pixel(picture.width() - 1, 1);
      return std::abs(qGray(pixel) - qGray(ground)) > 40;
    };
    const auto columnHasInk = [&](int x, int top, int bottom) {
      for (int y = top; y < bottom; ++y)
        if (isInk(x, y)) return true;
      return false;
    };
    QVERIFY(!columnHasInk(0, 0, picture.height()));  // no number is cut at the edge
    const int below = picture.height() - 15;
    int right = picture.width() - 1;
    while (right > 0 && !columnHasInk(right, below, picture.height())) --right;
    int left = right;
    for (int gap = 0; gap < 5; ++gap) {  // to the gap before "400"
      while (left > 0 && columnHasInk(left - 1, below, picture.height())) gap = 0, --left;
      --left;
    }
    const double middle = (left + 5 + right) / 2.0, end = curve.plotRect().right();
    QVERIFY2(std::abs(middle - end) <= 3,
             qPrintable(QStringLiteral("%1, not %2").arg(middle).arg(end)));
  }

  void theCurveShowsBothSidesOfEveryJump() {
    config::Experiment experiment;  // 90 000 steps, falling at 60 000 and 80 000
    LearningRateCurve curve;
    curve.setPlan(planSteps(experiment, {}));
    const auto rateAt = [&](double step) {
      for (const QPointF& point : curve.points()) {
        if (point.x() == step) return point.y();
      }
      return -1.0;
    };
    QCOMPARE(rateAt(60000), 0.02);
    QCOMPARE(rateAt(60001), 0.02 * 0.1);
    QCOMPARE(curve.points().front(), QPointF(1, 0.02 * 0.001));
    QCOMPARE(curve.points().back().x(), 90000.0);
    curve.resize(240, 120);
    curve.grab();
  }

  void boxSizesAreBarsUnderTheMarksOfTheAnchors() {
    config::BoxSizes boxes;
    boxes.counts[6] = 40;   // 32 to 45 px
    boxes.counts[10] = 20;  // 128 to 181 px
    HistogramChart chart;
    chart.resize(300, 110);
    showBoxSizes(&chart, boxes, {64, 512});
    // What occurs is shown: from 32 px to the end of the bin of the largest anchor.
    QCOMPARE(chart.bars().size(), std::size_t{9});
    QCOMPARE(chart.bars().front().name, QStringLiteral("32"));
    QVERIFY(chart.bars().front().tip.contains(QStringLiteral("32 to 45 px")));
    const QImage picture = chart.grab().toImage();
    const auto isBar = [&](int bar, double height) {
      const QRectF place = chart.placeOf(bar);
      const QPointF at(place.left() + 3, place.bottom() - height * place.height());
      return picture.pixel(at.toPoint()) ==
             blend(currentTheme().card, currentTheme().textMuted, 0.6).rgb();
    };
    QVERIFY(isBar(0, 0.9) && isBar(0, 0.1));
    QVERIFY(isBar(4, 0.4) && !isBar(4, 0.6));
    QVERIFY(!isBar(3, 0.1));
    for (const int bar : {2, 8}) {
      const QPointF mark(chart.placeOf(bar).left(), chart.placeOf(bar).bottom() - 6);
      QCOMPARE(picture.pixel(mark.toPoint()), currentTheme().accent.rgb());
    }
  }

  /// With the unit; those before it give way.
  void theLastSizeIsWrittenWhereThereIsLittleRoom() {
    config::BoxSizes boxes;
    boxes.counts[6] = 40;  // 32 to 45 px
    HistogramChart chart;
    chart.resize(160, 96);
    showBoxSizes(&chart, boxes, {64, 512});
    QCOMPARE(chart.bars().back().name, QStringLiteral("512 px"));
    const QImage picture = chart.grab().toImage();
    const QRgb paper = picture.pixel(0, picture.height() - 1);
    const int left = static_cast<int>(chart.placeOf(8).left()) - 8;
    const int top = static_cast<int>(chart.placeOf(8).bottom()) + 3;
    int written = 0;
    for (int y = top; y < picture.height(); ++y)
      for (int x = left; x < left + 16; ++x) written += picture.pixel(x, y) != paper ? 1 : 0;
    QVERIFY(written > 0);
  }

  /// Whether there is room for the curve or not.
  void theRangeTestIsReachableInAPanelOfAnyWidth() {
    FactsPanel panel;
    panel.setExperiment(small(), {});
    panel.show();
    auto* rangeTest = panel.findChild<QPushButton*>(QStringLiteral("rangeTest"));
    QSignalSpy requested(&panel, &FactsPanel::rangeTestRequested);
    for (const int width : {1000, panel.minimumSizeHint().width(), 400, 1000}) {
      panel.resize(width, 260);
      QTRY_VERIFY2(rangeTest->isVisible(), qPrintable(QString::number(width)));
      QTRY_VERIFY(
          panel.rect().contains(QRect(rangeTest->mapTo(&panel, QPoint()), rangeTest->size())));
      QTest::mouseClick(rangeTest, Qt::LeftButton);
    }
    QCOMPARE(requested.count(), 4);
  }

  void boxSizesAreShownOnceTheyAreKnown() {
    FactsPanel panel;
    panel.resize(700, 300);
    panel.show();
    panel.setExperiment(small(), {});
    QVERIFY(!panel.boxSizes()->isVisible());
    config::BoxSizes boxes;
    boxes.counts[6] = 40;
    panel.setExperiment(small(), {}, {}, {boxes, {}});
    QVERIFY(panel.boxSizes()->isVisible());
    panel.clear();
    QVERIFY(!panel.boxSizes()->isVisible());
  }
};

LOCKSTEP_TEST(TstDerivedFacts)
#include "tst_derived_facts.moc"
