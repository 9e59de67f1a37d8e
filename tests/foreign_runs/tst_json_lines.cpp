#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <ctime>

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

namespace {

std::string trainLine(int iteration, double loss, double seconds = 0.5) {
  return "{\"data_time\": 0.01, \"iteration\": " + std::to_string(iteration) +
         ", \"loss_mask\": 0.25, \"lr\": 0.02, \"time\": " + std::to_string(seconds) +
         ", \"total_loss\": " + std::to_string(loss) + "}\n";
}

}  // namespace

/// metrics.json of detectron2 and scalars.json of mmengine.
class TstJsonLines : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    run_ = folder_->path().toStdString();
    metrics_ = run_ / "metrics.json";
  }

  void detectron2IsReadAsOurs() {
    writeBytes(run_ / "events.out.tfevents.1700000000.host.7.0", "");
    writeBytes(
        metrics_,
        trainLine(19, 2) + trainLine(39, 1) +
            "{\"bbox/AP\": 40.5, \"bbox/AP-cat\": 50.0, \"iteration\": 39, \"segm/AP\": NaN}\n" +
            trainLine(59, 0.5, 1.0));
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves.tags(),
             (std::vector<std::string>{"eval/bbox/AP", "eval/bbox/AP/class/cat", "eval/segm/AP",
                                       "solver/lr", "time/data_seconds", "time/step_seconds",
                                       "train/loss_mask", "train/loss_total"}));
    QCOMPARE(curves["train/loss_total"], (Curve{{19, 2}, {39, 1}, {59, 0.5F}}));
    QCOMPARE(curves["eval/bbox/AP"], (Curve{{39, 0.405F}}));
    QVERIFY(std::isnan(curves["eval/segm/AP"].at(0).second));
    // From the start that the event file's name has, by the time of the steps.
    QCOMPARE(curves.timeOf(19), 1700000000.0);
    QCOMPARE(curves.timeOf(59), 1700000000.0 + 20 * 0.5 + 20 * 1.0);
  }

  void aResumedDetectron2ReplacesWhatItRepeats() {
    std::string text;
    for (int i = 19; i < 200; i += 20) text += trainLine(i, 1);
    text += "{\"iteration\": 150, \"segm/AP\": 10}\n{\"iteration\": 99, \"bbox/AP\": 10}\n";
    for (int i = 119; i < 160; i += 20) text += trainLine(i, 2);
    writeBytes(metrics_, text);
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["train/loss_total"],
             (Curve{{19, 1}, {39, 1}, {59, 1}, {79, 1}, {99, 1}, {119, 2}, {139, 2}, {159, 2}}));
    QCOMPARE(curves["eval/segm/AP"], Curve());
    QCOMPARE(curves["eval/bbox/AP"], (Curve{{99, 0.1F}}));
    QCOMPARE(curves.sessions(), 1);
  }

  /// Its lines of one write are in no order.
  void earlierStepsOfOtherValuesAreNoResume() {
    writeBytes(metrics_, trainLine(19, 1) + "{\"iteration\": 10, \"validation_loss\": 3}\n" +
                             trainLine(39, 1));
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["train/loss_total"], (Curve{{19, 1}, {39, 1}}));
    QCOMPARE(curves["eval/loss_total"], (Curve{{10, 3}}));
    QCOMPARE(curves.sessions(), 0);
  }

  void mmengineByEpochIsReadAsOurs() {
    writeText(
        run_ / "20240102_030405/vis_data/scalars.json",
        R"({"lr": 0.02, "data_time": 0.1, "loss": 2.0, "loss_cls": 0.5, "loss_bbox": 0.25, "loss_rpn_bbox": 0.125, "time": 0.5, "epoch": 1, "iter": 50, "memory": 900, "step": 50}
{"lr": 0.02, "data_time": 0.1, "loss": 1.5, "loss_cls": 0.5, "loss_bbox": 0.25, "loss_rpn_bbox": 0.125, "time": 0.25, "epoch": 1, "iter": 100, "memory": 900, "step": 100}
{"coco/bbox_mAP": 0.5, "coco/segm_mAP": 0.25, "coco/segm_mAP_50": -1.0, "data_time": 0.01, "time": 0.02, "loss": 3.0, "step": 1}
{"lr": 0.02, "data_time": 0.1, "loss": 1.0, "time": 0.5, "epoch": 2, "iter": 150, "memory": 900, "step": 150}
{"coco/bbox_mAP": 0.75, "data_time": 0.01, "time": 0.02, "step": 2}
)");
    const fs::path run = run_ / "20240102_030405";
    const Curves curves = curvesOf(run);
    QCOMPARE(curves["train/loss_total"], (Curve{{50, 2}, {100, 1.5F}, {150, 1}}));
    QCOMPARE(curves["train/loss_box_reg"], (Curve{{50, 0.25F}, {100, 0.25F}}));
    QCOMPARE(curves["train/loss_rpn_box_reg"].size(), std::size_t{2});
    QCOMPARE(curves["eval/bbox/AP"], (Curve{{100, 0.5F}, {150, 0.75F}}));
    QCOMPARE(curves["eval/segm/AP"], (Curve{{100, 0.25F}}));
    QCOMPARE(curves["eval/segm/AP50"], (Curve{{100, -1}}));
    QCOMPARE(curves["eval/loss_total"], (Curve{{100, 3}}));
    QCOMPARE(curves["time/step_seconds"], (Curve{{50, 0.5F}, {100, 0.25F}, {150, 0.5F}}));
    QCOMPARE(curves["val/time"], (Curve{{100, 0.02F}, {150, 0.02F}}));
    QCOMPARE(curves["epoch"], (Curve{{50, 1}, {100, 1}, {150, 2}}));
    QCOMPARE(curves["step"], Curve());
    QCOMPARE(curves["iter"], Curve());
    std::tm start{.tm_sec = 5,
                  .tm_min = 4,
                  .tm_hour = 3,
                  .tm_mday = 2,
                  .tm_mon = 0,
                  .tm_year = 124,
                  .tm_wday = 0,
                  .tm_yday = 0,
                  .tm_isdst = -1,
                  .tm_gmtoff = 0,
                  .tm_zone = nullptr};
    QCOMPARE(curves.timeOf(150), static_cast<double>(std::mktime(&start)) + 50 * 0.25 + 50 * 0.5);
  }

  void mmengineByIterationIsReadAsOurs() {
    writeBytes(
        run_ / "scalars.json",
        R"({"train/lr": 0.02, "train/loss": 2.0, "train/loss_mask": 0.5, "train/time": 0.5, "iter": 90, "step": 90}
{"val/coco/segm_mAP": 0.25, "val/loss_mask": 0.75, "val/time": 0.02, "step": 100}
{"my_curve": 5, "step": 95}
)");
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["eval/segm/AP"], (Curve{{100, 0.25F}}));
    QCOMPARE(curves["eval/loss_mask"], (Curve{{100, 0.75F}}));
    QCOMPARE(curves["train/loss_mask"], (Curve{{90, 0.5F}}));
    QCOMPARE(curves["my_curve"], (Curve{{95, 5}}));
  }

  void brokenLinesAreSkippedAndTheFirstIsNamed_data() {
    QTest::addColumn<std::string>("line");
    QTest::newRow("text") << std::string("Traceback (most recent call last):");
    QTest::newRow("half") << trainLine(39, 1).substr(0, 50);
    QTest::newRow("list") << std::string("[1, 2]");
    QTest::newRow("no step") << std::string("{\"total_loss\": 1}");
    QTest::newRow("step that is none") << std::string("{\"iteration\": 1.5, \"total_loss\": 1}");
    QTest::newRow("step as text") << std::string("{\"iteration\": \"39\", \"total_loss\": 1}");
    QTest::newRow("huge step") << std::string("{\"iteration\": 1e300, \"total_loss\": 1}");
    QTest::newRow("two in one") << trainLine(39, 1).substr(0, trainLine(39, 1).size() - 1) +
                                       trainLine(39, 1).substr(0, trainLine(39, 1).size() - 1);
    QTest::newRow("word") << std::string("{\"iteration\": 39, \"total_loss\": Nothing}");
    QTest::newRow("number") << std::string("{\"iteration\": 39, \"total_loss\": 01.2.3}");
    QTest::newRow("not UTF-8") << std::string("{\"iteration\": 39, \"total\xff\": 1}");
    QTest::newRow("zeros") << std::string(40, '\0');
    QTest::newRow("long") << std::string(3 << 20, ' ') + "{}";
    QTest::newRow("long, but right")
        << "{\"iteration\": 39, " + std::string((1 << 20) + 5, ' ') + "\"total_loss\": 1}";
  }
  void brokenLinesAreSkippedAndTheFirstIsNamed() {
    QFETCH(std::string, line);
    writeBytes(metrics_, trainLine(19, 1) + "\n" + line + "\n" + trainLine(59, 1) + "broken\n");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["train/loss_total"], (Curve{{19, 1}, {59, 1}}));
    QCOMPARE(reader.faults().count, 2);
    QVERIFY2(reader.faults().first.starts_with(metrics_.string() + ":3: "),
             reader.faults().first.c_str());
    QVERIFY2(reader.faults().first.ends_with("; left out"), reader.faults().first.c_str());
  }

  void otherValuesAreNoCurves() {
    writeBytes(
        metrics_,
        "\xef\xbb\xbf{\"iteration\": 5, \"a\": 1, \"text\": \"2\", \"none\": null, \"yes\": true, "
        "\"list\": [1, {\"b\": NaN}], \"map\": {\"c\": 3}, \"e\\u00e9\": Infinity, \"f\": "
        "-Infinity, \"g\": 1e39, \"a\": 9 }\r\n"
        "{\"iteration\": 6.0, \"a\": -2.5e-3}  \r\n");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QCOMPARE(reader.faults().first, std::string());
    QCOMPARE(curves.tags(), (std::vector<std::string>{"a", "e\xc3\xa9", "f", "g"}));
    QCOMPARE(curves["a"], (Curve{{5, 9}, {6, -0.0025F}}));
    QCOMPARE(curves["e\xc3\xa9"].at(0).second, INFINITY);
    QCOMPARE(curves["f"].at(0).second, -INFINITY);
    QCOMPARE(curves["g"].at(0).second, INFINITY);
  }

  void aHalfLineIsLeftForTheNextCall() {
    const std::string text = trainLine(19, 1) + trainLine(39, 0.5) + trainLine(59, 0.25);
    RunReader reader = open();
    Curves grown;
    writeBytes(metrics_, "");
    for (std::size_t i = 0; i < text.size(); ++i) {
      appendBytes(metrics_, text.substr(i, 1));
      QVERIFY(grown.read(reader));
    }
    QCOMPARE(reader.faults().first, std::string());
    QCOMPARE(grown.textOf(), curvesOf(run_).textOf());
    QCOMPARE(grown.records(), 3);
    QCOMPARE(grown.timeOf(59), curvesOf(run_).timeOf(59));
  }

  void aLongLineThatGrowsIsSkippedOnce() {
    writeBytes(metrics_, trainLine(19, 1));
    RunReader reader = open();
    Curves curves;
    for (int i = 0; i < 8; ++i) {
      appendBytes(metrics_, std::string(700'000, 'x'));
      QVERIFY(curves.read(reader));
    }
    QCOMPARE(reader.faults().count, 1);
    appendBytes(metrics_, "\n" + trainLine(39, 1));
    QVERIFY(curves.read(reader));
    QCOMPARE(reader.faults().count, 1);
    QCOMPARE(curves["train/loss_total"], (Curve{{19, 1}, {39, 1}}));
  }

  void itSaysWhenToStartOver() {
    const std::string text = trainLine(19, 1) + trainLine(39, 1);
    const auto isOver = [&](const std::string& after) {
      writeBytes(metrics_, text);
      RunReader reader = open();
      Curves curves;
      if (!curves.read(reader)) return false;
      writeBytes(run_ / "copy", after);
      fs::rename(run_ / "copy", metrics_);
      const std::int64_t before = curves.records();
      return !curves.read(reader) && curves.records() == before;
    };
    QVERIFY(isOver(trainLine(19, 1)));
    QVERIFY(isOver(""));
    QVERIFY(isOver(trainLine(19, 3) + trainLine(49, 3) + trainLine(59, 3)));
    QVERIFY(!isOver(text + trainLine(59, 1)));  // a newer copy of the same log
    QVERIFY(!isOver(text));
  }

  void aLogThatCannotBeReadIsNamed() {
    RunReader reader = open();
    const std::string message = messageOf([&] { (void)Curves().read(reader); });
    QVERIFY2(message.starts_with(metrics_.string() + ": cannot be read: "), message.c_str());
    QVERIFY2(contains(message, "check that"), message.c_str());
    fs::create_directories(metrics_);
    QVERIFY(contains(messageOf([&] { (void)Curves().read(reader); }), "is not a file"));
  }

  void anEmptyAndABinaryFileHaveNothing() {
    writeBytes(metrics_, "");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QCOMPARE(curves.records(), 0);
    std::string bytes;
    for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 7919 >> 3);
    writeBytes(metrics_, bytes);
    QVERIFY(curves.read(reader));
    QCOMPARE(curves.records(), 0);
    QVERIFY(reader.faults().count > 0);
  }

 private:
  RunReader open() const { return RunReader({Source::Detectron2, run_, "run"}); }

  std::unique_ptr<QTemporaryDir> folder_;
  fs::path run_, metrics_;
};

LOCKSTEP_TEST(TstJsonLines)
#include "tst_json_lines.moc"
