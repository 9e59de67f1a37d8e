#include <QTest>
#include <map>
#include <string>

#include "engine/base/error.h"
#include "engine/supervisor/cluster_environment.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using supervisor::ClusterEnvironment;

namespace {

/// `A=1 B=two`
ClusterEnvironment clusterOf(const QString& environment) {
  std::map<std::string, std::string> values;
  for (const QString& entry : environment.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const auto equals = entry.indexOf(QLatin1Char('='));
    values[entry.left(equals).toStdString()] = entry.mid(equals + 1).toStdString();
  }
  return supervisor::detectCluster([&values](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  });
}

/// `torchrun: node 3 of 4, one rank on GPU 1, at host:29500, served`
QString described(const ClusterEnvironment& cluster) {
  if (cluster.launcher.empty() && cluster.nodes == 1 && cluster.masterAddress.empty() &&
      !cluster.startsEveryRank && cluster.masterPort == 0 && cluster.localRank == 0 &&
      cluster.node == 0)
    return QStringLiteral("default");
  QString text = QStringLiteral("%1: node %2 of %3")
                     .arg(QString::fromStdString(cluster.launcher))
                     .arg(cluster.node)
                     .arg(cluster.nodes);
  if (cluster.startsEveryRank)
    text += QStringLiteral(", one rank on GPU %1").arg(cluster.localRank);
  if (cluster.localWorldSize > 1) text += QStringLiteral(" of %1 here").arg(cluster.localWorldSize);
  if (!cluster.masterAddress.empty() || cluster.masterPort != 0)
    text += QStringLiteral(", at %1:%2")
                .arg(QString::fromStdString(cluster.masterAddress))
                .arg(cluster.masterPort);
  return cluster.storeIsServed ? text + QStringLiteral(", served") : text;
}

const char* const kTorchrun =
    "LOCAL_RANK=1 RANK=3 WORLD_SIZE=4 MASTER_ADDR=host MASTER_PORT=29500 ";
const char* const kMpi =
    "OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_RANK=3 "
    "OMPI_COMM_WORLD_SIZE=4 ";
const char* const kStep =
    "SLURM_LOCALID=1 SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 "
    "SLURM_STEP_ID=2 SLURM_JOB_ID=1000 ";
const char* const kBatch =
    "SLURM_LOCALID=0 SLURM_PROCID=0 SLURM_JOB_ID=1000 ENVIRONMENT=BATCH "
    "SLURM_JOB_NODELIST=gpu[1-4] ";
const char* const kPod = "RANK=2 WORLD_SIZE=3 MASTER_ADDR=job-master-0 MASTER_PORT=23456 ";

}  // namespace

class TstClusterEnvironment : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void variablesGiveRankAndWorldSize_data() {
    QTest::addColumn<QString>("environment");
    QTest::addColumn<QString>("place");
    const auto row = [](const char* name, const QString& environment, const char* place) {
      QTest::newRow(name) << environment << QString::fromUtf8(place);
    };
    row("nothing", {}, "default");
    row("a master alone", "MASTER_ADDR=host MASTER_PORT=29500 WORLD_SIZE=4", "default");
    row("empty variables",
        "LOCAL_RANK= RANK= SLURM_LOCALID= OMPI_COMM_WORLD_LOCAL_RANK=", "default");

    const QString torchrun = kTorchrun;
    row("torchrun", torchrun + "TORCHELASTIC_USE_AGENT_STORE=True",
        "torchrun: node 3 of 4, one rank on GPU 1, at host:29500, served");
    row("its variables by hand", torchrun,
        "torchrun: node 3 of 4, one rank on GPU 1, at host:29500");
    row("a store that is not served", torchrun + "TORCHELASTIC_USE_AGENT_STORE=False",
        "torchrun: node 3 of 4, one rank on GPU 1, at host:29500");
    row("torchrun on two machines", torchrun + "LOCAL_WORLD_SIZE=2",
        "torchrun: node 3 of 4, one rank on GPU 1 of 2 here, at host:29500");
    row("torchrun of one", "LOCAL_RANK=0 RANK=0 WORLD_SIZE=1 TORCHELASTIC_USE_AGENT_STORE=True",
        "torchrun: node 0 of 1, one rank on GPU 0");
    row("torchrun in a task of srun", torchrun + kStep,
        "torchrun: node 3 of 4, one rank on GPU 1, at host:29500");
    row("torchrun in a pod", torchrun + "PET_NNODES=2",
        "torchrun: node 3 of 4, one rank on GPU 1, at host:29500");

