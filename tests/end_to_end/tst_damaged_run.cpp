#include <QTest>
#include <filesystem>

#include "engine/base/atomic_file.h"
#include "tests/end_to_end/test_workspace.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::Choices;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::text;
namespace fs = std::filesystem;

namespace {

constexpr int kLongestLine = 600;

/// Messages of a crash on standard error, or in the supervisor's report.
const char* const kTraces[] = {"terminate called", "Exception raised from",
                               "frame #",          "what():",
                               "Segmentation",     "signal 11",
                               "signal 6",         "SIGSEGV",
                               "SIGABRT",          "bad_alloc",
                               "nlohmann",         "json.exception"};

/// "" or why the end of a command is not as expected.
QString faultOf(const ProcessResult& ended, bool mayTellProgress) {
  if (ended.status < 0 || ended.status > 2) return text("status %1").arg(ended.status);
  for (const char* trace : kTraces)
    if (ended.err.contains(trace)) return text("a trace of a crash");
  if (ended.status == 0) return {};
  const QList<QByteArray> lines = ended.err.trimmed().split('\n');
  const auto told = std::count_if(lines.begin(), lines.end(), [](const QByteArray& line) {
    return line.startsWith("[engine] device:");
  });
  if (!mayTellProgress && lines.size() != 1 + told) return text("more than one line");
  return QString::fromStdString(tests::lineProblem(lines.last().toStdString(), kLongestLine));
}

}  // namespace

/// The real programs on a run folder with a damaged file: a result, or one line and status 1 or 2.
class TstDamagedRun : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<TestWorkspace> place_;

  fs::path path(const char* name) const { return place_->path(text(name)).toStdString(); }

  /// A copy of the run, as `name`, with one of its files damaged.
  void damageCopy(const char* name, const QString& file, std::uint64_t variant) {
    tests::copyRun(path("whole"), path(name));
    const fs::path target = path(name) / file.toStdString();
    const std::string bytes = base::readFile(target);
    fs::remove(target);
    Choices choices(tests::chosenVariants(0).seed, variant);
    base::writeFileAtomically(target, target.extension() == ".json"
                                          ? tests::damagedJson(bytes, choices)
                                          : tests::damagedSafetensors(bytes, choices));
  }

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyMadeRun(text("whole"));
  }

  void cleanupTestCase() { place_.reset(); }

  void theProgramReportsTheError_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("variant");
    const auto rows = [](const char* line, const char* file, int count) {
      for (int i = 0; i < count; ++i)
        QTest::addRow("%s, %s %d", line, file, i) << text(line) << text(file) << i;
    };
    const char* const model = "checkpoints/step-00000006/model.safetensors";
    const char* const optimizer = "checkpoints/step-00000006/optimizer.safetensors";
    const char* const state = "checkpoints/step-00000006/state.json";
    const char* const resume =
        "train run --resume --set solver.max_steps=7 --set checkpoint.every=0 "
        "--set monitor.predictions_every=0";
    rows("evaluate run --weights last --out answer.json", model, 6);
    rows("predict run --split val --out answer.json", model, 4);
    rows(resume, model, 3);
    rows(resume, optimizer, 3);
    rows(resume, state, 6);
    rows(resume, "run.json", 4);
    rows("evaluate run --weights best --out answer.json", "run.json", 4);
    rows("metrics run", "run.json", 3);
    rows("attach run", "run.json", 3);
    rows("runs .", "run.json", 12);
  }
  void theProgramReportsTheError() {
    QFETCH(QString, line);
    QFETCH(QString, file);
    QFETCH(int, variant);
    damageCopy("run", file, static_cast<std::uint64_t>(variant));
    const ProcessResult ended = place_->engine(line.split(QLatin1Char(' ')));
    const QString problem = faultOf(ended, line.startsWith(text("train")));
    QVERIFY2(problem.isEmpty(),
             qPrintable(problem + text(": ") + QString::fromUtf8(ended.err.left(2000))));
    if (line.startsWith(text("runs"))) {
      QCOMPARE(ended.status, 0);
      QCOMPARE(ended.out.count('\n'), 3);  // the heading, this run and the whole one
    }
  }

  void theWindowShowsWhatIsReadable() {
    fs::create_directories(path("many"));
    for (int i = 0; i < 30; ++i) {
      const QByteArray name = "many/run" + QByteArray::number(i);
      damageCopy(name.constData(), text("run.json"), 100 + i);
    }
    const ProcessResult ended = place_->run(
        "lockstep",
        {text("many"), text("--screenshot"), text("many.png"), text("--size"), text("900x600")});
    QVERIFY2(ended.status == 0, ended.err.constData());
    QVERIFY(fs::exists(path("many.png")));
  }
};

LOCKSTEP_TEST(TstDamagedRun)
#include "tst_damaged_run.moc"
