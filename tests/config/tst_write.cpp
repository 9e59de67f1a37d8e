#include <QTest>
#include <algorithm>

#include "engine/config/experiment_name.h"
#include "engine/config/load.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstWrite : public QObject {
  Q_OBJECT

 private:
  /// Errors of parsing, not those of cross-checks.
  static std::string parseErrors(const config::LoadedExperiment& loaded) {
    std::string lines;
    for (const config::ConfigIssue& issue : loaded.issues) {
      for (const char* reading :
           {"unknown", "is not a", "is not in", "expected", "twice", "did you mean"}) {
        if (issue.text.find(reading) != std::string::npos) lines += issue.format() + "\n";
      }
    }
    return lines;
  }

 private Q_SLOTS:
  void writtenExperimentsReadBackEqual() {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const config::Experiment experiment = tests::randomExperiment(seed);
      const std::string text = config::writeExperiment(experiment);
      const auto loaded = config::loadExperimentText(text, "/elsewhere/config.yaml");
      const auto differences = config::difference(experiment, loaded.experiment);
      QVERIFY2(differences.empty(),
               (differences.empty() ? ""
                                    : differences[0].key + ": " + differences[0].left + " -> " +
                                          differences[0].right + "\n" + text + parseErrors(loaded))
                   .c_str());
      QCOMPARE(config::writeExperiment(loaded.experiment), text);
    }
  }

  void numbersAreTheSameToTheLastBit() {
    config::Experiment experiment;
    experiment.solver.baseLr = 0.1 + 0.2;
    experiment.solver.gamma = 1.0 / 3;
    experiment.model.normEpsilon = 5e-324;
    experiment.model.anchors.sizes = {1e-300, 1, 2, 3, 1e300};
    const auto loaded = config::loadExperimentText(config::writeExperiment(experiment), "a.yaml");
    QCOMPARE(loaded.experiment.solver.baseLr, experiment.solver.baseLr);
    QVERIFY(loaded.experiment.solver.gamma == 1.0 / 3);
    QVERIFY(loaded.experiment.model.normEpsilon == 5e-324);
    QVERIFY(loaded.experiment.model.anchors.sizes == experiment.model.anchors.sizes);
  }

  void theWholeExperimentIsWritten() {
    const std::string text = config::writeExperiment({});
    QVERIFY(text.starts_with("name: mask_rcnn_r50_fpn\ndataset:\n  train:\n    images: null\n"));
    QVERIFY(text.find("\nbase:") == std::string::npos);
    const auto loaded = config::loadExperimentText(text, "a.yaml");
    QCOMPARE(tests::issueLines(loaded), std::string());
    QCOMPARE(loaded.origins.size(), config::fields().size() - 1);
  }

  void commentsNameOrigins() {
    const std::string text = config::writeExperiment({}, [](const std::string& key) {
      return key == "solver.gamma" ? "from a.yaml:3" : std::string();
    });
    QVERIFY(text.find("\n  gamma: 0.1  # from a.yaml:3\n") != std::string::npos);
    QCOMPARE(std::count(text.begin(), text.end(), '#'), 1);
    QCOMPARE(tests::issueLines(config::loadExperimentText(text, "a.yaml")), std::string());
  }

  void differencesAreInTheOrderOfTheTable() {
    config::Experiment left, right;
    right.runtime.seed = 7;
    right.solver.milestones = {{1, config::Duration::Unit::Epochs}};
    right.base = "other.yaml";
    left.model.weights = "/w";
    const auto differences = config::difference(left, right);
    QCOMPARE(differences.size(), std::size_t{3});
    QCOMPARE(differences[0].key, std::string("model.weights"));
    QCOMPARE(differences[0].left, std::string("/w"));
    QCOMPARE(differences[0].right, std::string("null"));
    QCOMPARE(differences[1].key, std::string("solver.milestones"));
    QCOMPARE(differences[1].right, std::string("[1 epoch]"));
    QCOMPARE(differences[2].key, std::string("runtime.seed"));
  }

  void anExperimentIsNamedAfterItsFolder_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("name");
    const auto row = [](const char* folder, const char* name) {
      QTest::newRow(folder) << QString::fromUtf8(folder) << QString::fromUtf8(name);
    };
    row("/a/droplets", "droplets");
    row("/a/droplets/", "droplets");
    row("/a/my data (2)", "my-data-2");
    row("/a/x--y_z.1", "x--y_z.1");
    row("/a/tröpfchen 水", "tr-pfchen");
    row("/a/水", "data");
    row("/a/2024", "data-2024");
    row("/a/true", "data-true");
  }
  void anExperimentIsNamedAfterItsFolder() {
    QFETCH(QString, folder);
    QFETCH(QString, name);
    QCOMPARE(config::nameAfterFolder(folder.toStdString()), name.toStdString());
  }
};

LOCKSTEP_TEST(TstWrite)

#include "tst_write.moc"
