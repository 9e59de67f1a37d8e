#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/run_folder/training_state.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using tests::messageOf;

namespace {

TrainingState someState(std::int64_t step) {
  TrainingState state;
  state.step = step;
  state.best = Best{"segm/AP", 0.1 + 0.2, 100};
  state.earlyStop = EarlyStopState{"loss_total", 1.0 / 3, 100, 2};
  state.seed = 7;
  state.batchSize = 16;
  state.device = "cpu";
  state.optimizer = "sgd";
  state.version = "0.1.0";
  const coco::Fingerprint print{
      3, 2, 9, "00000000000000a1", "00000000000000b2", "ffffffffffffffff"};
  state.data = DataFingerprints{print, print};
  return state;
}

}  // namespace

class TstTrainingState : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    layout_ = std::make_unique<Layout>(folder_->path().toStdString());
  }

  void otherBitsHaveAReason_data() {
    QTest::addColumn<int>("workers");
    QTest::addColumn<int>("threads");
    QTest::addColumn<bool>("onCpu");
    QTest::addColumn<QString>("expected");
    QTest::newRow("same") << 2 << 3 << true << "";
    QTest::newRow("threads") << 2 << 1 << true
                             << "by 2 ranks of 3 threads on the CPU and is continued by 2 ranks of "
                                "1 thread on the CPU";
    QTest::newRow("ranks") << 1 << 3 << true << "is continued by 1 rank of 3 threads on the CPU";
    QTest::newRow("device") << 2 << 3 << false << "is continued by 2 ranks on GPUs";
  }
  void otherBitsHaveAReason() {
    QFETCH(int, workers);
    QFETCH(int, threads);
    QFETCH(bool, onCpu);
    QFETCH(QString, expected);
    TrainingState before = someState(4);
    before.workers = 2;
    before.cpuThreads = 3;
    config::RuntimeConfig now;
    now.workers = workers;
    now.cpuThreads = threads;
    now.device = onCpu ? config::Device::Cpu : config::Device::Cuda;
    const QString text = QString::fromStdString(bitsDifference(before, now));
    QCOMPARE(text.isEmpty(), expected.isEmpty());
    QVERIFY2(text.contains(expected), qPrintable(text));
  }

  /// The threads of such ranks compute nothing that training depends on.
  void threadsOfRanksOnGpusMakeNoDifference() {
    TrainingState before = someState(4);
    before.device = "cuda";
    config::RuntimeConfig now;
    now.workers = before.workers;
    now.cpuThreads = before.cpuThreads + 1;
    now.device = config::Device::Cuda;
    QCOMPARE(bitsDifference(before, now), std::string());
  }

  void whatIsWrittenIsRead() {
    fs::create_directories(layout_->checkpoint(1));
    TrainingState state = someState(1);
    state.files = {{"model.safetensors", 5, 0xffffffff}};
    state.best->value = -std::numeric_limits<double>::infinity();
    writeTrainingState(layout_->checkpoint(1), state);
    QVERIFY(readTrainingState(layout_->checkpoint(1)) == state);
    state.best.reset();
    state.earlyStop.reset();
    state.data->val.reset();
    writeTrainingState(layout_->checkpoint(1), state);
    QVERIFY(readTrainingState(layout_->checkpoint(1)) == state);
    state.data.reset();
    writeTrainingState(layout_->checkpoint(1), state);
    QVERIFY(readTrainingState(layout_->checkpoint(1)) == state);
  }

  void theNewestIntactCheckpointIsResumed() {
    for (const int step : {100, 200}) writeIntact(step);
    const ResumePoint point = findResumePoint(*layout_);
    QCOMPARE(point.step, std::int64_t{200});
    QVERIFY(point.damaged.empty());
    QVERIFY(point.best == someState(200).best);
  }

  void damageFallsBackToTheCheckpointBefore_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("damage");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* file, const char* damage,
                        const char* message) {
      QTest::newRow(name) << QString::fromLatin1(file) << QString::fromLatin1(damage)
                          << QString::fromLatin1(message);
    };
    row("cut", "model.safetensors", "cut", "has 4 bytes, expected 5");
    row("one byte", "optimizer.safetensors", "flip", "checksum mismatch");
    row("gone", "optimizer.safetensors", "remove", "is missing");
    row("state gone", "state.json", "remove", "is missing");
    row("state cut", "state.json", "cut", "state.json: ");
    row("state of something else", "state.json", "replace", "state.json: ");
  }
  void damageFallsBackToTheCheckpointBefore() {
    QFETCH(QString, file);
    QFETCH(QString, damage);
    QFETCH(QString, message);
    for (const int step : {100, 200, 300}) writeIntact(step);
    for (const int step : {200, 300}) {
      const fs::path victim = layout_->checkpoint(step) / file.toStdString();
      std::string text = base::readFile(victim);
      if (damage == QLatin1String("cut")) text.pop_back();
      if (damage == QLatin1String("cut") && file == QLatin1String("state.json")) text.resize(30);
      if (damage == QLatin1String("flip")) text[2] ^= 1;
      if (damage == QLatin1String("replace")) text = "[1, 2]";
      base::writeFileAtomically(victim, text);
      if (damage == QLatin1String("remove")) fs::remove(victim);
    }
    const ResumePoint point = findResumePoint(*layout_);
    QCOMPARE(point.step, std::int64_t{100});
    QCOMPARE(point.damaged.size(), std::size_t{2});
    QCOMPARE(point.damaged[0].step, std::int64_t{300});
    QVERIFY2(point.damaged[0].error.find(message.toStdString()) != std::string::npos,
             point.damaged[0].error.c_str());
    QVERIFY(point.damaged[0].error.find(file.toStdString()) != std::string::npos);
    QVERIFY(messageOf([&] { resumePointAt(*layout_, 300); }).find(message.toStdString()) !=
            std::string::npos);
    QCOMPARE(resumePointAt(*layout_, 100).step, std::int64_t{100});
  }

  void noCheckpointIsStepZeroAndOnlyDamagedOnesAreAnError() {
    QCOMPARE(findResumePoint(*layout_).step, std::int64_t{0});
    writeIntact(100);
    fs::remove(layout_->checkpoint(100) / "model.safetensors");
    const std::string text = messageOf([&] { findResumePoint(*layout_); });
    QVERIFY2(text.find("every checkpoint is damaged") != std::string::npos, text.c_str());
    QVERIFY(text.find("model.safetensors: is missing") != std::string::npos);
  }

  void oneFileCanBeChecked() {
    writeIntact(100);
    const fs::path file = layout_->checkpoint(100) / "model.safetensors";
    QVERIFY(!checkpointFileError(file));
    tests::writeText(file, "other");
    QVERIFY(checkpointFileError(file));
    tests::writeText(layout_->folder() / "mine.safetensors", "x");
    QVERIFY2(!checkpointFileError(layout_->folder() / "mine.safetensors"), "it has no checksum");
  }

 private:
  void writeIntact(std::int64_t step) {
    TrainingState state = someState(step);
    for (const char* name : {"model.safetensors", "optimizer.safetensors"}) {
      tests::writeText(layout_->checkpoint(step) / name, "bytes");
      state.files.push_back({name, 5, base::crc32c("bytes")});
    }
    writeTrainingState(layout_->checkpoint(step), state);
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Layout> layout_;
};

LOCKSTEP_TEST(TstTrainingState)
#include "tst_training_state.moc"
