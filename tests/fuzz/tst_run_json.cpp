#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using tests::Choices;
using tests::expect;

namespace {

/// What a list of runs shows can be drawn in one row, and sorted.
void expectListed(const RunSummary& run) {
  const RunInfo& info = run.info;
  expect(info.step >= 0 && info.maxSteps >= 0, "steps below 0 are listed");
  for (const double time : {info.created, info.started, info.updated, info.finished})
    expect(time >= 0 && time < 1e12, "a time that is none is listed");
  if (info.error && info.error->cause == protocol::FailureCause::RunJson) {
    const std::string problem = tests::messageProblem(info.error->message, run.folder / "run.json");
    expect(problem.empty(), "listed: " + problem);
  }
}

}  // namespace

class TstRunJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void damagedFilesAreReadOrAreErrors() {
    QTemporaryDir folder;
    const Layout layout(folder.filePath(QStringLiteral("runs/a")).toStdString());
    const std::string whole = writeSample(layout);
    const auto read = [&] {
      const auto runs = listRuns(layout.folder().parent_path());
      expect(runs.size() == 1, "it is not listed");
      expectListed(runs.front());
      expectWeights(layout);
      readRunInfo(layout);
    };
    const std::string failures =
        tests::failuresOf({"run.json",
                           layout.runJson(),
                           {},
                           [&](Choices& choices) { return tests::damagedJson(whole, choices); },
                           read},
                          tests::chosenVariants(1000));
    QVERIFY2(failures.empty(), failures.c_str());
  }

 private:
  /// A finished run with one checkpoint, which is the best, and an error.
  static std::string writeSample(const Layout& layout) {
    tests::makeCheckpoint(layout, 400);
    RunInfo info = tests::sampleInfo();
    info.state = protocol::RunState::Failed;
    info.best = Best{"segm/AP", 0.25, 400};
    info.error = protocol::RunError{"rank 1 died",
                                    1,
                                    "node8",
                                    412,
                                    protocol::Phase::Backward,
                                    "all_reduce",
                                    base::OpenEnum<protocol::FailureCause>("signal 9")};
    writeRunInfo(layout, info);
    return base::readFile(layout.runJson());
  }

  /// "best" is what run.json says, when it is there.
  static void expectWeights(const Layout& layout) {
    try {
      const fs::path weights = resolveWeights(layout, "best");
      expect(weights == layout.checkpoint(400) / "model.safetensors", "other weights are the best");
    } catch (const Error& error) {
      const std::string problem = tests::messageProblem(error.what(), layout.folder());
      expect(problem.empty(), "best: " + problem);
    }
  }
};

LOCKSTEP_TEST(TstRunJson)
#include "tst_run_json.moc"
