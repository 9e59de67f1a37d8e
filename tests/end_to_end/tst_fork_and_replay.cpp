#include <QTest>

#include "engine/run_folder/replay_file.h"
#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

/// Forking a run from a checkpoint, and replaying the batch that it stopped at.
class TstForkAndReplay : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyMadeRun();
  }

  void aForkWithoutChangesEqualsTheRun() {
    const ProcessResult fork = engine("train run --from 2 --output same");
    QVERIFY2(fork.status == 0, fork.err.constData());
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      const QString name = QStringLiteral("%1/checkpoints/step-00000006/") + QLatin1String(file);
      QVERIFY2(place_->read(name.arg(QStringLiteral("same"))) ==
                   place_->read(name.arg(QStringLiteral("run"))),
               file);
    }
    const tests::Curves whole = place_->curvesOf(QStringLiteral("run")),
                        forked = place_->curvesOf(QStringLiteral("same"));
    QCOMPARE(forked.doubles, 0);
    QVERIFY(forked.beginningWith("train/loss_") == whole.beginningWith("train/loss_"));
    QVERIFY(forked.beginningWith("eval/") == whole.beginningWith("eval/"));
  }

  void aForkTrainsWithItsChanges() {
    const ProcessResult fork = engine(
        "train run --from 4 --output other --set solver.optimizer=adamw --set solver.base_lr=1e-4");
    QVERIFY2(fork.status == 0, fork.err.constData());
    QVERIFY2(fork.err.contains("solver.optimizer: sgd -> adamw") &&
                 fork.err.contains(
                     "the optimizer starts from scratch: the checkpoint's state is that of sgd"),
             fork.err.constData());
    const ProcessResult metrics = engine("metrics other --format csv");
    QVERIFY(metrics.out.contains(",solver/lr,"));
    const ProcessResult resumed = engine("train other --resume --set solver.max_steps=8");
    QVERIFY2(resumed.status == 0, resumed.err.constData());
    QVERIFY2(!resumed.err.contains("starts from scratch"), resumed.err.constData());
  }

  void aForkOfAnotherModelIsRejected() {
    const ProcessResult fork =
        engine("train run --from 2 --output wide --set model.fpn_channels=32");
    QCOMPARE(fork.status, 2);
    QVERIFY2(fork.err.contains("weights do not match the model"), fork.err.constData());
    QVERIFY(!QFile::exists(place_->path(QStringLiteral("wide"))));
  }

  void aBatchThatWasNotFiniteIsReplayed() {
    const ProcessResult run = engine(
        "train experiment.yaml --output wild --set solver.base_lr=1e12 --set solver.warmup_steps=0 "
        "--set solver.clip_grad_norm=0 --set solver.max_steps=30");
    QCOMPARE(run.status, 1);
    QVERIFY2(run.err.contains("no update was applied") && run.err.contains("First non-finite: "),
             run.err.constData());
    const auto begin = run.err.indexOf("train --replay ") + 15;
    const QString file =
        QString::fromUtf8(run.err.mid(begin, run.err.indexOf(".json", begin) + 5 - begin));
    QVERIFY2(QFile::exists(file), qPrintable(file));
    QVERIFY2(QFileInfo(file).size() < 20000, "it is small");
    const run_folder::RunInfo info = run_folder::readRunInfo(
        run_folder::Layout(place_->path(QStringLiteral("wild")).toStdString()));
    QCOMPARE(info.state.text(), std::string("failed"));

    const ProcessResult again =
        place_->engine({QStringLiteral("train"), QStringLiteral("--replay"), file});
    QCOMPARE(again.status, 1);
    QVERIFY2(again.out.contains("step=") && again.out.contains("first non-finite: ") &&
                 again.out.contains(" alone (scene_"),
             again.out.constData());
    // The layer that the run named.
    const QByteArray layer = again.out.mid(again.out.indexOf("first non-finite: ") + 18).trimmed();
    QVERIFY2(run.err.contains(QByteArray("First non-finite: " + layer)), layer.constData());
    const ProcessResult moved = place_->engine(
        {QStringLiteral("train"), QStringLiteral("--replay"), file, QStringLiteral("--resume")});
    QCOMPARE(moved.status, 2);
    replaysInTheGivenPrecision(file);
  }

  void aRunWithEarlyStoppingIsFinished() {
    const char* keys =
        " --set evaluation.early_stop.metric=loss_total --set evaluation.early_stop.patience=1 "
        "--set "
        "evaluation.early_stop.min_delta=1000 --set evaluation.loss_every=1 --set "
        "solver.max_steps=50";
    const ProcessResult run =
        engine(QByteArray(QByteArray("train experiment.yaml --output early") + keys).constData());
    QVERIFY2(run.status == 0, run.err.constData());
    QVERIFY2(run.err.contains("stopping early: loss_total has not improved"), run.err.constData());
    QVERIFY(
        QFile::exists(place_->path(QStringLiteral("early/checkpoints/step-00000002/state.json"))));
    QVERIFY(QFile::exists(place_->path(QStringLiteral("early/evaluations/step-00000002.json"))));
    const ProcessResult again = engine("train early --resume");
    QCOMPARE(again.status, 0);
    QVERIFY2(again.err.contains("already stopped early; raise evaluation.early_stop.patience"),
             again.err.constData());
    const ProcessResult longer =
        engine("train early --resume --set evaluation.early_stop.patience=3");
    QVERIFY2(longer.status == 0, longer.err.constData());
    QVERIFY(
        QFile::exists(place_->path(QStringLiteral("early/checkpoints/step-00000004/state.json"))));
  }

 private:
  /// With weights that give finite losses, which differ by precision.
  void replaysInTheGivenPrecision(const QString& file) const {
    const QString weights =
        QFileInfo(file).dir().filePath(QString::fromUtf8(run_folder::kReplayWeights));
    QVERIFY(QFile::remove(weights));
    QVERIFY(QFile::copy(
        place_->path(QStringLiteral("run/checkpoints/step-00000006/model.safetensors")), weights));
    const QStringList line{QStringLiteral("train"), QStringLiteral("--replay"), file};
    const auto inPrecision = [&](const QString& precision) {
      return place_->engine(line + QStringList{QStringLiteral("--set"),
                                               QStringLiteral("runtime.precision=") + precision});
    };
    const ProcessResult floats = inPrecision(QStringLiteral("fp32"));
    const ProcessResult halves = inPrecision(QStringLiteral("bf16"));
    QVERIFY2(floats.out.contains("everything is finite"), floats.out.constData());
    QVERIFY2(halves.out.contains("everything is finite"), halves.out.constData());
    QVERIFY(halves.out != floats.out);
  }

  ProcessResult engine(const char* line) const { return place_->engine(words(line)); }

  std::unique_ptr<TestWorkspace> place_;
};

LOCKSTEP_TEST(TstForkAndReplay)
#include "tst_fork_and_replay.moc"