    const QString mpi = kMpi;
    row("mpirun on one machine", mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=4 MASTER_PORT=2000",
        "Open MPI: node 3 of 4, one rank on GPU 1 of 4 here, at 127.0.0.1:2000");
    row("mpirun on two", mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=2 MASTER_ADDR=host MASTER_PORT=2000",
        "Open MPI: node 3 of 4, one rank on GPU 1 of 2 here, at host:2000");
    row("mpirun on one machine with an address",
        mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=4 MASTER_ADDR=host MASTER_PORT=2000",
        "Open MPI: node 3 of 4, one rank on GPU 1 of 4 here, at host:2000");
    // crc32c("123456789") is 0xE3069283, the checksum's published check value.
    row("mpirun's port by PMIx", mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=123456789",
        "Open MPI: node 3 of 4, one rank on GPU 1 of 4 here, at 127.0.0.1:23755");
    row("mpirun's port by job",
        mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=4 OMPI_MCA_ess_base_jobid=123456789",
        "Open MPI: node 3 of 4, one rank on GPU 1 of 4 here, at 127.0.0.1:23755");
    row("mpirun of one",
        "OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1",
        "Open MPI: node 0 of 1, one rank on GPU 0");
    row("mpirun in a batch script",
        mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=4 MASTER_PORT=2000 SLURM_NTASKS=4 " + kBatch,
        "Open MPI: node 3 of 4, one rank on GPU 1 of 4 here, at 127.0.0.1:2000");

    const QString step = kStep, batch = kBatch;
    row("srun", step + "SLURM_STEP_NODELIST=gpu[03-05,9],x1 SLURM_JOB_NODELIST=a",
        "Slurm: node 3 of 4, one rank on GPU 1, at gpu03:18018");
    row("srun in a batch script", step + "ENVIRONMENT=BATCH SLURM_STEP_NODELIST=gpu7",
        "Slurm: node 3 of 4, one rank on GPU 1, at gpu7:18018");
    row("srun with a master", step + "SLURM_STEP_NODELIST=gpu7 MASTER_ADDR=host MASTER_PORT=2000",
        "Slurm: node 3 of 4, one rank on GPU 1, at host:2000");
    row("srun by the job's machines", step + "SLURM_JOB_NODELIST=gpu7",
        "Slurm: node 3 of 4, one rank on GPU 1, at gpu7:18018");
    row("its variables without a step",
        "SLURM_LOCALID=0 SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_JOB_ID=17001 SLURM_JOB_NODELIST=b",
        "Slurm: node 0 of 2, one rank on GPU 0, at b:15001");
    row("a lone task", "SLURM_LOCALID=0 SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_ID=0", "default");
    row("salloc's shell",
        "SLURM_LOCALID=0 SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=1 "
        "SLURM_STEP_ID=4294967290",
        "default");
    row("a batch script", batch, "default");
    row("a batch script of one task", batch + "SLURM_NTASKS=1", "default");
    row("a batch step by name", batch + "SLURM_STEP_ID=batch SLURM_NTASKS=1", "default");

