#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>
#include <nlohmann/json.hpp>

#include "app/predictions_page/opened_batches.h"
#include "app/predictions_page/opened_images.h"
#include "app/predictions_page/predictions_page.h"
#include "tests/app/dropped_files.h"
#include "tests/app/live_run.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/image_view/thumbnail_strip.h"

using namespace lockstep;
using app::PredictionsPage;
using app::RunController;
using tests::line;

class TstOpenedImages : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> parent_;
  tests::FakeSocket engine_;

  QString file(const char* name) const { return parent_->filePath(QString::fromUtf8(name)); }
  QString picture(const char* name, QSize size = {8, 6}) const {
    QImage image(size, QImage::Format_RGB32);
    image.fill(Qt::gray);
    QDir().mkpath(QFileInfo(file(name)).absolutePath());
    image.save(file(name));
    return file(name);
  }
  QString text(const char* name, const QByteArray& content) const {
    QFile written(file(name));
    if (written.open(QIODevice::WriteOnly)) written.write(content);
    return file(name);
  }
  /// A run that trains, with a checkpoint of step 40.
  QString liveRun() {
    tests::MadeRun made;
    made.state = "running";
    made.keptCheckpoints = {40};
    const QString folder = tests::makeRun(parent_->path(), made);
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.socket = engine_.path().toStdString();
    run_folder::writeRunInfo(layout, info);
    return folder;
  }
  static bool says(const PredictionsPage& page, const QString& part) {
    const auto banners = page.findChildren<widgets::Banner*>();
    return std::ranges::any_of(banners, [&](const widgets::Banner* banner) {
      const QString said = banner->title() + banner->detail();
      return banner->isVisible() && said.contains(part);
    });
  }
  static nlohmann::json requestIn(const QByteArray& line) {
    return nlohmann::json::parse(line.toStdString(), nullptr, false);
  }

 private Q_SLOTS:
  void init() { parent_ = std::make_unique<QTemporaryDir>(); }
  void cleanup() { engine_.kill(); }

  void aFolderIsSearchedAndWhatIsNoImageIsSaidInALineEach() {
    picture("in/b.png", {30, 20});
    picture("in/deeper/a.png");
    picture("in/.hidden.png");
    text("in/notes.txt", "not looked at");
    const QString empty = text("in/empty.jpg", {});
    const QString broken = text("in/broken.png", "no picture");
    const app::OpenedImages found =
        app::findImages({file("in"), file("gone.png"), file("in/b.png")}, {});
    QCOMPARE(found.images.size(), std::size_t{2});
    QCOMPARE(found.images[0].fileName, file("in/b.png").toStdString());
    QCOMPARE(found.images[0].width, 30);
    QCOMPARE(found.images[0].id, ImageId{1});
    QCOMPARE(found.images[1].fileName, file("in/deeper/a.png").toStdString());
    QCOMPARE(found.leftOut.size(), 3);
    for (const QString& name : {empty, broken, file("gone.png")})
      QCOMPARE(found.leftOut.filter(name + QStringLiteral(": ")).size(), 1);
    const app::OpenedImages more = app::findImages({file("in"), picture("c.png")}, found);
    QCOMPARE(more.images.size(), std::size_t{1});  // the others are known
    QCOMPARE(more.images[0].id, ImageId{3});
  }

  void aTurnedPhotographHasItsSizeAsDisplayed() {
    QImage image(20, 10, QImage::Format_RGB32);
    image.fill(Qt::gray);
    image.save(file("plain.jpg"));
    QFile plain(file("plain.jpg"));
    QVERIFY(plain.open(QIODevice::ReadOnly));
    QByteArray turned = plain.readAll();
    turned.insert(2, QByteArray("\xff\xe1\0\x22"
                                "Exif\0\0"
                                "II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0",
                                36));
    const app::OpenedImages found = app::findImages({text("turned.jpg", turned)}, {});
    QCOMPARE(found.images.size(), std::size_t{1});
    QCOMPARE(QSize(found.images[0].width, found.images[0].height), QSize(10, 20));
  }

  void filesAreAskedForInBatches() {
    QStringList files;
    for (int i = 0; i < 20; ++i) files.append(QStringLiteral("/data/%1.png").arg(i));
    app::OpenedBatches batches;
    batches.start(40, files);
    const qsizetype many = batches.current().files.size();
    QVERIFY(many > 1 && many < 20);
    QCOMPARE(batches.current().files.first(2), (QStringList{files[0], files[1]}));
    batches.advance();
    QCOMPARE(batches.done(), many);
    QCOMPARE(batches.of(), 20);
    batches.advance();
    QVERIFY(!batches.isRunning());
  }

  void droppedImagesArePredictedWithTheShownCheckpoint() {
    const QString folder = liveRun();
    const auto lock = run_folder::RunLock::tryAcquire(run_folder::Layout{folder.toStdString()});
    // One cannot be read: the other is there.
    const QString broken = picture("a.png");
    const QString answer = text("answer.json", R"({"image_ids": [2], "unreadable": [")" +
                                                   broken.toUtf8() + R"(: is truncated"],
      "detections": [{"image_id": 2, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}]})");
    QVERIFY(engine_.start(
        {"@mute", line(protocol::Welcome{folder.toStdString(), 1, -1, protocol::RunState::Running}),
         "@await", tests::okOf("app-1", answer.toStdString())}));
    RunController run(folder);
    PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    run.refresh();
    page.show();
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    QTRY_VERIFY(run.isLoaded());
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(broken), QUrl::fromLocalFile(picture("b.png")),
                  QUrl::fromLocalFile(text("c.txt", "x"))});
    tests::drop(page, data);
    nlohmann::json request;
    for (QByteArray sent = engine_.nextLine(); !sent.isEmpty(); sent = engine_.nextLine()) {
      request = requestIn(sent);
      if (request.value("type", "") == "predict") break;
    }
    QCOMPARE(request.value("type", ""), std::string("predict"));
    QCOMPARE(request["paths"].size(), std::size_t{2});
    QCOMPARE(request["paths"][0].get<std::string>(), file("a.png").toStdString());
    QCOMPARE(request["weights"].get<std::string>(), std::string("40"));
    QVERIFY(says(page, file("c.txt")));
    QTRY_VERIFY(says(page, QStringLiteral("is truncated")));
    auto* all = page.findChild<QPushButton*>(QStringLiteral("predictAll"));
    QTRY_COMPARE(all->text(), QStringLiteral("Predict all"));
    page.view()->showImage(ImageId{2});
    auto* stage = page.findChild<widgets::ImageStage*>();
    QTRY_COMPARE(stage->notice(), QString());
    auto* strip = page.findChild<widgets::ThumbnailStrip*>();
    QTRY_VERIFY(strip->toolTipOf(1).endsWith(QStringLiteral("\npredicted")));
    QVERIFY(page.findChild<QLabel*>(QStringLiteral("noTruth"))->isVisible());
    page.view()->showImage(ImageId{1});
    QVERIFY(stage->notice().contains(QStringLiteral("not predicted")));
    page.view()->showImage(ImageId{2});
    QTRY_VERIFY(page.isReady() && stage->notice().isEmpty());
    QImage another(8, 6, QImage::Format_RGB32);
    another.fill(Qt::blue);
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));  // the file was looked at
    QCoreApplication::processEvents();
    QVERIFY(another.save(file("b.png")));
    page.findChild<QAction*>(QStringLiteral("predictions.reread"))->trigger();
    QTRY_VERIFY(stage->notice().contains(QStringLiteral("not predicted")));
  }

  void withoutARunTheImagesWaitForACheckpoint() {
    PredictionsPage page;
    page.resize(1200, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    page.setFocus();
    QApplication::clipboard()->setImage(QImage(12, 10, QImage::Format_RGB32));
    QTest::keyClick(&page, Qt::Key_V, Qt::ControlModifier);
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    QCOMPARE(page.view()->shownImage()->width, 12);
    QVERIFY(says(page, QStringLiteral("Select a run")));

    const QString folder = liveRun();
    QSignalSpy asked(&page, &PredictionsPage::runRequested);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(folder + QStringLiteral("/checkpoints/step-00000040"))});
    tests::drop(page, data);
    QTRY_COMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].toString(), QFileInfo(folder).canonicalFilePath());
    RunController run(asked[0][0].toString());
    page.setRun(&run);
    run.refresh();
    QTRY_VERIFY(run.isLoaded() && page.view()->shownImage());
    QTRY_COMPARE(page.view()->currentCheckpoint(), qint64{40});
    QCOMPARE(page.view()->shownImage()->width, 12);  // stays

    const QString pasted = QString::fromStdString(page.view()->shownImage()->fileName);
    QVERIFY(QFile::exists(pasted));
    page.findChild<QAction*>(QStringLiteral("predictions.close_images"))->trigger();
    QVERIFY(!QFile::exists(pasted));
  }

  /// A late answer is of the id that it was asked for.
  void idsAreNotGivenAgainOnceImagesAreClosed() {
    PredictionsPage page;
    page.resize(1200, 800);
    page.show();
    page.openImages({picture("a.png"), picture("b.png")});
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    QCOMPARE(page.view()->shownImage()->id, ImageId{1});
    page.findChild<QAction*>(QStringLiteral("predictions.close_images"))->trigger();
    QVERIFY(!page.view()->shownImage());
    page.openImages({picture("c.png")});
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    QCOMPARE(page.view()->shownImage()->id, ImageId{3});
  }

  void closingEndsTheSearch() {
    PredictionsPage page;
    page.resize(1200, 800);
    page.show();
    page.openImages({picture("a.png")});
    page.openImages({picture("b.png")});
    page.findChild<QAction*>(QStringLiteral("predictions.close_images"))->trigger();
    QVERIFY(page.isReady());
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
    QVERIFY(!page.view()->shownImage());
    QVERIFY(!says(page, QStringLiteral("Looking for images")));
  }

  void anOpenedImageIsShownWhenItIsDroppedAgain() {
    PredictionsPage page;
    page.resize(1200, 800);
    page.show();
    page.openImages({picture("a.png"), picture("b.png", {12, 10})});
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    QCOMPARE(page.view()->shownImage()->width, 8);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file("b.png"))});
    tests::drop(page, data);
    QTRY_COMPARE(page.view()->shownImage()->width, 12);
    QVERIFY(!says(page, QStringLiteral("Looking for images")));
  }

  void theyAreShownBesideARunOfAnotherProgram() {
    QDir().mkpath(file("other"));
    text("other/metrics.json", R"({"iteration": 20, "total_loss": 1.5, "lr": 0.01})"
                               "\n");
    RunController run(file("other"));
    PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    page.show();
    run.refresh();
    QTRY_VERIFY(run.isLoaded() && run.program());
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(picture("a.png"))});
    tests::drop(page, data);
    QTRY_VERIFY(page.view()->shownImage());
    QTRY_VERIFY(says(page, QStringLiteral("Select a run")));
    page.findChild<QAction*>(QStringLiteral("predictions.held_out_images"))->trigger();
    QTRY_VERIFY(!page.view()->shownImage());
  }

  void weightsOutsideARunAreSaid() {
    const app::OpenedCheckpoint found = app::findCheckpoint(text("model.safetensors", "x"));
    QVERIFY(found.failure.startsWith(file("model.safetensors") + QStringLiteral(": ")));
    QVERIFY(found.failure.contains(QStringLiteral("set model.weights in")));
  }
};

LOCKSTEP_TEST(TstOpenedImages)
#include "tst_opened_images.moc"
