#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/run_folder/safetensors_header.h"
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
  void filesAndFoldersAreAccepted();
  void missingWeightsListTheAvailableOnes_data();
  void missingWeightsListTheAvailableOnes();
  void aPrunedBestIsNotListed();
  void aRunWithoutCheckpointsIsReported();
  void stepsAreFoundWithoutRunJson();
  void headersOfManyObjectsAreNotParsed();

 private:
  fs::path modelOf(std::int64_t step) const {
    return layout_.checkpoint(step) / "model.safetensors";
  }
  QString refusal(const std::string& weights) const {
    try {
      resolveWeights(layout_, weights);
      return {};
    } catch (const Error& error) {
      return error.status() == ExitStatus::UserError ? QString::fromUtf8(error.what()) : QString();
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

void TstWeights::filesAndFoldersAreAccepted() {
  const fs::path file = layout_.folder() / "mine.safetensors";
  writeText(file, "");
  QCOMPARE(resolveWeights(layout_, file.string()), file);
  QCOMPARE(resolveWeights(layout_, layout_.checkpoint(200).string()), modelOf(200));
}

void TstWeights::missingWeightsListTheAvailableOnes_data() {
  QTest::addColumn<QString>("weights");
  QTest::addColumn<QString>("words");
  QTest::newRow("step") << QStringLiteral("300")
                        << QStringLiteral("no complete checkpoint of step 300");
  QTest::newRow("file") << QStringLiteral("no.safetensors")
                        << QStringLiteral(
                               "no such checkpoint or file 'no.safetensors'; available: ");
  QTest::newRow("empty") << QString() << QStringLiteral("no such checkpoint or file ''");
  QTest::newRow("word") << QStringLiteral("Best")
                        << QStringLiteral("no such checkpoint or file 'Best'");
}

void TstWeights::missingWeightsListTheAvailableOnes() {
  QFETCH(QString, weights);
  QFETCH(QString, words);
  const QString message = refusal(weights.toStdString());
  QVERIFY2(message.contains(words), qPrintable(message));
  QVERIFY2(message.endsWith(QStringLiteral(
               "; available: best (step 400), last (step 600), steps 200, 400, 600")),
           qPrintable(message));
}

void TstWeights::aPrunedBestIsNotListed() {
  fs::remove_all(layout_.checkpoint(400));
  const QString message = refusal("best");
  QVERIFY2(message.endsWith(
               QStringLiteral("no best checkpoint; available: last (step 600), steps 200, 600")),
           qPrintable(message));
}

void TstWeights::aRunWithoutCheckpointsIsReported() {
  fs::remove_all(layout_.checkpoints());
  for (const char* weights : {"best", "last", "200"}) {
    QVERIFY2(refusal(weights).endsWith(QStringLiteral("no checkpoint yet")), weights);
  }
  run_folder::RunInfo info = run_folder::readRunInfo(layout_);
  info.isRangeTest = true;
  run_folder::writeRunInfo(layout_, info);
  QVERIFY(
      refusal("last").endsWith(QStringLiteral("a learning-rate range test has no checkpoints")));
}

void TstWeights::stepsAreFoundWithoutRunJson() {
  fs::remove(layout_.runJson());
  QCOMPARE(resolveWeights(layout_, "last"), modelOf(600));
  QVERIFY(
      refusal("best").contains(QStringLiteral("no best checkpoint; available: last (step 600)")));
}

void TstWeights::headersOfManyObjectsAreNotParsed() {
  const fs::path file = layout_.folder() / "hostile.safetensors";
  const auto isParsed = [&](int tensors) {
    std::string header = R"({"__metadata__": {"a": "b"})";
    for (int i = 0; i < tensors; ++i) header += ",\"" + std::to_string(i) + "\": {}";
    header += "}";
    std::uint64_t bytes = header.size();
    std::string text(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    base::writeFileAtomically(file, text + header);
    return readSafetensorsHeader(file).is_object();
  };
  QVERIFY(isParsed(1000));
  QVERIFY(!isParsed(20'000));
}

LOCKSTEP_TEST(TstWeights)
#include "tst_weights.moc"
