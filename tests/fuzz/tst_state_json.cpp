#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/run_folder/training_state.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using tests::Choices;

namespace {

FileChecksum checksumOf(const fs::path& folder, const std::string& name) {
  const std::string bytes = base::readFile(folder / name);
  return {name, static_cast<std::int64_t>(bytes.size()), base::crc32c(bytes)};
}

void expectOneLine(const std::string& message, const fs::path& file) {
  const std::string problem = tests::messageProblem(message, file);
  if (!problem.empty()) throw std::logic_error(problem);
}

}  // namespace

class TstStateJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void damagedFilesAreReadOrAreErrors() {
    QTemporaryDir folder;
    const Layout layout(folder.path().toStdString());
    const fs::path older = layout.checkpoint(300), newer = layout.checkpoint(400);
    writeSample(layout, 300);
    writeSample(layout, 400);
    const std::string whole = base::readFile(newer / "state.json");
    const auto read = [&] {
      // A damaged newest checkpoint falls back to the one before.
      const ResumePoint point = findResumePoint(layout);
      if (point.step != (point.damaged.empty() ? 400 : 300))
        throw std::logic_error("wrong resume step");
      for (const ResumePoint::Damaged& damaged : point.damaged) expectOneLine(damaged.error, newer);
      const TrainingState state = readTrainingState(newer);
      if (point.damaged.empty() && state.step != 400) throw std::logic_error("wrong step");
    };
    const std::string failures =
        tests::failuresOf({"state.json",
                           newer / "state.json",
                           {},
                           [&](Choices& choices) { return tests::damagedJson(whole, choices); },
                           read},
                          tests::chosenVariants(1000));
    QVERIFY2(failures.empty(), failures.c_str());
    QVERIFY(!checkpointError(older));
  }

 private:
  static void writeSample(const Layout& layout, std::int64_t step) {
    tests::makeCheckpoint(layout, step);
    const fs::path folder = layout.checkpoint(step);
    TrainingState state;
    state.step = step;
    state.best = Best{"segm/AP", 0.25, 300};
    state.earlyStop = EarlyStopState{"segm/AP", 0.25, 300, 2};
    state.batchSize = 2;
    state.cpuThreads = 2;
    state.device = "cpu";
    state.optimizer = "sgd";
    state.version = "0.1.0";
    state.files = {checksumOf(folder, "model.safetensors"),
                   checksumOf(folder, "optimizer.safetensors")};
    writeTrainingState(folder, state);
  }
};

LOCKSTEP_TEST(TstStateJson)
#include "tst_state_json.moc"
