#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/experiment_survey.h"
#include "engine/base/atomic_file.h"
#include "engine/base/host.h"
#include "engine/config/load.h"
#include "engine/run_folder/run_folder.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::app;

/// Time, memory, anchors and crowding of an experiment that is edited.
class TstExperimentSurvey : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  static QString valueOf(const SurveyFacts& facts, const QString& name) {
    for (const auto& [each, value] : facts)
      if (each == name) return value;
    return {};
  }

 private Q_SLOTS:
  void theDataAreHeldAgainstAnchorsAndLimits() {
    const std::filesystem::path file = folder_.filePath(QStringLiteral("a.json")).toStdString();
    base::writeFileAtomically(
        file, R"({"images": [{"id": 1, "file_name": "one.png", "width": 800, "height": 800},
      {"id": 2, "file_name": "two.png", "width": 800, "height": 800}], "categories": [{"id": 1, "name": "a"}],
      "annotations": [
      {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 64, 64], "area": 4096, "iscrowd": 0},
      {"id": 2, "image_id": 2, "category_id": 1, "bbox": [10, 10, 64, 64], "area": 4096, "iscrowd": 0},
      {"id": 3, "image_id": 2, "category_id": 1, "bbox": [100, 10, 4, 4], "area": 16, "iscrowd": 0}]})");
    config::Experiment experiment;
    experiment.dataset.train.annotations = file.string();
    experiment.solver.batchSize = 2;
    experiment.model.boxHead.detectionsPerImage = 1;
    const SurveyFacts facts = surveyExperiment(experiment, 3, {});
    QCOMPARE(valueOf(facts, QStringLiteral("steps per epoch")), QStringLiteral("1.5"));
    QCOMPARE(valueOf(facts, QStringLiteral("anchors")),
             QStringLiteral("none has an IoU of 0.5 with 33 % of the 3 objects"));
    QCOMPARE(valueOf(facts, QStringLiteral("most crowded")),
             QStringLiteral("2 objects in two.png, of at most 1 detections: raise "
                            "model.box_head.detections_per_image"));
    base::writeFileAtomically(
        file, R"({"images": [{"id": 1, "file_name": "one.png", "width": 800, "height": 800}],
      "categories": [{"id": 1, "name": "a"}], "annotations": [
      {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 64, 64], "area": 4096, "iscrowd": 0}]})");
    QCOMPARE(valueOf(surveyExperiment(experiment, 3, {}), QStringLiteral("anchors")),
             QStringLiteral("one has an IoU of 0.5 with each of the 1 objects"));
    QVERIFY(valueOf(facts, QStringLiteral("time and memory"))
                .startsWith(QStringLiteral("not measured yet")));
    experiment.dataset.train.annotations = "/nowhere.json";  // said by the check of the experiment
    QVERIFY(valueOf(surveyExperiment(experiment, 0, {}), QStringLiteral("anchors")).isEmpty());
  }

  void timeAndMemoryAreThoseOfARunOfTheSameModel() {
    config::Experiment experiment;
    experiment.solver.maxSteps = {1000};
    tests::MadeRun made = tests::made("measured", 1795255200);
    made.gpus = 1;
    const QString run = tests::makeRun(folder_.path(), made);
    const run_folder::Layout layout(run.toStdString());
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.host = base::hostName();
    run_folder::writeRunInfo(layout, info);
    base::writeFileAtomically(layout.config(), config::writeExperiment(experiment));
    const auto textOf = [&](const char* name) {
      return valueOf(surveyExperiment(experiment, 0, {run}), QString::fromLatin1(name));
    };
    const QString from = QStringLiteral("measured in ") % QFileInfo(run).fileName();
    QVERIFY2(textOf("time").endsWith(from), qPrintable(textOf("time")));
    QVERIFY(textOf("time").contains(QStringLiteral("s per step")));
    QVERIFY2(textOf("memory").endsWith(from), qPrintable(textOf("memory")));
    experiment.dataset.cacheLimitBytes = 1;  // decides neither
    QVERIFY(!textOf("time").isEmpty());
    experiment.solver.batchSize *= 2;
    QVERIFY(textOf("time").isEmpty() && textOf("memory").isEmpty());
    experiment.solver.batchSize /= 2;
    info.host = "elsewhere";
    run_folder::writeRunInfo(layout, info);
    QVERIFY(textOf("time").isEmpty());
  }
};

LOCKSTEP_TEST(TstExperimentSurvey)
#include "tst_experiment_survey.moc"