    const QString pod = kPod;
    row("a pod", pod, "PyTorchJob: node 2 of 3, at job-master-0:23456");
    row("a pod with 8 processes", pod + "WORLD_SIZE=24 PET_NNODES=3 PET_NPROC_PER_NODE=8",
        "PyTorchJob: node 2 of 3, at job-master-0:23456");
    row("a pod of an elastic job", pod + "PET_NNODES=1:3",
        "PyTorchJob: node 2 of 3, at job-master-0:23456");
    row("a lone pod", "RANK=0 WORLD_SIZE=1", "PyTorchJob: node 0 of 1");
  }
  void variablesGiveRankAndWorldSize() {
    QFETCH(QString, environment);
    QFETCH(QString, place);
    QCOMPARE(described(clusterOf(environment)), place);
  }

  void firstHostOfTheNodeListIsTheMaster_data() {
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("host");
    for (const auto& [list, host] : std::initializer_list<std::pair<const char*, const char*>>{
             {"gpu1", "gpu1"},
             {"gpu1,gpu2", "gpu1"},
             {"gpu[03-05,9],x1", "gpu03"},
             {"gpu[9,03-05]", "gpu9"},
             {"gpu[7]", "gpu7"},
             {"a[1-2]b[3-4]", "a1b3"},
             {"a[1-2]b[3-4],c", "a1b3"},
             {"rack1-gpu[001-128].cluster.org", "rack1-gpu001.cluster.org"},
             {"10.0.0.[4-7]", "10.0.0.4"},
             {"gpu[1-2", ""},
             {"gpu]1[", ""},
             {"gpu[]", ""},
             {"gpu[a-b]", ""},
             {"gpu[1a]", ""},
             {"gpu[[1]]", ""},
             {",gpu1", ""}}) {
      QTest::newRow(list) << QString::fromUtf8(list) << QString::fromUtf8(host);
    }
  }
  void firstHostOfTheNodeListIsTheMaster() {
    QFETCH(QString, list);
    QFETCH(QString, host);
    QString found;
    try {
      found =
          QString::fromStdString(clusterOf(kStep + ("SLURM_STEP_NODELIST=" + list)).masterAddress);
    } catch (const Error& error) {
      QVERIFY2(std::string(error.what()).find("SLURM_STEP_NODELIST") == 0, error.what());
    }
    QCOMPARE(found, host);
  }

  void errorsNameTheVariable_data() {
    QTest::addColumn<QString>("environment");
    QTest::addColumn<QString>("variable");
    const auto row = [](const QString& environment, const char* variable) {
      QTest::newRow(environment.toUtf8().constData()) << environment << QString::fromUtf8(variable);
    };
    const QString torchrun = kTorchrun, mpi = kMpi, step = kStep, pod = kPod;
    row("LOCAL_RANK=0", "WORLD_SIZE");
    row("LOCAL_RANK=0 WORLD_SIZE=2", "RANK");
    row("LOCAL_RANK=0 RANK=0 WORLD_SIZE=2 MASTER_PORT=1", "MASTER_ADDR");
    row("LOCAL_RANK=0 RANK=0 WORLD_SIZE=2 MASTER_ADDR=host", "MASTER_PORT");
    row(torchrun + "RANK=4", "RANK");
    row(torchrun + "RANK=-1", "RANK");
    row(torchrun + "RANK=two", "RANK");
    row(torchrun + "RANK=1x", "RANK");
    row(torchrun + "RANK=99999999999999999999", "RANK");
    row(torchrun + "LOCAL_RANK=4", "LOCAL_RANK");
    row(torchrun + "WORLD_SIZE=0", "WORLD_SIZE");
    row(torchrun + "WORLD_SIZE=1e9", "WORLD_SIZE");
    row(torchrun + "MASTER_PORT=0", "MASTER_PORT");
    row(torchrun + "MASTER_PORT=65536", "MASTER_PORT");
    row(torchrun + "MASTER_PORT=http", "MASTER_PORT");
    row("OMPI_COMM_WORLD_LOCAL_RANK=0", "OMPI_COMM_WORLD_SIZE");
    row("OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK");
    row(mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=2 MASTER_PORT=1", "MASTER_ADDR");
    row(mpi + "MASTER_PORT=1", "MASTER_ADDR");
    row(mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=5 MASTER_PORT=1", "OMPI_COMM_WORLD_LOCAL_SIZE");
    row(mpi + "OMPI_COMM_WORLD_LOCAL_SIZE=4", "MASTER_PORT");
    row("SLURM_LOCALID=0", "SLURM_NTASKS");
    row("SLURM_LOCALID=0 SLURM_NTASKS=2", "SLURM_PROCID");
    row("SLURM_LOCALID=0 SLURM_NTASKS=1", "SLURM_PROCID");
    row(step + "SLURM_PROCID=4", "SLURM_PROCID");
    row(step + "SLURM_STEP_NUM_TASKS=x", "SLURM_STEP_NUM_TASKS");
    row(step, "MASTER_ADDR");
    row(step + "MASTER_ADDR=host SLURM_JOB_ID=", "MASTER_PORT");
    row(step + "MASTER_ADDR=host SLURM_JOB_ID=x", "SLURM_JOB_ID");
    row(step + "MASTER_ADDR=host SLURM_STEP_ID=x", "SLURM_STEP_ID");
    row(kBatch + QString("SLURM_NTASKS=4"), "SLURM_NTASKS");
    row("RANK=0", "WORLD_SIZE");
    row(pod + "RANK=3", "RANK");
    row(pod + "PET_NNODES=2", "RANK");
    row(pod + "MASTER_ADDR=", "MASTER_ADDR");
    row(pod + "MASTER_PORT=", "MASTER_PORT");
  }
  void errorsNameTheVariable() {
    QFETCH(QString, environment);
    QFETCH(QString, variable);
    try {
      const QString place = described(clusterOf(environment));
      QFAIL(qPrintable(place));
    } catch (const Error& error) {
      const QString message = QString::fromUtf8(error.what());
      QVERIFY2(message.startsWith(variable + QLatin1Char(' ')), error.what());
      QVERIFY2(!message.contains(QLatin1Char('\n')), error.what());
      QCOMPARE(error.status(), ExitStatus::UserError);
    }
  }

  void missingSrunIsAnError() {
    QVERIFY_THROWS_EXCEPTION(Error, clusterOf(kBatch + QString("SLURM_NTASKS=4")));
    try {
      clusterOf(kBatch + QString("SLURM_NTASKS=4"));
    } catch (const Error& error) {
      QVERIFY2(QString::fromUtf8(error.what()).contains("srun"), error.what());
    }
  }

  /// Steps of one job, and jobs one after another, may run on a machine at the same time.
  void stepsAndJobsHaveTheirOwnPorts() {
    const auto portOf = [](int job, int step) {
      return clusterOf(
                 QStringLiteral("SLURM_LOCALID=0 SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_JOB_ID=%1 "
                                "SLURM_STEP_ID=%2 MASTER_ADDR=host")
                     .arg(job)
                     .arg(step))
          .masterPort;
    };
    std::map<int, int> jobs;
    for (int job = 7'000'000; job < 7'000'100; ++job) {
      for (int step = 0; step < 10; ++step) {
        const int port = portOf(job, step);
        QVERIFY(port >= 15000 && port < 32000);
        QCOMPARE(++jobs[port], 1);
      }
    }
  }
};

LOCKSTEP_TEST(TstClusterEnvironment)
#include "tst_cluster_environment.moc"
