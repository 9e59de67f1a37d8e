#include <QFile>
#include <QImage>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/compare/compare_page.h"
#include "app/engines/engine_link.h"
#include "app/engines/remote_files.h"
#include "app/frame/opening.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/list/remote_runs.h"
#include "app/runs/open/run_controller.h"
#include "engine/pack/pack_run.h"
#include "tests/app/losses_of.h"
#include "tests/app/made_run.h"
#include "tests/support/file_content.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/image_view/shown_results.h"

using namespace lockstep;
using app::EngineLink;
using app::RemotePlace;
using app::RunController;
using tests::contentOf;

/// lockstep-engine reads it; what it was packed of is gone.
class TstPackedRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QTemporaryDir elsewhere;
    image_ = elsewhere.filePath(QStringLiteral("a.png"));
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    QVERIFY(picture.save(image_));
    imageBytes_ = contentOf(image_);
    const QString annotations = elsewhere.filePath(QStringLiteral("val.json"));
    QFile file(annotations);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"images": [{"id": 3, "file_name": "a.png", "width": 8, "height": 8}],
                   "categories": [{"id": 1, "name": "thing"}], "annotations": []})");
    file.close();
    tests::MadeRun made;
    made.valImages = elsewhere.path().toStdString();
    made.valAnnotations = annotations.toStdString();
    made.watchedImages = {3};
    const QString run = tests::makeRun(elsewhere.path(), made);
    const run_folder::Layout layout(run.toStdString());
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.best = {"segm/AP", 0.25, 30};
    info.created = info.started = 1.75e9;
    info.finished = 1.75e9 + 60;
    run_folder::writeRunInfo(layout, info);
    pack::packRun(run_folder::Layout(run.toStdString()), packed().toStdString(), {});
  }

  void everyPointAndPictureIsShown() {
    RunController run(RemotePlace::packedRun(packed()).address());
    QSignalSpy loaded(&run, &RunController::loaded);
    run.refresh();
    QVERIFY(loaded.wait());
    QCOMPARE(tests::lossCount(run), std::size_t{40});
    QCOMPARE(run.info().state.text(), std::string_view("finished"));
    QCOMPARE(run.info().name, std::string("made"));
    QVERIFY(run.info().best && run.info().best->value == 0.25 && run.info().best->step == 30);
    QCOMPARE(run.info().created, 1.75e9);
    QCOMPARE(run.info().finished, 1.75e9 + 60);
    QVERIFY(!run.isAlive() && !run.canResume() && !run.accessError());
    QVERIFY(run.predictionBlockedBy().contains(QLatin1String("Packed runs")));
    const app::RunFileAccess files = run.files();
    QCOMPARE(contentOf(brought(files, files.localPath(image_))), imageBytes_);
    QVERIFY(
        contentOf(brought(files, files.folder + QStringLiteral("/predictions/step-00000040.json")))
            .contains("image_ids"));
    // What is wrong in the copy is said of the file.
    QCOMPARE(files.named(files.localPath(image_) + QStringLiteral(": is damaged")),
             packed() + QStringLiteral(": ") + image_ + QStringLiteral(": is damaged"));
  }

  /// It may be of anybody, who must not choose which files of this machine are shown.
  void anImageWhoseNameLeadsOutOfItIsNotShown_data() {
    QTest::addColumn<bool>("isAbsolute");
    QTest::newRow("absolute") << true;
    QTest::newRow("above") << false;
  }
  void anImageWhoseNameLeadsOutOfItIsNotShown() {
    QFETCH(bool, isAbsolute);
    const QString name = namedOutside(isAbsolute);
    RunController run(RemotePlace::packedRun(packedOf(name)).address());
    app::PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    page.show();
    run.refresh();
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    QVERIFY(page.findChild<widgets::ImageStage*>()->problem().contains(name));
    const auto labels = page.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
      return label->text().contains(QStringLiteral("points outside the image folder"));
    }));
  }

  /// As on Predictions; any other is brought.
  void imagesAreComparedThatAreInIt_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isShown");
    QTest::newRow("in it") << QStringLiteral("a.png") << true;
    QTest::newRow("absolute") << namedOutside(true) << false;
    QTest::newRow("above") << namedOutside(false) << false;
  }
  void imagesAreComparedThatAreInIt() {
    QFETCH(QString, name);
    QFETCH(bool, isShown);
    RunController run(RemotePlace::packedRun(packedOf(name)).address());
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    app::ComparePage page;
    page.resize(1200, 800);
    page.setRuns({{&run, QStringLiteral("packed")}});
    page.show();
    QTRY_VERIFY2(page.shown().size() == 2 && page.isReady(), qPrintable(page.verdict()));
    QCOMPARE(page.shown()[0].decoded->failure.isEmpty(), isShown);
    QCOMPARE(page.shown()[0].decoded->levels.isNull(), !isShown);
    const QString why = QStringLiteral("points outside the image folder");
    QVERIFY2(page.verdict().contains(why) != isShown, qPrintable(page.verdict()));
  }

  void itsRowSaysItsBestBeforeItIsOpened() {
    app::RemoteRuns runs(RemotePlace::packedRun(packed()));
    std::vector<app::ListedRun> found;
    connect(&runs, &app::RemoteRuns::listed, this, [&](const auto& all) { found = all; });
    runs.setWatched(true);
    QTRY_COMPARE(found.size(), std::size_t{1});
    const run_folder::RunSummary& row = found[0].summary;
    QCOMPARE(QString::fromStdString(row.folder.string()),
             RemotePlace::packedRun(packed()).address());
    QVERIFY(row.info.best && row.info.best->value == 0.25 && row.info.best->step == 30);
    QCOMPARE(row.info.best->metric, std::string("segm/AP"));
    QCOMPARE(row.info.state.text(), std::string_view("finished"));
    QCOMPARE(row.info.step, std::int64_t{40});
    QVERIFY(!row.alive);
    QCOMPARE(QString::fromStdString(row.info.name), QStringLiteral("a.lockstep"));
    QCOMPARE(app::nameOf(found[0]), std::string("made"));  // that of the run, not of its file
  }

  void aRowOfADamagedFileSaysNothingOfIt() {
    QFile file(packed());
    QVERIFY(file.resize(20));
    app::RemoteRuns runs(RemotePlace::packedRun(packed()));
    std::vector<app::ListedRun> found;
    connect(&runs, &app::RemoteRuns::listed, this, [&](const auto& all) { found = all; });
    runs.setWatched(true);
    QTRY_COMPARE(found.size(), std::size_t{1});
    QVERIFY(!found[0].summary.info.best);
    QCOMPARE(found[0].summary.info.state.text(), std::string_view("connecting"));
  }

  void aDamagedFileIsReportedOnce() {
    QFile file(packed());
    QVERIFY(file.resize(file.size() / 2));
    RunController run(RemotePlace::packedRun(packed()).address());
    run.refresh();
    QTRY_VERIFY(run.accessError());
    QCOMPARE(run.accessError()->title, QStringLiteral("The packed run cannot be read"));
    QVERIFY2(run.accessError()->detail.contains(QLatin1String("damaged or incomplete")),
             qPrintable(run.accessError()->detail));
    QCOMPARE(run.linkState(), EngineLink::State::Off);
  }

  void itIsOpenedByItsName() {
    QCOMPARE(app::kindOf(packed()), app::PathKind::Packed);
    const app::Opening opening = app::openingOf({{packed(), app::kindOf(packed())}}, {});
    QCOMPARE(opening.remotes, QList{RemotePlace::packedRun(packed())});
    QCOMPARE(app::kindOf(folder_->path()), app::PathKind::RunsFolder);
  }

 private:
  QString packed() const { return folder_->filePath(QStringLiteral("a.lockstep")); }
  /// Of an image of this machine, which leads out of whatever is packed.
  static QString namedOutside(bool isAbsolute) {
    static const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("own.png"));
    writeImage(file);
    return isAbsolute ? file : QString(QStringLiteral("../").repeated(40) + file.mid(1));
  }
  static void writeImage(const QString& file) {
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    QVERIFY(picture.save(file));
  }
  /// A packed run of a.png, which its annotations call `name`, with an object on it.
  QString packedOf(const QString& name) const {
    QTemporaryDir elsewhere;
    writeImage(elsewhere.filePath(QStringLiteral("a.png")));
    const QString annotations = elsewhere.filePath(QStringLiteral("val.json"));
    QFile written(annotations);
    if (!written.open(QIODevice::WriteOnly)) return {};
    written.write(R"({"images": [{"id": 3, "file_name": ")" + name.toUtf8() +
                  R"(", "width": 8, "height": 8}],
                   "categories": [{"id": 1, "name": "thing"}], "annotations": [{"id": 1,
                   "image_id": 3, "category_id": 1, "bbox": [1, 1, 4, 4], "area": 16,
                   "iscrowd": 0}]})");
    written.close();
    tests::MadeRun made;
    made.valImages = elsewhere.path().toStdString();
    made.valAnnotations = annotations.toStdString();
    made.watchedImages = {3};
    const QString folder = tests::makeRun(elsewhere.path(), made);
    const QString file = folder_->filePath(QStringLiteral("other.lockstep"));
    pack::packRun(run_folder::Layout(folder.toStdString()), file.toStdString(), {});
    return file;
  }
  static QString brought(const app::RunFileAccess& files, const QString& local) {
    bool isDone = false;
    files.bring(local, [&](const QString&) { isDone = true; });
    return QTest::qWaitFor([&] { return isDone; }) ? local : QString();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  QString image_;
  QByteArray imageBytes_;
};

LOCKSTEP_TEST(TstPackedRun)
#include "tst_packed_run.moc"
