#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/predictions/predictions_store.h"
#include "engine/run_folder/run_folder.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::PredictionsStore;
using app::StepPredictions;

namespace {

const std::string kDetections =
    R"([{"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [1, 2, 3, 4], "segmentation": {"size": [8, 8], "counts": "P2"}}])";

void writeBelow(const QString& path, const QByteArray& text) {
  QDir().mkpath(QFileInfo(path).absolutePath());
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(text);
}

const QByteArray kStoredData =
    R"({"images": [{"id": 3, "file_name": "a.png", "width": 8, "height": 8}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": []})";

}  // namespace

class TstPredictionsStore : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsDatasetAndStepsOfARun() {
    QTemporaryDir parent;
    writeBelow(parent.filePath(QStringLiteral("val.json")), kStoredData);
    tests::MadeRun made;
    made.valImages = parent.path().toStdString();
    made.valAnnotations = parent.filePath(QStringLiteral("val.json")).toStdString();
    const QString folder = tests::makeRun(parent.path(), made);
    const run_folder::Layout layout{folder.toStdString()};
    writeBelow(QString::fromStdString(layout.predictions(10).string()),
               QByteArray::fromStdString(kDetections));
    PredictionsStore store;
    QSignalSpy dataset(&store, &PredictionsStore::datasetLoaded),
        loaded(&store, &PredictionsStore::predictionsLoaded),
        failed(&store, &PredictionsStore::predictionsFailed), idle(&store, &PredictionsStore::idle);
    store.setRun({folder});
    store.readSteps({10, 20});
    store.readSteps({10});
    QVERIFY(!store.isIdle());
    QTRY_VERIFY(store.isIdle());
    QCOMPARE(dataset.count(), 1);
    const auto data = dataset[0][0].value<app::RunDataset>();
    QCOMPARE(data.imagesFolder, parent.path());
    QCOMPARE(data.maxDetections, (std::array<std::size_t, 3>{1, 10, 100}));
    QCOMPARE(loaded.count(), 1);
    QCOMPARE(failed.count(), 1);  // step 20 has no file
    QVERIFY(failed[0][1].toString().contains(QStringLiteral("step-00000020")));
    QVERIFY(idle.count() >= 1);
  }

  void whatIsWrongInACopyIsSaidOfItsRun() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), {});
    const run_folder::Layout layout{folder.toStdString()};
    writeBelow(QString::fromStdString(layout.predictions(10).string()), "half of");
    PredictionsStore store;
    QSignalSpy failed(&store, &PredictionsStore::predictionsFailed),
        read(&store, &PredictionsStore::fileRead);
    store.setRun({folder, [](const QString&, const app::RunFileAccess::Done& done) { done({}); },
                  QStringLiteral("/home/ada/a.lockstep")});
    store.readSteps({10});
    QTRY_COMPARE(failed.count(), 1);
    const QString message = failed[0][1].toString();
    QVERIFY2(message.startsWith(
                 QStringLiteral("/home/ada/a.lockstep: predictions/step-00000010.json:1:1: ")),
             qPrintable(message));
    QCOMPARE(read.count(), 0);  // nobody changes the copy
  }

  void theKindOfMatchesIsThatOfTheRunAndItsData_data() {
    QTest::addColumn<bool>("runHasMasks");
    QTest::addColumn<bool>("dataHasMasks");
    QTest::addColumn<bool>("areMasksMatched");
    QTest::newRow("masks") << true << true << true;
    QTest::newRow("a detector of boxes") << false << true << false;
    QTest::newRow("no object has a mask") << true << false << false;
  }
  void theKindOfMatchesIsThatOfTheRunAndItsData() {
    QFETCH(bool, runHasMasks);
    QFETCH(bool, dataHasMasks);
    QFETCH(bool, areMasksMatched);
    QTemporaryDir parent;
    const QString val = parent.filePath(QStringLiteral("val.json"));
    const QByteArray mask = dataHasMasks ? R"("segmentation": [[1,1,9,1,9,9,1,9]], )" : "";
    writeBelow(val, R"({"images": [{"id": 1, "file_name": "a.png", "width": 20, "height": 20}],
        "categories": [{"id": 1, "name": "disc"}], "annotations": [{"id": 1, "image_id": 1, )" +
                        mask + R"("category_id": 1, "iscrowd": 0, "bbox": [1, 1, 8, 8]}]})");
    tests::MadeRun made;
    made.valImages = parent.path().toStdString();
    made.valAnnotations = val.toStdString();
    made.hasMasks = runHasMasks;
    PredictionsStore store;
    QSignalSpy dataset(&store, &PredictionsStore::datasetLoaded);
    store.setRun({tests::makeRun(parent.path(), made)});
    QTRY_COMPARE(dataset.count(), 1);
    QCOMPARE(dataset[0][0].value<app::RunDataset>().iouType == coco::IouType::Mask,
             areMasksMatched);
  }

  void cancelledReadsAreNotDelivered() {
    QTemporaryDir parent;
    tests::MadeRun made;
    made.watchedImages = {3};
    const QString folder = tests::makeRun(parent.path(), made);
    PredictionsStore store;
    QSignalSpy loaded(&store, &PredictionsStore::predictionsLoaded);
    store.setRun({folder});
    store.readSteps({10, 20, 30, 40});
    store.readAnswer(40, folder + QStringLiteral("/predictions/step-00000040.json"), {ImageId{3}});
    store.forgetAfter(20);
    QTRY_VERIFY(store.isIdle());
    QCOMPARE(loaded.count(), 2);
    store.readSteps({10, 20, 30});  // the resumed run has reached them again
    QTRY_VERIFY(store.isIdle());
    QCOMPARE(loaded.count(), 3);
    QCOMPARE(loaded[2][0].value<StepPredictions>().step, 30);
  }

  void anAnswerIsDistinguishedFromStoredPredictions() {
    QTemporaryDir parent;
    tests::MadeRun made;
    made.watchedImages = {3};
    const QString folder = tests::makeRun(parent.path(), made);
    PredictionsStore store;
    QSignalSpy answered(&store, &PredictionsStore::answerLoaded),
        loaded(&store, &PredictionsStore::predictionsLoaded);
    store.setRun({folder});
    store.readAnswer(40, folder + QStringLiteral("/predictions/step-00000040.json"), {ImageId{3}});
    QTRY_VERIFY(store.isIdle());
    QCOMPARE(answered.count(), 1);
    QCOMPARE(loaded.count(), 0);
  }

  void anUnreadableAnswerNamesItsImage() {
    QTemporaryDir parent;
    PredictionsStore store;
    QSignalSpy failed(&store, &PredictionsStore::answerFailed);
    store.readAnswer(40, parent.filePath(QStringLiteral("gone.json")), {ImageId{3}});
    QVERIFY(failed.wait());
    QCOMPARE(failed[0][0].value<ImageId>(), ImageId{3});
    QCOMPARE(failed[0][1].toLongLong(), 40);
    QVERIFY(failed[0][2].toString().contains(QStringLiteral("gone.json")));
  }

  void aRunWithoutHeldOutImagesIsReported() {
    QTemporaryDir parent;
    PredictionsStore store;
    QSignalSpy missing(&store, &PredictionsStore::datasetMissing);
    QSignalSpy failed(&store, &PredictionsStore::datasetFailed);
    store.setRun({tests::makeRun(parent.path(), {})});
    QVERIFY(missing.wait());
    QCOMPARE(failed.count(), 0);
  }

  void anInvalidConfigNamesItsLine() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), {});
    writeBelow(folder + QStringLiteral("/config.yaml"), "name: a\ndataset: {val: {images: /a\n");
    PredictionsStore store;
    QSignalSpy failed(&store, &PredictionsStore::datasetFailed);
    store.setRun({folder});
    QVERIFY(failed.wait());
    const QString message = failed[0][0].toString();
    QVERIFY2(message.startsWith(folder + QStringLiteral("/config.yaml:")), qPrintable(message));
  }

  void resultsOfThePreviousRunAreDropped() {
    QTemporaryDir parent;
    PredictionsStore store;
    QSignalSpy missing(&store, &PredictionsStore::datasetMissing);
    store.setRun({tests::makeRun(parent.path(), {})});
    store.setRun({});
    QTRY_VERIFY(store.isIdle());
    QCOMPARE(missing.count(), 0);
  }
};

LOCKSTEP_TEST(TstPredictionsStore)
#include "tst_predictions_store.moc"
