#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/config/load.h"
#include "engine/run_folder/run_folder.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/worker/job_bench.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstTrainJob : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aRunResumesWithoutItsInitialWeights() {
    const QTemporaryDir folder;
    const auto path = [&](const char* name) {
      return folder.filePath(QString::fromUtf8(name)).toStdString();
    };
    config::Experiment experiment = tests::makeSmallModel(path(""));
    experiment.model.norm = config::Norm::Group;
    experiment.model.freezeStages = 0;
    experiment.model.weights = path("weights.safetensors");
    const run_folder::Layout run = run_folder::createRunFolderAt(path("run"));
    protocol::TrainJob job{.configYaml = config::writeExperiment(experiment),
                           .runFolder = run.folder().string()};
    QCOMPARE(tests::JobBench().run(job).step, std::int64_t(1));
    fs::rename(run.partialCheckpoint(1), run.checkpoint(1));  // as the supervisor does

    fs::remove(experiment.model.weights);
    QVERIFY_EXCEPTION_THROWN(tests::JobBench().run(job), Error);
    experiment.solver.maxSteps = {2};
    job.configYaml = config::writeExperiment(experiment);
    job.resumeFrom = run.checkpoint(1).string();
    QCOMPARE(tests::JobBench().run(job).step, std::int64_t(2));
    QVERIFY(fs::exists(run.partialCheckpoint(2) / "model.safetensors"));
  }
};

LOCKSTEP_TEST(TstTrainJob)
#include "tst_train_job.moc"
