#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "engine/base/error.h"
#include "engine/run_folder/run_experiment.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;

namespace {

Layout runWith(const QTemporaryDir& folder, const QByteArray& config) {
  const Layout layout(folder.path().toStdString());
  std::ofstream(layout.config()) << config.toStdString();
  return layout;
}

}  // namespace

class TstRunExperiment : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void missingDataAndWeightsAreNoError() {
    QTemporaryDir folder;
    const config::Experiment experiment = readRunExperiment(
        runWith(folder,
                "dataset:\n  val: {images: /nowhere/val, annotations: /nowhere/val.json}\n"
                "  train: {images: /nowhere/train, annotations: /nowhere/train.json}\n"
                "model: {weights: /nowhere/model.safetensors}\nsolver: {max_steps: 7}\n"));
    QCOMPARE(experiment.dataset.val.annotations, std::string("/nowhere/val.json"));
    QCOMPARE(experiment.model.weights, std::string("/nowhere/model.safetensors"));
    QCOMPARE(experiment.solver.maxSteps.count, 7.0);
  }

  void errorsNameFileAndLine_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("message");
    QTest::newRow("no YAML") << QByteArray("name: a\ndataset:\n  val: {images: /a\n")
                             << QStringLiteral("config.yaml:");
    QTest::newRow("empty, as a crash may leave it")
        << QByteArray() << QStringLiteral("config.yaml: is empty; remove it and ");
    QTest::newRow("nothing but a directive")
        << QByteArray("%%% garbage") << QStringLiteral("config.yaml: is empty; remove it and ");
    QTest::newRow("unknown key") << QByteArray("name: a\nsolvr: {max_steps: 7}\n")
                                 << QStringLiteral("config.yaml:2:1: solvr");
    QTest::newRow("a list for a path")
        << QByteArray("dataset:\n  val: {images: /a, annotations: [1]}\n")
        << QStringLiteral("config.yaml:2:34: dataset.val.annotations");
  }
  void errorsNameFileAndLine() {
    QFETCH(QByteArray, config);
    QFETCH(QString, message);
    QTemporaryDir folder;
    const Layout layout = runWith(folder, config);
    try {
      readRunExperiment(layout);
      QFAIL("not refused");
    } catch (const Error& error) {
      const QString text = QString::fromUtf8(error.what());
      QVERIFY2(text.contains(message), error.what());
      QVERIFY2(text.endsWith(remedy(folder)), error.what());
    }
  }

  void aMissingConfigNamesTheResumeCommand() {
    QTemporaryDir folder;
    try {
      requireValidConfig(Layout(folder.path().toStdString()));
      QFAIL("not refused");
    } catch (const Error& error) {
      const QString text = QString::fromUtf8(error.what());
      QVERIFY2(text.contains(QStringLiteral(
                   "config.yaml: no such file; resume from the experiment file with `")) &&
                   text.endsWith(remedy(folder)),
               error.what());
    }
  }

  void anInterruptedStartNamesTheStartCommand_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("nothing of a run") << QString();
    QTest::newRow("its lock") << QStringLiteral("run.lock");
    QTest::newRow("its configuration") << QStringLiteral("config.yaml");
  }
  void anInterruptedStartNamesTheStartCommand() {
    QFETCH(QString, file);
    QTemporaryDir folder;
    if (!file.isEmpty()) std::ofstream(folder.filePath(file).toStdString()) << "name: a\n";
    const QString text = QString::fromStdString(notARunMessage(folder.path().toStdString()));
    QVERIFY2(text.contains(QStringLiteral("not a run folder (no run.json)")), qPrintable(text));
    QCOMPARE(
        text.contains(
            QStringLiteral("start it with `lockstep-engine train EXPERIMENT --output %1 --resume`")
                .arg(folder.path())),
        !file.isEmpty());
  }

 private:
  static QString remedy(const QTemporaryDir& folder) {
    return QStringLiteral(
               "resume from the experiment file with `lockstep-engine train EXPERIMENT --output %1 "
               "--resume`")
        .arg(folder.path());
  }
};

LOCKSTEP_TEST(TstRunExperiment)
#include "tst_run_experiment.moc"
