#include <QTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;
namespace fs = std::filesystem;

namespace {

constexpr const char* kTwoRanks =
    "train experiment.yaml --workers 2 --set solver.batch_size=2 --set runtime.cpu_threads=1 "
    "--set solver.max_steps=4 --set evaluation.max_images=1 --set monitor.predictions_every=0 "
    "--set checkpoint.every=0";

}  // namespace

/// The real programs with two ranks and an image that cannot be read.
class TstBadImages : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<TestWorkspace> place_;
  QString bad_;  ///< an image that is first needed in the second step

  ProcessResult train(const QString& more) const {
    return place_->engine(words(kTwoRanks) + more.split(QLatin1Char(' '), Qt::SkipEmptyParts));
  }
  QByteArray bitsOf(const char* run) const {
    return place_->read(QString::fromUtf8(run) +
                        QStringLiteral("/checkpoints/step-00000004/model.safetensors"));
  }

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyShapes();
    place_->writeExperiment();
    // One of four images, with batches of two: at most two of them are read in the first step.
    for (int number = 1; bad_.isEmpty() && number <= 3; ++number) {
      const QString file = place_->path(QStringLiteral("shapes/train/")) +
                           QDir(place_->path(QStringLiteral("shapes/train")))
                               .entryList(QDir::Files, QDir::Name)
                               .at(number - 1);
      const QByteArray whole = place_->read(file);
      place_->write(file, whole.left(whole.size() / 2));
      const QString run = QStringLiteral("skips%1").arg(number);
      const ProcessResult ended =
          train(QStringLiteral("--output %1 --set dataset.bad_images=skip").arg(run));
      QVERIFY2(ended.status == 0, ended.err.constData());
      const auto line = nlohmann::json::parse(
          place_->read(run + QStringLiteral("/bad_images.jsonl")).toStdString());
      QCOMPARE(line.at("file").get<std::string>(), file.toStdString());
      if (line.at("step").get<int>() == 2) {
        QDir().rename(place_->path(run), place_->path(QStringLiteral("skips")));
        bad_ = file;
      } else {
        place_->write(file, whole);
      }
    }
    QVERIFY(!bad_.isEmpty());
  }
  void cleanupTestCase() { place_.reset(); }

  /// The previous step is in a checkpoint, the message names the image and the command to resume,
  /// and the resumed run is bit-identical to one that skipped the image from the start.
  void aRunStopsWithACheckpointAndResumesWithoutTheImage() {
    const ProcessResult fails = train(QStringLiteral("--output fails"));
    QCOMPARE(fails.status, 1);
    QVERIFY2(fails.err.contains(" failed at step 2 in data") &&
                 fails.err.contains(QByteArray(bad_.toLocal8Bit() + ": is truncated")) &&
                 fails.err.contains("--resume --set dataset.bad_images=skip"),
             fails.err.constData());
    QVERIFY(QDir(place_->path(QStringLiteral("fails/checkpoints/step-00000001"))).exists());
    const ProcessResult resumed =
        place_->engine(words("train fails --resume --set dataset.bad_images=skip"));
    QVERIFY2(resumed.status == 0, resumed.err.constData());
    QVERIFY(!bitsOf("skips").isEmpty());
    QVERIFY(bitsOf("fails") == bitsOf("skips"));
    QCOMPARE(place_->read(QStringLiteral("fails/bad_images.jsonl")),
             place_->read(QStringLiteral("skips/bad_images.jsonl")));
  }

  /// The ranks take the images in turn.
  void anImageOfAnEvaluationNamesTheRankThatReadIt() {
    const QString file =
        place_->path(QStringLiteral("shapes/val/")) +
        QDir(place_->path(QStringLiteral("shapes/val"))).entryList(QDir::Files, QDir::Name).at(1);
    const QByteArray whole = place_->read(file);
    place_->write(file, whole.left(whole.size() / 2));
    for (const char* line :
         {"train experiment.yaml --workers 2 --output unread --set solver.batch_size=2 --set "
          "solver.max_steps=1 --set monitor.predictions_every=0",
          "evaluate skips --workers 2 --set dataset.bad_images=fail --set "
          "evaluation.max_images=2"}) {
      const ProcessResult fails = place_->engine(words(line));
      QCOMPARE(fails.status, 1);
      QVERIFY2(fails.err.contains("rank 1 on ") && fails.err.contains(" in evaluating") &&
                   fails.err.contains(QByteArray(file.toLocal8Bit() + ": is truncated")) &&
                   !fails.err.contains("rank 0 on "),
               fails.err.constData());
    }
    place_->write(file, whole);
  }
};

LOCKSTEP_TEST(TstBadImages)
#include "tst_bad_images.moc"
