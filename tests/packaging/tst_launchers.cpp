// The same two ranks under every launcher that this machine has: torchrun, mpirun, and a script
// that gives the variables of srun and of PyTorchJob.
#include <signal.h>

#include <QRegularExpression>
#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/packaging/script_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ScriptBench;

namespace {

/// Starts "$@" twice with the variables of ranks 0 and 1, as `$1` has them; fails when one fails.
constexpr const char* kTwice = R"(
kind=$1; shift
start() {
  case $kind in
    slurm) export SLURM_PROCID=$1 SLURM_LOCALID=$1 SLURM_NTASKS=2 SLURM_STEP_ID=0 SLURM_JOB_ID=$$ \
                  SLURM_STEP_NODELIST=localhost ;;
    pods) export RANK=$1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((15000 + $$ % 17000)) ;;
  esac
  shift
  "$@"
}
start 1 "$@" & second=$!
start 0 "$@"; first=$?
wait $second; status=$?
[ $first = 0 ] && [ $status = 0 ]
)";

constexpr const char* kExperiment = R"(base: %1
name: launched
dataset:
  train: {images: data/train, annotations: data/annotations/instances_train.json}
  val: {images: data/val, annotations: data/annotations/instances_val.json}
augment: {min_size: [64], max_size: 96}
solver: {batch_size: 2, max_steps: 2, warmup_steps: 0}
evaluation: {loss_every: 0, ap_every: 0}
checkpoint: {every: 0}
monitor: {log_every: 1, predictions_every: 0}
runtime: {device: cpu, cpu_threads: 1}
)";

}  // namespace

class TstLaunchers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (!std::filesystem::exists(tests::program("lockstep-worker").toStdString()))
      QSKIP("lockstep-worker is not built here");
    engine_ = tests::program("lockstep-engine");
    bench_.setVariable("LOCKSTEP_ENGINE", engine_.toStdString());
    bench_.setVariable("OMP_NUM_THREADS", "1");
    bench_.writeProgram("twice", kTwice);
    const auto made = bench_.run(
        engine_.toStdString(),
        {"dataset", "shapes", "--out", "data", "--train", "6", "--val", "2", "--seed", "1"});
    QVERIFY2(made.status == 0, made.err.c_str());
    const QString base = QString::fromStdString(tests::sourceFile("configs/cpu_small.yaml"));
    bench_.write("experiment.yaml", QString::fromUtf8(kExperiment).arg(base).toStdString());
    expected_ = evaluationOf("workers", engine_, {"train", "experiment.yaml", "--workers", "2"});
    QVERIFY2(expected_.starts_with("{\n \"step\""), expected_.c_str());
  }

  void everyLauncherMakesTheSameWorld_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("arguments");
    const QStringList train{engine_, "train", "experiment.yaml"};
    const QString python = tests::python();
    if (!python.isEmpty()) {
      const QString script = QString::fromStdString(tests::sourceFile("packaging/torchrun.sh"));
      QTest::newRow("torchrun")
          << script
          << QStringList{"--nproc-per-node", "2",  "--master-addr",  "127.0.0.1", "--master-port",
                         freePort(),         "--", "experiment.yaml"};
    }
    if (ScriptBench().run("sh", {"-c", "command -v mpirun"}).status == 0) {
      QTest::newRow("mpirun") << "mpirun"
                              << QStringList{"--allow-run-as-root", "--oversubscribe", "-n", "2"} +
                                     train;
    }
    const QString twice = QString::fromStdString((bench_.folder() / "twice").string());
    QTest::newRow("srun's variables") << twice << QStringList{"slurm"} + train;
    QTest::newRow("PyTorchJob's variables") << twice << QStringList{"pods"} + train;
  }
  void everyLauncherMakesTheSameWorld() {
    QFETCH(QString, program);
    QFETCH(QStringList, arguments);
    QCOMPARE(evaluationOf(QTest::currentDataTag(), program, arguments), expected_);
  }

  void aSignalWhileTheOtherPodIsMissingEndsTheProcess_data() {
    QTest::addColumn<QString>("rank");
    QTest::newRow("of rank 0") << "0";
    QTest::newRow("of rank 1") << "1";
  }
  void aSignalWhileTheOtherPodIsMissingEndsTheProcess() {
    QFETCH(QString, rank);
    const auto process =
        bench_.start("env", {"RANK=" + rank, "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1",
                             "MASTER_PORT=" + freePort(), engine_, "train", "experiment.yaml",
                             "--output", "alone" + rank, "--resume"});
    const QString pid = QString::number(process->processId());
    QTRY_COMPARE_WITH_TIMEOUT(ScriptBench().run("pgrep", {"-P", pid, "lockstep-worker"}).status, 0,
                              20000);
    ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
    const auto ended = ScriptBench::finish(*process);
    QVERIFY2(ended.status == 75, ended.err.c_str());
  }

  void launchersThatAreNotHereAreNamed() {
    if (tests::python().isEmpty())
      QSKIP("torchrun was not tried: packaging/setup.sh --dev installs it");
    if (ScriptBench().run("sh", {"-c", "command -v mpirun"}).status != 0)
      QSKIP("mpirun was not tried: it is not installed (openmpi-bin)");
  }

 private:
  /// Trains into a folder of its own and gives the last evaluation, which tells one world of two
  /// ranks from any other.
  std::string evaluationOf(const std::string& name, const QString& program,
                           const QStringList& arguments) {
    const QString run = QString::fromStdString(name).replace(QRegularExpression("[^a-z]"), "-");
    const auto ended = bench_.run(program.toStdString(), arguments + QStringList{"--output", run});
    if (ended.status != 0) {
      qWarning("%s", ended.err.c_str());
      return "status " + std::to_string(ended.status);
    }
    const auto info = nlohmann::json::parse(bench_.read(run.toStdString() + "/run.json"));
    if (info.at("ranks") != 2 || info.at("state") != "finished") return info.dump();
    return bench_.read(run.toStdString() + "/evaluations/step-00000002.json");
  }

  /// One that nobody listens at now.
  static QString freePort() {
    const auto port = ScriptBench().run(
        "python3",
        {"-c", "import socket; s = socket.socket(); s.bind(('', 0)); print(s.getsockname()[1])"});
    return QString::fromStdString(port.out).trimmed();
  }

  ScriptBench bench_;
  QString engine_;
  std::string expected_;
};

LOCKSTEP_TEST(TstLaunchers)
#include "tst_launchers.moc"
