#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using namespace lockstep::tests;

class TstWeights : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void bestLastAndStepsAreFound();
  void filesAndFoldersAreTaken();
  void whatIsNotThereIsRefusedWithWhatIs_data();
  void whatIsNotThereIsRefusedWithWhatIs();
  void aBestThatWasPrunedIsNotOffered();
  void aRunWithoutCheckpointsSaysSo();
  void stepsAreFoundWithoutRunJson();

 private:
  fs::path modelOf(std::int64_t step) const {
    return layout_.checkpoint(step) / "model.safetensors";
  }
  QString refusal(const std::string& weights) const {
    try {
      resolveWeights(layout_, weights);
      return {};
    } catch (const Error& error) {
      return error.status() == ExitStatus::Mendable ? QString::fromUtf8(error.what()) : QString();
    }
  }

  std::unique_ptr<QTemporaryDir> folder_;
  Layout layout_{""};
};

void TstWeights::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  layout_ = Layout(folder_->path().toStdString());
  for (const std::int64_t step : {200, 400, 600}) makeCheckpoint(layout_, step);
  RunInfo info = sampleInfo();
  info.best = Best{"segm/AP", 0.5, 400};
  writeRunInfo(layout_, info);
}

void TstWeights::bestLastAndStepsAreFound() {
  QCOMPARE(resolveWeights(layout_, "best"), modelOf(400));
  QCOMPARE(resolveWeights(layout_, "last"), modelOf(600));
  QCOMPARE(resolveWeights(layout_, "200"), modelOf(200));
  QCOMPARE(resolveWeights(layout_, "00000200"), modelOf(200));
  QCOMPARE(resolveWeights(layout_, "step-00000200"), modelOf(200));
}

void TstWeights::filesAndFoldersAreTaken() {
  const fs::path file = layout_.folder() / "mine.safetensors";
  writeText(file, "");
  QCOMPARE(resolveWeights(layout_, file.string()), file);
  QCOMPARE(resolveWeights(layout_, layout_.checkpoint(200).string()), modelOf(200));
}

void TstWeights::whatIsNotThereIsRefusedWithWhatIs_data() {
  QTest::addColumn<QString>("weights");
  QTest::addColumn<QString>("words");
  QTest::newRow("step") << QStringLiteral("300")
                        << QStringLiteral("no whole checkpoint of step 300");
  QTest::newRow("file")
      << QStringLiteral("no.safetensors")
      << QStringLiteral("weights 'no.safetensors' are neither best, last, a step nor a file");
  QTest::newRow("empty") << QString() << QStringLiteral("weights '' are neither");
  QTest::newRow("word") << QStringLiteral("Best") << QStringLiteral("weights 'Best' are neither");
}

void TstWeights::whatIsNotThereIsRefusedWithWhatIs() {
  QFETCH(QString, weights);
  QFETCH(QString, words);
  const QString said = refusal(weights.toStdString());
  QVERIFY2(said.contains(words), qPrintable(said));
  QVERIFY2(said.endsWith(
               QStringLiteral("; it has best (step 400), last (step 600), steps 200, 400, 600")),
           qPrintable(said));
}

void TstWeights::aBestThatWasPrunedIsNotOffered() {
  fs::remove_all(layout_.checkpoint(400));
  const QString said = refusal("best");
  QVERIFY2(
      said.endsWith(QStringLiteral("no best checkpoint; it has last (step 600), steps 200, 600")),
      qPrintable(said));
}

void TstWeights::aRunWithoutCheckpointsSaysSo() {
  fs::remove_all(layout_.checkpoints());
  for (const char* weights : {"best", "last", "200"}) {
    QVERIFY2(refusal(weights).endsWith(QStringLiteral("; it has no checkpoint yet")), weights);
  }
}

void TstWeights::stepsAreFoundWithoutRunJson() {
  fs::remove(layout_.runJson());
  QCOMPARE(resolveWeights(layout_, "last"), modelOf(600));
  QVERIFY(refusal("best").contains(QStringLiteral("no best checkpoint; it has last (step 600)")));
}

LOCKSTEP_TEST(TstWeights)
#include "tst_weights.moc"
