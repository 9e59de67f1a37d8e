#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "tests/foreign_runs/run_samples.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::tests;
using foreign_runs::RunReader;
using foreign_runs::Source;
namespace fs = std::filesystem;
using Curve = Curves::Curve;

/// MLflow's file store.
class TstMetricFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    run_ = folder_->path().toStdString();
    fs::create_directories(run_ / "metrics");
  }

  void metricsOfOneStepAreOneRecord() {
    metric("train_loss", "1700000001000 1.0 1\n1700000002000 0.5 2\n1700000003500 0.25 3\n");
    metric("lr", "1700000001001 1e-05 1\n1700000002001 1e-05 2\n");
    metric("val/coco/segm_mAP", "1700000002500 0.25 2\n");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QCOMPARE(curves.tags(),
             (std::vector<std::string>{"eval/segm/AP", "solver/lr", "train/loss_total"}));
    QCOMPARE(curves["train/loss_total"], (Curve{{1, 1}, {2, 0.5F}, {3, 0.25F}}));
    QCOMPARE(curves["eval/segm/AP"], (Curve{{2, 0.25F}}));
    QCOMPARE(curves.records(), 3);
    QCOMPARE(curves.timeOf(3), 1700000003.5);
    QCOMPARE(reader.faults().count, 0);
  }

  void allFormsOfALineAreRead() {
    metric("m",
           "1700000000000 nan 1\n1700000000000 -inf 2 set digest\n1700000000000 2.5 3\r\n"
           "1700000000000 1.7976931348623157e+308 4\n");
    metric("old", "1700000000000 3.5\n");
    metric("bad",
           "1700000000000 x 1\n1700000000000\n1.5 2 3\n1700000000000 1 2.5\n"
           "1700000000000 1 99999999999999999999\n\n1700000000000 7 8\n");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QVERIFY(std::isnan(curves["m"].at(0).second));
    QCOMPARE(curves["m"].at(1), (std::pair<std::int64_t, float>(2, -INFINITY)));
    QCOMPARE(curves["m"].at(2), (std::pair<std::int64_t, float>(3, 2.5F)));
    QCOMPARE(curves["m"].at(3).second, INFINITY);
    QCOMPARE(curves["old"], (Curve{{0, 3.5F}}));
    QCOMPARE(curves["bad"], (Curve{{8, 7}}));
    QCOMPARE(reader.faults().count, 5);
    QVERIFY2(
        reader.faults().first.starts_with((run_ / "metrics/bad").string() + ":1: is not a line"),
        reader.faults().first.c_str());
  }

  /// The example of MLflow's pull request 10553, whose chart links these points by step.
  void valuesAreInTheOrderOfTheirSteps() {
    metric("points", "1 7 4\n2 10 1\n3 9 2\n4 4 7\n5 3 8\n6 3 9\n7 6 5\n8 5 6\n");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["points"],
             (Curve{{1, 10}, {2, 9}, {4, 7}, {5, 6}, {6, 5}, {7, 4}, {8, 3}, {9, 3}}));
    QCOMPARE(curves.sessions(), 0);
    append("points", "9 8 3\n10 2 10\n");
    QVERIFY(curves.read(reader));
    QCOMPARE(
        curves["points"],
        (Curve{{1, 10}, {2, 9}, {3, 8}, {4, 7}, {5, 6}, {6, 5}, {7, 4}, {8, 3}, {9, 3}, {10, 2}}));
    QCOMPARE(curves.fault(), std::string());
    QCOMPARE(curves.textOf(), curvesAnew().textOf());
    writeText(run_ / "meta.yaml", "run_id: abc\n");
    QCOMPARE(summarise({Source::MlFlow, run_, "run"}).lastStep, std::optional<std::int64_t>(10));
  }

  void valuesWithoutStepsAreCounted() {
    metric("a", "1 5 0\n");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    append("a", "2 4 0\n3 3 0\n");
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["a"], (Curve{{0, 5}, {1, 4}, {2, 3}}));
    append("a", "4 2 0\n");
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["a"], (Curve{{0, 5}, {1, 4}, {2, 3}, {3, 2}}));
    append("a", "5 1 7\n");
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["a"], (Curve{{0, 2}, {7, 1}}));
    QCOMPARE(curves.textOf(), curvesAnew().textOf());
  }

  void ofOneStepTheLastValueCounts() {
    metric("a", "1 1 1\n2 1 2\n3 1 3\n4 5 2\n4 2 2\n");
    metric("b", "1 1 1\n2 1 2\n3 1 3\n");
    metric("c", "1 1 1\n2 1 2\n");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["a"], (Curve{{1, 1}, {2, 2}, {3, 1}}));
    QCOMPARE(curves.sessions(), 0);
    append("a", "5 3 1\n6 3 1\n");
    append("b", "5 3 4\n");
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["a"], (Curve{{1, 3}, {2, 2}, {3, 1}}));
    QCOMPARE(curves["b"], (Curve{{1, 1}, {2, 1}, {3, 1}, {4, 3}}));
    QCOMPARE(curves["c"], (Curve{{1, 1}, {2, 1}}));
    QCOMPARE(curves.fault(), std::string());
    QCOMPARE(curves.textOf(), curvesAnew().textOf());
  }

  void newValuesAndMetricsAreReadOn() {
    metric("a", "1000 1 1\n20");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    append("a", "00 2 2\n");
    metric("b/c", "2000 5 2\n");
    QVERIFY(curves.read(reader));
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["a"], (Curve{{1, 1}, {2, 2}}));
    QCOMPARE(curves["b/c"], (Curve{{2, 5}}));
    QCOMPARE(curves.records(), 2);
    QCOMPARE(curves.textOf(), curvesAnew().textOf());
    metric("a", "1000 1 1\n");
    QVERIFY(!curves.read(reader));
    RunReader again = open();
    QVERIFY(Curves().read(again));
    fs::remove(run_ / "metrics/b/c");
    QVERIFY(!curves.read(again));
  }

  void whatCannotBeReadIsNamed() {
    fs::remove(run_ / "metrics");
    RunReader reader = open();
    const std::string message = messageOf([&] { (void)Curves().read(reader); });
    QVERIFY2(message.starts_with((run_ / "metrics").string() + ": cannot be listed"),
             message.c_str());
  }

 private:
  void metric(const std::string& name, const std::string& text) {
    writeText(run_ / "metrics" / name, text);
  }
  void append(const std::string& name, const std::string& text) {
    appendBytes(run_ / "metrics" / name, text);
  }
  RunReader open() const { return RunReader({Source::MlFlow, run_, "run"}); }
  Curves curvesAnew() const {
    RunReader reader = open();
    Curves curves;
    if (!curves.read(reader)) throw std::logic_error("no run");
    return curves;
  }

  std::unique_ptr<QTemporaryDir> folder_;
  fs::path run_;
};

LOCKSTEP_TEST(TstMetricFiles)
#include "tst_metric_files.moc"
