#include <QRegularExpression>
#include <QTest>
#include <filesystem>
#include <utility>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

namespace {

/// The values of `base_lr=… steepest=… diverges=…`; empty for other lines.
QList<double> ratesIn(const QByteArray& line) {
  static const QRegularExpression format(
      QStringLiteral("^base_lr=(\\S+) steepest=(\\S+) diverges=(\\S+)\n$"));
  const auto match = format.match(QString::fromUtf8(line));
  if (!match.hasMatch()) return {};
  return {match.captured(1).toDouble(), match.captured(2).toDouble(), match.captured(3).toDouble()};
}

}  // namespace

/// A learning-rate range test by the built programs.
class TstFindLr : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyShapes();
    place_->writeExperiment();
    const QByteArray experiment = place_->read(QStringLiteral("experiment.yaml"));
    first_ = engine("train experiment.yaml --find-lr --output first --set solver.batch_size=2");
    QVERIFY2(first_.status == 0, first_.err.constData());
    QCOMPARE(place_->read(QStringLiteral("experiment.yaml")), experiment);
  }

  void oneLineIsPrinted() {
    const QList<double> rates = ratesIn(first_.out);
    QVERIFY2(rates.size() == 3, first_.out.constData());
    QVERIFY2(rates[0] > 1e-5 && rates[0] < 1, first_.out.constData());
    QVERIFY2(first_.err.contains(QByteArray("learning-rate range test: " + first_.out.trimmed())),
             first_.err.constData());
    QVERIFY2(first_.err.contains("step=1 max_steps=140 loss_total="), first_.err.constData());
  }

  void itsRunHasTheCurvesAndNoCheckpoint() {
    const tests::Curves curves = place_->curvesOf(QStringLiteral("first"));
    QCOMPARE(curves.doubles, 0);
    const tests::Curve& smoothed = curves.of("find_lr/loss");
    const tests::Curve& rates = curves.of("solver/lr");
    QVERIFY(!smoothed.empty());
    QCOMPARE(smoothed.size(), rates.size());
    QCOMPARE(curves.of("train/loss_total").size(), rates.size());
    QCOMPARE(rates.begin()->second, 1e-6f);
    float before = 0;
    for (const auto& [step, rate] : rates) QVERIFY(std::exchange(before, rate) < rate);
    QVERIFY(curves.beginningWith("eval/").empty());

    const run_folder::Layout layout(place_->path(QStringLiteral("first")).toStdString());
    QCOMPARE(run_folder::readRunInfo(layout).state.text(), std::string("finished"));
    QVERIFY(run_folder::checkpointFolders(layout).empty());
    QVERIFY(!std::filesystem::exists(layout.folder() / "divergence"));
    QVERIFY(engine("runs .").out.contains("first"));
  }

  void aRepeatedTestSuggestsTheSame() {
    const ProcessResult again =
        engine("train experiment.yaml --find-lr --output again --set solver.batch_size=2");
    QCOMPARE(again.out, first_.out);
  }

  /// The sums of two ranks round differently, which counts where the losses are chaotic.
  void twoRanksSuggestAboutTheSame() {
    const ProcessResult two = engine(
        "train experiment.yaml --find-lr --output two --workers 2 --set solver.batch_size=2");
    QVERIFY2(two.status == 0, two.err.constData());
    const QList<double> expected = ratesIn(first_.out), rates = ratesIn(two.out);
    QVERIFY2(rates.size() == 3, two.out.constData());
    for (int i = 0; i < 3; ++i)
      QVERIFY2(rates[i] < 2.5 * expected[i] && rates[i] > expected[i] / 2.5, two.out.constData());
    const run_folder::Layout layout(place_->path(QStringLiteral("two")).toStdString());
    QCOMPARE(run_folder::readRunInfo(layout).ranks, 2);
    QVERIFY(run_folder::checkpointFolders(layout).empty());
  }

 private:
  ProcessResult engine(const char* line) const { return place_->engine(words(line)); }

  std::unique_ptr<TestWorkspace> place_;
  ProcessResult first_;
};

LOCKSTEP_TEST(TstFindLr)
#include "tst_find_lr.moc"
