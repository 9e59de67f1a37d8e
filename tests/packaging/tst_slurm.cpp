// packaging/slurm/train.sbatch with scripts in the place of srun, scontrol and lockstep-engine.
#include <signal.h>

#include <QRegularExpression>
#include <QTest>
#include <fstream>
#include <map>

#include "tests/packaging/script_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ScriptBench;

namespace {

class Slurm : public ScriptBench {
 public:
  Slurm() {
    setVariable("PATH", folder().string() + ":" + qgetenv("PATH").toStdString());
    setVariable("BENCH", folder().string());
    setVariable("SLURM_JOB_ID", "1234");
    writeProgram("scontrol", "echo \"$@\" >> \"$BENCH/scontrol.log\"\n");
    writeProgram("srun",
                 "echo \"$@\" >> \"$BENCH/srun.log\"\n"
                 "touch \"$BENCH/started\"\n"
                 "while [ -e \"$BENCH/waits\" ]; do sleep 0.02; done\n"
                 "exit \"$(cat \"$BENCH/status\" 2>/dev/null || echo 0)\"\n");
  }
  std::unique_ptr<QProcess> startJob(const QStringList& arguments) const {
    return start("bash", QStringList{script()} + arguments);
  }
  static QString script() {
    return QString::fromStdString(tests::sourceFile("packaging/slurm/train.sbatch"));
  }
};

}  // namespace

class TstSlurm : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyTaskIsARank() {
    Slurm bench;
    const auto ended =
        ScriptBench::finish(*bench.startJob({"a.yaml", "/runs/a", "--set", "solver.max_steps=5"}));
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QCOMPARE(bench.read("srun.log"),
             std::string("--kill-on-bad-exit=0 build/bin/lockstep-engine train a.yaml --output "
                         "/runs/a --resume --set solver.max_steps=5\n"));
    const auto options = sbatchOptions();
    QCOMPARE(options.at("ntasks-per-node"), options.at("gpus-per-node"));
    QVERIFY(options.contains("requeue"));
    QVERIFY2(options.at("signal").startsWith("TERM@"), "to the tasks, and so without B:");
  }

  void onlyAStopWithACheckpointIsRequeued_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("scontrol");
    QTest::newRow("done") << 0 << "";
    QTest::newRow("failed") << 1 << "";
    QTest::newRow("user error") << 2 << "";
    QTest::newRow("stopped") << 75 << "requeue 1234\n";
    QTest::newRow("killed") << 137 << "";
  }
  void onlyAStopWithACheckpointIsRequeued() {
    QFETCH(int, status);
    QFETCH(QString, scontrol);
    Slurm bench;
    bench.write("status", std::to_string(status));
    QCOMPARE(ScriptBench::finish(*bench.startJob({"a.yaml", "/runs/a"})).status, status);
    QCOMPARE(QString::fromStdString(bench.read("scontrol.log")), scontrol);
  }

  /// scancel signals the script, too, and its tasks end with a checkpoint.
  void cancelledJobIsNotRequeued() {
    Slurm bench;
    bench.write("status", "75");
    bench.write("waits", "");
    const auto job = bench.startJob({"a.yaml", "/runs/a"});
    QTRY_VERIFY_WITH_TIMEOUT(bench.has("started"), 20000);
    ::kill(static_cast<pid_t>(job->processId()), SIGTERM);
    std::filesystem::remove(bench.folder() / "waits");
    QCOMPARE(ScriptBench::finish(*job).status, 75);
    QVERIFY(!bench.has("scontrol.log"));
  }

  void missingArgumentsAreReported() {
    Slurm bench;
    const auto ended = ScriptBench::finish(*bench.startJob({"a.yaml"}));
    QCOMPARE(ended.status, 2);
    QVERIFY(ended.err.starts_with("usage: "));
    QVERIFY(!bench.has("srun.log"));
  }

 private:
  /// The lines `#SBATCH --name=value`; they must all stand before the first command.
  static std::map<QString, QString> sbatchOptions() {
    std::ifstream script(Slurm::script().toStdString());
    std::map<QString, QString> options;
    for (std::string line; std::getline(script, line) && line.starts_with("#");) {
      const auto match = QRegularExpression(QStringLiteral("^#SBATCH --([a-z-]+)(?:=(.*))?$"))
                             .match(QString::fromStdString(line));
      if (match.hasMatch()) options[match.captured(1)] = match.captured(2);
    }
    return options;
  }
};

LOCKSTEP_TEST(TstSlurm)
#include "tst_slurm.moc"
