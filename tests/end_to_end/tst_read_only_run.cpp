#include <sys/stat.h>
#include <unistd.h>

#include <QStandardPaths>
#include <QTest>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

namespace {

/// Removes write permission of a folder, and restores it.
class ReadOnly {
 public:
  explicit ReadOnly(const QString& folder) : folder_(folder.toLocal8Bit()) {
    ::chmod(folder_.constData(), 0500);
  }
  ~ReadOnly() { ::chmod(folder_.constData(), 0700); }
  ReadOnly(const ReadOnly&) = delete;

 private:
  QByteArray folder_;
};

}  // namespace

/// Run folders that are not writable, as after a quota or a remounted disk.
class TstReadOnlyRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    // root may write everywhere, so it drops that capability here.
    if (::geteuid() == 0) {
      setpriv_ = QStandardPaths::findExecutable(QStringLiteral("setpriv"));
      if (setpriv_.isEmpty()) QSKIP("root writes everywhere, and setpriv is not there");
    }
    place_ = std::make_unique<TestWorkspace>();
    place_->copyMadeRun(QStringLiteral("whole"));
    QDir().mkpath(place_->path(QStringLiteral("tmp")));
    qputenv("TMPDIR", place_->path(QStringLiteral("tmp")).toLocal8Bit());
    qputenv("LOCKSTEP_CHECKPOINT_PATIENCE", "0");
    QVERIFY(train("train experiment.yaml --output run --set solver.max_steps=2").status == 0);
  }

  void cleanupTestCase() {
    place_.reset();
    qunsetenv("TMPDIR");
    qunsetenv("LOCKSTEP_CHECKPOINT_PATIENCE");
  }

  /// Training continues, the last checkpoint is written to another folder, and the run can be
  /// resumed as usual.
  void checkpointsThatCannotBeWrittenAreReported() {
    {
      const ReadOnly closed(place_->path(QStringLiteral("run/checkpoints")));
      const ProcessResult run = train("train run --resume --set solver.max_steps=6");
      QCOMPARE(run.status, 1);
      QVERIFY2(run.err.contains("alert kind=checkpoint_failed step=4") &&
                   run.err.contains("Permission denied") && run.err.contains("step=5 ") &&
                   run.err.contains("it was saved to ") && run.err.contains("/step-00000006 on "),
               run.err.constData());
    }
    const ProcessResult resumed = train("train run --resume --set solver.max_steps=6");
    QVERIFY2(resumed.status == 0, resumed.err.constData());
    const QString model = QStringLiteral("%1/checkpoints/step-00000006/model.safetensors");
    QVERIFY(place_->read(model.arg(QStringLiteral("run"))) ==
            place_->read(model.arg(QStringLiteral("whole"))));
    const tests::Curves whole = place_->curvesOf(QStringLiteral("whole")),
                        found = place_->curvesOf(QStringLiteral("run"));
    QCOMPARE(found.doubles, 0);
    QVERIFY(found.beginningWith("train/loss_") == whole.beginningWith("train/loss_"));
    QVERIFY(found.beginningWith("eval/loss_") == whole.beginningWith("eval/loss_"));
  }

  void aReadOnlyRunFolderIsLeftUnchanged() {
    const auto before = place_->files();
    {
      const ReadOnly closed(place_->path(QStringLiteral("run")));
      const ProcessResult run = train("train run --resume --set solver.max_steps=8");
      QCOMPARE(run.status, 2);
      QVERIFY2(run.err.contains("run: run folder is not writable: Permission denied"),
               run.err.constData());
      QCOMPARE(run.err.trimmed().count('\n'), 0);
    }
    QCOMPARE(place_->files(), before);
  }

  void noRunStartsInAReadOnlyFolder() {
    QDir().mkpath(place_->path(QStringLiteral("shelf")));
    const ReadOnly closed(place_->path(QStringLiteral("shelf")));
    const ProcessResult run = train("train experiment.yaml --output shelf/run");
    QCOMPARE(run.status, 2);
    QVERIFY2(run.err.contains("shelf") && run.err.contains("Permission denied"),
             run.err.constData());
  }

 private:
  ProcessResult train(const char* line) const {
    if (setpriv_.isEmpty()) return place_->engine(words(line));
    QProcess process;
    process.setWorkingDirectory(place_->path(QString()));
    process.start(setpriv_, words("--bounding-set=-dac_override,-dac_read_search") +
                                QStringList{tests::program("lockstep-engine")} + words(line));
    return TestWorkspace::finish(process);
  }

  QString setpriv_;
  std::unique_ptr<TestWorkspace> place_;
};

LOCKSTEP_TEST(TstReadOnlyRun)
#include "tst_read_only_run.moc"
