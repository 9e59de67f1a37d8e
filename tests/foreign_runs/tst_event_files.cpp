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

class TstEventFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    run_ = folder_->path().toStdString();
  }

  void valuesThatCameAloneAreOneRecordPerStep() {
    std::string bytes = encodeRecord(versionRecord());
    for (int step = 1; step <= 4; ++step)
      bytes += torchRecords(step, {{"total_loss", 1.0F / static_cast<float>(step)}, {"lr", 0.5F}});
    writeBytes(file(1), bytes);
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves.tags(), (std::vector<std::string>{"solver/lr", "train/loss_total"}));
    QCOMPARE(curves["train/loss_total"], (Curve{{1, 1.F}, {2, 0.5F}, {3, 1.F / 3}, {4, 0.25F}}));
    QCOMPARE(curves.records(), 4);
    QCOMPARE(curves.timeOf(3), 1000.0);
  }

  void filesAreOneRunInTheOrderOfTheirNames() {
    writeBytes(file(2), torchRecords(3, {{"acc", 3}}) + torchRecords(4, {{"acc", 4}}));
    writeBytes(file(1), torchRecords(1, {{"acc", 1}}) + torchRecords(2, {{"acc", 2}}));
    writeBytes(run_ / "events.out.tfevents.3.profile-empty", "");
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["acc"], (Curve{{1, 1}, {2, 2}, {3, 3}, {4, 4}}));
    QCOMPARE(curves.sessions(), 0);
  }

  void whatIsAppendedIsReadOnce() {
    writeBytes(file(1), torchRecords(1, {{"acc", 1}}));
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QVERIFY(curves.read(reader));
    QCOMPARE(curves.records(), 1);
    const std::string next = torchRecords(2, {{"acc", 2}});
    appendBytes(file(1), next.substr(0, 9));
    QVERIFY(curves.read(reader));
    QCOMPARE(curves.records(), 1);
    appendBytes(file(1), next.substr(9));
    writeBytes(file(2), torchRecords(3, {{"acc", 3}}));
    QVERIFY(curves.read(reader));
    appendBytes(file(2), torchRecords(4, {{"acc", 4}}));
    appendBytes(file(1), torchRecords(2, {{"other", 5}}));
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["acc"], (Curve{{1, 1}, {2, 2}, {3, 3}, {4, 4}}));
    QCOMPARE(curves["other"], (Curve{{2, 5}}));
    QCOMPARE(curves.fault(), std::string());
  }

  void aResumeInANewFileReplacesWhatCameLater() {
    std::string first, second;
    for (int step = 1; step <= 10; ++step) first += torchRecords(step, {{"loss", 1}});
    first += torchRecords(8, {{"val_loss", 1}});
    for (int step = 6; step <= 7; ++step) second += torchRecords(step, {{"loss", 2}});
    writeBytes(file(1), first);
    writeBytes(file(2), second);
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["train/loss_total"],
             (Curve{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 2}, {7, 2}}));
    QCOMPARE(curves["eval/loss_total"], Curve());
    QCOMPARE(curves.sessions(), 1);
  }

  /// The epoch counts other steps than the loss: neither takes the other with it.
  void tagsThatGotFurtherDoNotGoBackWithOthers() {
    std::string bytes;
    for (int step = 1; step <= 40; ++step) {
      bytes += torchRecords(step, {{"loss", 1}});
      bytes += torchRecords(step / 10, {{"loss_epoch", static_cast<float>(step)}});
    }
    bytes += torchRecords(2, {{"loss_epoch", 7}});  // goes back
    writeBytes(file(1), bytes);
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["train/loss_total"].size(), std::size_t{40});
    QCOMPARE(curves["loss_epoch"], (Curve{{0, 9}, {1, 19}, {2, 7}}));
  }

  /// Whether its values come in one record or in several.
  void valuesOfTheStepThatGoesBackStay() {
    std::string first, second;
    for (int step = 1; step <= 4; ++step)
      first += encodeRecord(scalarRecord(step, {{"a", 1}, {"b", 1}}));
    first += encodeRecord(scalarRecord(5, {{"b", 1}, {"c", 1}}));
    second = encodeRecord(scalarRecord(3, {{"a", 2}, {"d", 2}})) +
             encodeRecord(scalarRecord(3, {{"b", 2}, {"e", 2}}));
    writeBytes(file(1), first + second);
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["a"], (Curve{{1, 1}, {2, 1}, {3, 2}}));
    QCOMPARE(curves["b"], (Curve{{1, 1}, {2, 1}, {3, 2}}));
    QCOMPARE(curves["c"], Curve());
    QCOMPARE(curves["d"], (Curve{{3, 2}}));
  }

  void aSessionStartOfTheProgramIsKept() {
    events::Record start;
    start.kind = events::Record::Kind::SessionStart;
    start.step = 2;
    writeBytes(file(1), torchRecords(1, {{"a", 1}, {"b", 1}}) + torchRecords(2, {{"a", 1}}) +
                            torchRecords(3, {{"b", 1}}) + encodeRecord(start) +
                            torchRecords(2, {{"a", 5}}));
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["a"], (Curve{{1, 1}, {2, 5}}));
    QCOMPARE(curves["b"], (Curve{{1, 1}}));
    QCOMPARE(curves.sessions(), 1);
  }

  void oneCurveUnderTwoNamesIsOursOnce() {
    writeBytes(file(1), torchRecords(1, {{"train_loss_step", 1}, {"train_loss", 2}}) +
                            torchRecords(2, {{"train/loss_total", 3}}));
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["train/loss_total"], (Curve{{1, 1}}));
    QCOMPARE(curves["train_loss"], (Curve{{1, 2}}));
    QCOMPARE(curves["other/train/loss_total"], (Curve{{2, 3}}));
  }

  void ofTwoValuesAtAStepTheLaterCounts() {
    writeBytes(file(1), torchRecords(5, {{"a", 1}, {"b", 1}, {"a", 2}}) +
                            torchRecords(6, {{"c", 1}}) + torchRecords(5, {{"a", 3}}));
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["a"], (Curve{{5, 3}}));
    QCOMPARE(curves["b"], (Curve{{5, 1}}));
    std::string without;
    for (int i = 0; i < 25'000; ++i) without += torchRecords(0, {{"a", static_cast<float>(i)}});
    writeBytes(file(1), without);
    QCOMPARE(curvesOf(run_)["a"], (Curve{{0, 24'999}}));
    QCOMPARE(curvesOf(run_).records(), 3 + 2);
  }

  void percentagesBecomeFractions() {
    writeBytes(file(1), torchRecords(99, {{"segm/AP", 41.3F}, {"bbox/AP-cat", 50}}));
    const Curves curves = curvesOf(run_);
    QCOMPARE(curves["eval/segm/AP"], (Curve{{99, 0.413F}}));
    QCOMPARE(curves["eval/bbox/AP/class/cat"], (Curve{{99, 0.5F}}));
  }

  void aDamagedRecordIsSkippedAndNamed() {
    const std::string one = torchRecords(1, {{"acc", 1}}), two = torchRecords(2, {{"acc", 2}});
    std::string damaged = two;
    damaged[damaged.size() - 1] ^= 1;
    writeBytes(file(1), one + damaged + torchRecords(3, {{"acc", 3}}) + damaged);
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["acc"], (Curve{{1, 1}, {3, 3}}));
    QCOMPARE(reader.faults().count, 2);
    QCOMPARE(reader.faults().first, file(1).string() + ": byte " + std::to_string(one.size()) +
                                        ": a damaged record; left out");
  }

  void afterAFileThatBreaksOffTheNextIsRead() {
    writeBytes(file(1), torchRecords(1, {{"acc", 1}}) + std::string(100, 'x'));
    writeBytes(file(2), torchRecords(2, {{"acc", 2}}));
    writeBytes(file(3), "");
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["acc"], (Curve{{1, 1}, {2, 2}}));
    QCOMPARE(reader.faults().count, 1);
    QVERIFY2(contains(reader.faults().first, file(1).string() + ": corrupt at byte "),
             reader.faults().first.c_str());
  }

  void stepsBeyondAnyTrainingAreDamage() {
    writeBytes(file(1), torchRecords(INT64_MIN, {{"acc", 1}}) +
                            torchRecords(INT64_MAX, {{"acc", 1}}) + torchRecords(5, {{"acc", 2}}));
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["acc"], (Curve{{5, 2}}));
    QCOMPARE(reader.faults().count, 2);
  }

  void itSaysWhenToStartOver() {
    const std::string bytes = torchRecords(1, {{"acc", 1}}) + torchRecords(2, {{"acc", 2}});
    const auto changed = [&](const std::function<void()>& change) {
      init();
      writeBytes(file(1), bytes);
      writeBytes(file(3), bytes);
      RunReader reader = open();
      Curves curves;
      if (!curves.read(reader)) return false;
      change();
      const std::int64_t before = curves.records();
      return !curves.read(reader) && curves.records() == before;
    };
    QVERIFY(changed([&] { fs::resize_file(file(3), 20); }));
    QVERIFY(changed([&] { fs::remove(file(1)); }));
    QVERIFY(changed([&] { writeBytes(file(2), bytes); }));
    QVERIFY(changed([&] {
      writeBytes(run_ / "copy", bytes + bytes);
      fs::rename(run_ / "copy", file(3));
    }));
    QVERIFY(!changed([&] { writeBytes(file(4), bytes); }));
  }

  void ofManyFilesTheOldAreNotHeldOpen() {
    for (int i = 100; i < 130; ++i) writeBytes(file(i), torchRecords(i, {{"acc", 1}}));
    RunReader reader = open();
    Curves curves;
    QVERIFY(curves.read(reader));
    std::size_t open = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code ignored;
      open += fs::read_symlink(entry.path(), ignored).parent_path() == fs::canonical(run_) ? 1 : 0;
    }
    QCOMPARE(open, std::size_t{8});
    QVERIFY(curves.read(reader));
    QCOMPARE(curves["acc"].size(), std::size_t{30});
    appendBytes(file(100), torchRecords(131, {{"acc", 1}}));
    QVERIFY(!curves.read(reader));
  }

  void aLogThatCannotBeReadIsNamed() {
    writeBytes(file(1), torchRecords(1, {{"acc", 1}}));
    RunReader reader(std::vector<fs::path>{run_ / "none"});
    const std::string message = messageOf([&] { (void)Curves().read(reader); });
    QVERIFY2(contains(message, (run_ / "none").string() + ": cannot be opened"), message.c_str());
    writeBytes(file(2), "no log of anything\n");
    RunReader text(std::vector<fs::path>{file(2)});
    Curves curves;
    QVERIFY(curves.read(text));
    QVERIFY2(contains(text.faults().first, "not an event log"), text.faults().first.c_str());
  }

 private:
  fs::path file(int number) const {
    return run_ / ("events.out.tfevents." + std::to_string(number) + ".host.1.0");
  }
  RunReader open() const { return RunReader({Source::TensorBoard, run_, "run"}); }

  std::unique_ptr<QTemporaryDir> folder_;
  fs::path run_;
};

LOCKSTEP_TEST(TstEventFiles)
#include "tst_event_files.moc"
