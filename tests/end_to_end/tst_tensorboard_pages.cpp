#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/run_folder/run_folder.h"
#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

namespace {

/// [step, image id] of the pictures of a run, in their order.
QJsonArray picturesOf(const QJsonObject& page, const QString& run) {
  QJsonArray pictures;
  for (const QJsonValue& image : page[QStringLiteral("images")].toArray()) {
    if (image[0].toString() == run)
      pictures.append(QJsonArray{image[2], image[1].toString().section(QLatin1Char('/'), -1)});
  }
  return pictures;
}

/// Steps 2, 4 and 6 of the first two validation images, whose ids follow the training images'.
QJsonArray expectedPictures() {
  QJsonArray pictures;
  for (const char* id : {"5", "6"}) {
    for (const int step : {2, 4, 6}) pictures.append(QJsonArray{step, QString::fromLatin1(id)});
  }
  return pictures;
}

QJsonObject sessionOf(const QJsonObject& page, const QString& run) {
  return page[QStringLiteral("sessions")].toObject()[run].toObject();
}

}  // namespace

/// What TensorBoard's Images and HParams pages show of runs, asked of its own code.
class TstTensorboardPages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyMadeRun(QStringLiteral("runs/plain"));
    train("pictures", " --set monitor.summary_images=2");
    train("more", " --set monitor.summary_images=2 --set monitor.prediction_images=0");
    train("two", " --set monitor.summary_images=2 --set solver.batch_size=2 --workers 2");
    resume();
    fork();
    if (!tests::python().isEmpty()) readPage();
  }

  void picturesDoNotChangeTheTraining_data() {
    QTest::addColumn<QString>("run");
    for (const char* run : {"pictures", "more", "resumed"})
      QTest::newRow(run) << QString::fromLatin1(run);
  }
  void picturesDoNotChangeTheTraining() {
    QFETCH(QString, run);
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      const QString name = QStringLiteral("/checkpoints/step-00000006/") + QLatin1String(file);
      QVERIFY2(place_->read(run + name) == place_->read(QStringLiteral("plain") + name), file);
    }
    const tests::Curves plain = place_->curvesOf(QStringLiteral("plain")),
                        drawn = place_->curvesOf(run);
    QCOMPARE(drawn.doubles, 0);
    for (const char* prefix : {"train/", "eval/"})
      QVERIFY(drawn.beginningWith(prefix) == plain.beginningWith(prefix));
  }

  void nothingIsLeftOfThePictures() {
    const auto files = place_->files();
    for (const auto& [file, facts] : files)
      QVERIFY2(!file.contains(QStringLiteral(".step-")), qPrintable(file));
  }

  void everyPictureIsShownOnce_data() {
    QTest::addColumn<QString>("run");
    for (const char* run : {"pictures", "more", "two", "resumed", "fork"})
      QTest::newRow(run) << QString::fromLatin1(run);
  }
  void everyPictureIsShownOnce() {
    if (page_.isEmpty()) QSKIP("needs Python with TensorBoard (packaging/setup.sh --dev)");
    QFETCH(QString, run);
    QCOMPARE(picturesOf(page_, run), expectedPictures());
    QVERIFY(picturesOf(page_, QStringLiteral("plain")).isEmpty());
    for (const QJsonValue& image : page_[QStringLiteral("images")].toArray())
      QVERIFY(image[3].toInt() <= 640 && image[4].toInt() <= 640 && image[3].toInt() > 0);
  }

  /// A resumed run has the weights of one that went through, and so its pictures.
  void picturesAreThoseOfTheWeights() {
    if (page_.isEmpty()) QSKIP("needs Python with TensorBoard (packaging/setup.sh --dev)");
    QStringList ofWhole, ofResumed;
    for (const QJsonValue& image : page_[QStringLiteral("images")].toArray()) {
      if (image[0].toString() == QStringLiteral("pictures")) ofWhole << image[5].toString();
      if (image[0].toString() == QStringLiteral("resumed")) ofResumed << image[5].toString();
    }
    QCOMPARE(ofResumed, ofWhole);
  }

  void hyperParametersAndMetricsAreShown() {
    if (page_.isEmpty()) QSKIP("needs Python with TensorBoard (packaging/setup.sh --dev)");
    const QJsonObject session = sessionOf(page_, QStringLiteral("pictures"));
    QCOMPARE(session[QStringLiteral("status")].toString(), QStringLiteral("STATUS_SUCCESS"));
    const QJsonObject parameters = session[QStringLiteral("hparams")].toObject();
    QCOMPARE(parameters[QStringLiteral("solver.base_lr")].toDouble(), 0.005);
    QCOMPARE(parameters[QStringLiteral("solver.schedule")].toString(), QStringLiteral("constant"));
    const QJsonObject metrics = session[QStringLiteral("metrics")].toObject();
    const tests::Curves curves = place_->curvesOf(QStringLiteral("runs/pictures"));
    for (const char* tag : {"eval/segm/AP", "eval/bbox/AP", "eval/loss_total", "train/loss_total"})
      QCOMPARE(static_cast<float>(metrics[QLatin1String(tag)].toDouble()), curves.of(tag).at(6));
    QCOMPARE(sessionOf(page_, QStringLiteral("plain"))[QStringLiteral("hparams")].toObject(),
             parameters);
  }

  void aForkShowsItsOwnHyperParameters() {
    if (page_.isEmpty()) QSKIP("needs Python with TensorBoard (packaging/setup.sh --dev)");
    const QJsonObject session = sessionOf(page_, QStringLiteral("fork"));
    QCOMPARE(session[QStringLiteral("status")].toString(), QStringLiteral("STATUS_SUCCESS"));
    QCOMPARE(session[QStringLiteral("hparams")].toObject()[QStringLiteral("solver.base_lr")],
             QJsonValue(0.001));
  }

 private:
  void train(const char* run, const char* settings) {
    const QByteArray line =
        QByteArray("train experiment.yaml --output runs/") + run + QByteArray(settings);
    const ProcessResult result = place_->engine(words(line.constData()));
    QVERIFY2(result.status == 0, result.err.constData());
    QVERIFY2(!result.err.contains("pictures of the predictions"), result.err.constData());
  }

  void resume();
  void fork();
  void readPage();

  std::unique_ptr<TestWorkspace> place_;
  QJsonObject page_;
};

/// Of a run that was finished at step 4.
void TstTensorboardPages::resume() {
  train("resumed", " --set monitor.summary_images=2 --set solver.max_steps=4");
  const ProcessResult result =
      place_->engine(words("train runs/resumed --resume --set solver.max_steps=6"));
  QVERIFY2(result.status == 0, result.err.constData());
}

void TstTensorboardPages::fork() {
  const ProcessResult result = place_->engine(
      words("train runs/pictures --from 2 --output runs/fork --set solver.base_lr=0.001"));
  QVERIFY2(result.status == 0, result.err.constData());
}

void TstTensorboardPages::readPage() {
  const auto script = tests::sourceFolder() / "tests/reference/tensorboard_events.py";
  QProcess process;
  process.start(tests::python(),
                {QString::fromStdString(script.string()), QStringLiteral("page"), place_->runs()});
  const ProcessResult result = TestWorkspace::finish(process);
  QVERIFY2(result.status == 0, result.err.right(3000).constData());
  page_ = QJsonDocument::fromJson(result.out).object();
  QVERIFY(!page_.isEmpty());
}

LOCKSTEP_TEST(TstTensorboardPages)
#include "tst_tensorboard_pages.moc"
