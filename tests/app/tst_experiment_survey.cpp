#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "app/experiments/experiment_survey.h"
#include "engine/base/atomic_file.h"
#include "engine/base/host.h"
#include "engine/config/load.h"
#include "engine/run_folder/run_folder.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::ExperimentSurvey;
using app::MachineMemory;

/// Time, memory, anchors and crowding of an experiment that is edited.
class TstExperimentSurvey : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  static QString valueOf(const ExperimentSurvey& survey, const QString& name) {
    for (const auto& [each, value] : survey.facts)
      if (each == name) return value;
    return {};
  }

  /// Two images of 800 x 800 px with three objects, two of 64 px.
  std::string madeAnnotations(const char* name) {
    const std::filesystem::path file = folder_.filePath(QLatin1String(name)).toStdString();
    base::writeFileAtomically(
        file, R"({"images": [{"id": 1, "file_name": "one.png", "width": 800, "height": 800},
      {"id": 2, "file_name": "two.png", "width": 800, "height": 800}], "categories": [{"id": 1, "name": "a"}],
      "annotations": [
      {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 64, 64], "area": 4096, "iscrowd": 0},
      {"id": 2, "image_id": 2, "category_id": 1, "bbox": [10, 10, 64, 64], "area": 4096, "iscrowd": 0},
      {"id": 3, "image_id": 2, "category_id": 1, "bbox": [100, 10, 4, 4], "area": 16, "iscrowd": 0}]})");
    return file.string();
  }

  /// A run that was measured here at the cost of the experiment.
  QString measuredRun(const config::Experiment& experiment, const char* name) {
    tests::MadeRun made = tests::made(name, 1795255200);
    made.gpus = 1;
    const QString run = tests::makeRun(folder_.path(), made);
    const run_folder::Layout layout(run.toStdString());
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.host = base::hostName();
    run_folder::writeRunInfo(layout, info);
    base::writeFileAtomically(layout.config(), config::writeExperiment(experiment));
    return run;
  }

 private Q_SLOTS:
  void theDataAreHeldAgainstAnchorsAndLimits() {
    config::Experiment experiment;
    experiment.dataset.train.annotations = madeAnnotations("a.json");
    experiment.solver.batchSize = 2;
    experiment.model.boxHead.detectionsPerImage = 1;
    const ExperimentSurvey survey = app::surveyExperiment(experiment, {.drawsPerEpoch = 3});
    QCOMPARE(valueOf(survey, QStringLiteral("steps per epoch")), QStringLiteral("1.5"));
    QCOMPARE(valueOf(survey, QStringLiteral("anchors")),
             QStringLiteral(
                 "33 % of 3 objects have no anchor with IoU ≥ 0.5, 33 % none with IoU ≥ 0.3"));
    QCOMPARE(valueOf(survey, QStringLiteral("most crowded")),
             QStringLiteral("2 objects in two.png; limits: detections 1, proposals 1000: raise "
                            "model.box_head.detections_per_image"));
    QVERIFY(valueOf(survey, QStringLiteral("time")).startsWith(QStringLiteral("not measured yet")));
    experiment.dataset.train.annotations = "/nowhere.json";  // said by the check of the experiment
    QVERIFY(valueOf(app::surveyExperiment(experiment, {}), QStringLiteral("anchors")).isEmpty());
  }

  void boxesAreCountedByTheirSizeAfterResizing() {
    config::Experiment experiment;
    experiment.dataset.train.annotations = madeAnnotations("sizes.json");
    experiment.augment.minSize = {1600};  // twice as large
    experiment.augment.maxSize = 3200;
    const config::BoxSizes sizes = app::surveyExperiment(experiment, {}).objects->boxSizes;
    QCOMPARE(sizes.objects(), std::int64_t{3});
    for (int bin = 0; bin < config::BoxSizes::kBins; ++bin) {
      const auto has = [&](double px) {
        return config::BoxSizes::binStartPx(bin) <= px &&
               px < config::BoxSizes::binStartPx(bin + 1);
      };
      QCOMPARE(sizes.counts[static_cast<std::size_t>(bin)], std::int64_t{has(128.5) ? 2
                                                                         : has(8.5) ? 1
                                                                                    : 0});
    }
  }

  void annotationsAreReadAgainOnlyWhenTheyOrTheAnchorsChange() {
    config::Experiment experiment;
    experiment.dataset.train.annotations = madeAnnotations("cached.json");
    const auto first = app::surveyExperiment(experiment, {}).objects;
    experiment.solver.batchSize *= 2;
    QCOMPARE(app::surveyExperiment(experiment, {.objects = first}).objects, first);
    experiment.model.anchors.sizes = {4, 8, 16, 32, 64};
    const auto other = app::surveyExperiment(experiment, {.objects = first}).objects;
    QVERIFY(other != first);
    QVERIFY(other->uncovered > first->uncovered);
    madeAnnotations("cached.json");  // another file at its place
    QVERIFY(app::surveyExperiment(experiment, {.objects = other}).objects != other);
  }

  void memoryIsEstimatedUntilItWasMeasured() {
    config::Experiment experiment;
    experiment.dataset.train.annotations = madeAnnotations("memory.json");
    experiment.solver.batchSize = 2;
    experiment.solver.maxSteps = {1000};
    const MachineMemory machine = app::machineMemoryIn(
        R"json({"memory_bytes": 17179869184, "gpus": [{"name": "GPU 0 (A)", "memory_bytes": 85899345920
  },
            {"name": "GPU 1 (B)", "memory_bytes": 42949672960}]})json");
    const auto textOf = [&](const char* name, const QStringList& runs = {}) {
      return valueOf(app::surveyExperiment(experiment, {.runs = runs, .memory = machine}),
                     QString::fromLatin1(name));
    };
    const auto holds = [](const QString& text, const char* pattern) {
      return QRegularExpression(QString::fromUtf8(pattern)).match(text).hasMatch();
    };
    // The smaller of the two decides.
    QVERIFY2(
        holds(textOf("memory"), R"(^≈ \d+\.\d GiB of the 40\.0 GiB of GPU 1 \(B\), estimated$)"),
        qPrintable(textOf("memory")));
    const QString estimated = textOf("largest batch");
    QVERIFY2(holds(estimated, R"(^≈ \d+ images of up to 800 × 800 px, estimated$)"),
             qPrintable(estimated));
    experiment.runtime.devices = {0};
    QVERIFY(textOf("memory").contains(QStringLiteral("80.0 GiB of GPU 0 (A)")));
    const QString run = measuredRun(experiment, "gpu");
    QVERIFY2(holds(textOf("memory", {run}),
                   R"(^\d+\.\d GiB of the 80.0 GiB of GPU 0 \(A\), measured in )"),
             qPrintable(textOf("memory", {run})));
    QVERIFY(textOf("largest batch", {run}).contains(QStringLiteral("by the memory of ")));
    experiment.runtime.device = config::Device::Cpu;
    QVERIFY2(
        textOf("memory").endsWith(QStringLiteral("of the 16.0 GiB of this machine, estimated")),
        qPrintable(textOf("memory")));
    QVERIFY(textOf("largest batch").isEmpty());
  }

  void timeAndMemoryAreThoseOfARunOfTheSameModel() {
    config::Experiment experiment;
    experiment.solver.maxSteps = {1000};
    const QString run = measuredRun(experiment, "measured");
    const auto textOf = [&](const char* name) {
      return valueOf(app::surveyExperiment(experiment, {.runs = {run}}), QString::fromLatin1(name));
    };
    const QString from = QStringLiteral("measured in ") % QFileInfo(run).fileName();
    QVERIFY2(textOf("time").endsWith(from), qPrintable(textOf("time")));
    QVERIFY(textOf("time").contains(QStringLiteral("s per step")));
    QVERIFY2(textOf("memory").endsWith(from), qPrintable(textOf("memory")));
    // config.yaml of a run has what the machine has chosen.
    const run_folder::Layout chosen(run.toStdString());
    auto loaded = config::loadExperiment(chosen.config());
    loaded.experiment.runtime.device = config::Device::Cpu;
    loaded.experiment.runtime.workers = 1;
    base::writeFileAtomically(chosen.config(), config::writeExperiment(loaded.experiment));
    QVERIFY2(textOf("time").endsWith(from), qPrintable(textOf("time")));
    experiment.dataset.cacheLimitBytes = 1;  // decides neither
    QVERIFY(textOf("time").endsWith(from));
    experiment.solver.batchSize *= 2;
    QVERIFY(!textOf("time").endsWith(from) && textOf("memory").isEmpty());
    experiment.solver.batchSize /= 2;
    const run_folder::Layout layout(run.toStdString());
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.host = "elsewhere";
    run_folder::writeRunInfo(layout, info);
    QVERIFY(!textOf("time").endsWith(from));
  }
};

LOCKSTEP_TEST(TstExperimentSurvey)
#include "tst_experiment_survey.moc"
