#include <QDir>
#include <QFile>
#include <QImage>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "app/predictions/kept_answers.h"
#include "app/predictions_page/predictions_page.h"
#include "engine/coco/files/results_by_image.h"
#include "tests/app/live_run.h"
#include "tests/app/made_run.h"
#include "tests/support/file_content.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"

using namespace lockstep;
using app::ImagePart;
using app::KeptAnswer;
using app::KeptAnswers;
using app::PredictionsPage;
using app::RunController;

class TstKeptAnswers : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  const KeptAnswers::Attempt run_{QStringLiteral("/runs/a"), 1.75e9, 1};

  QString path(const char* name) const { return folder_->filePath(QString::fromLatin1(name)); }
  QString write(const char* name, const QByteArray& content) const {
    QFile file(path(name));
    if (file.open(QIODevice::WriteOnly)) file.write(content);
    return file.fileName();
  }
  QString answer(const char* image) const {
    return write("answer.json", QByteArray(R"({"image_ids": [)") + image + R"(], "detections": [
      {"image_id": )" + image + R"(, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}]})");
  }
  /// Held-out and training images are the same two.
  tests::MadeRun made() const {
    tests::MadeRun run;
    run.valImages = run.trainImages = folder_->path().toStdString();
    run.valAnnotations = run.trainAnnotations = write("data.json", R"({"images": [
          {"id": 3, "file_name": "a.png", "width": 8, "height": 8},
          {"id": 5, "file_name": "b.png", "width": 8, "height": 8}],
          "categories": [{"id": 1, "name": "thing"}], "annotations": []})")
                                                    .toStdString();
    run.keptCheckpoints = {40};
    run.state = "running";
    return run;
  }
  static void show(PredictionsPage& page, RunController& run) {
    page.resize(1200, 800);
    page.setRun(&run);
    run.refresh();
    page.show();
    QTRY_VERIFY(run.isLoaded());
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 40);
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    for (const char* name : {"a.png", "b.png"}) QVERIFY(picture.save(path(name)));
  }

  void anAnswerIsFoundByItsRunAndAttempt() {
    const KeptAnswers kept(path("kept"));
    const KeptAnswer asked{ImagePart::Training, 40, 5, {QStringLiteral("/data/ä \"b\".png")}};
    kept.keep(run_, asked, answer("5"));
    const auto found = kept.find(run_);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(found[0].part == ImagePart::Training && found[0].step == 40 && found[0].image == 5);
    QCOMPARE(found[0].files, asked.files);
    QCOMPARE(found[0].path, kept.pathOf(run_, asked));
    const coco::ResultsByImage results(found[0].path.toStdString(), {ImageId{5}});
    QCOMPARE(results.detectionsOf({5}).size(), std::size_t{1});
    QVERIFY(kept.find({run_.runFolder, run_.created, 2}).empty());
    QVERIFY(kept.find({run_.runFolder, run_.created + 1, 1}).empty());
    QVERIFY(kept.find({QStringLiteral("/runs/b"), run_.created, 1}).empty());
  }

  void anotherAnswerReplacesTheFirstAndAListIsOneToo() {
    const KeptAnswers kept(path("kept"));
    const KeptAnswer asked{ImagePart::Opened, 40, std::nullopt, {path("a.png"), path("b.png")}};
    kept.keep(run_, asked, answer("1"));
    kept.keep(run_, asked, write("list.json", R"([
      {"image_id": 2, "category_id": 1, "score": 0.5, "bbox": [1, 1, 4, 4]}])"));
    const auto found = kept.find(run_);
    QCOMPARE(found.size(), std::size_t{1});
    const coco::ResultsByImage results(found[0].path.toStdString(), {ImageId{7}, ImageId{8}});
    QVERIFY(results.detectionsOf({7}).empty());
    QCOMPARE(results.detectionsOf({8}).size(), std::size_t{1});
  }

  void filesThatAreOthersNowAreNotAmongThoseSeen() {
    const KeptAnswers kept(path("kept"));
    const QStringList files{path("a.png"), path("b.png")};
    KeptAnswer asked{ImagePart::Opened, 40, std::nullopt, files};
    asked.seen = app::seenNow(files);
    kept.keep(run_, asked, answer("1"));
    QCOMPARE(kept.find(run_).at(0).seen.size(), std::size_t{2});
    QVERIFY(QFile::remove(path("a.png")));
    QCOMPARE(kept.find(run_).at(0).seen.size(), std::size_t{1});
    QCOMPARE(kept.find(run_).at(0).seen[0].file, path("b.png"));
    write("b.png", "another");
    QVERIFY(kept.find(run_).at(0).seen.empty());
    QCOMPARE(kept.find(run_).at(0).files, files);
  }

  void whatIsNoneIsLeftAlone() {
    QVERIFY(KeptAnswers().isNone() && KeptAnswers().find(run_).empty());
    QVERIFY(KeptAnswers::beside({}).isNone());
    const KeptAnswers kept(path("kept"));
    kept.keep(run_, {}, path("no such answer.json"));
    QVERIFY(kept.find(run_).empty());
    kept.removePictures({path("a.png")});
    QVERIFY(QFile::exists(path("a.png")));
    QVERIFY(QFileInfo(kept.newPicturePath()).absoluteDir().exists());
  }

  void aPredictedImageIsThereAtTheNextStart_data() {
    QTest::addColumn<ImagePart>("part");
    QTest::newRow("held-out") << ImagePart::HeldOut;
    QTest::newRow("training") << ImagePart::Training;
  }
  void aPredictedImageIsThereAtTheNextStart() {
    QFETCH(ImagePart, part);
    const KeptAnswers kept(path("kept"));
    tests::LiveRun live(made());
    RunController run(live.folder);
    QVERIFY(live.engine.start(
        {"@mute", live.welcome(), "@await", tests::okOf("app-1", answer("5").toStdString())}));
    run.refresh();
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    const QVariantMap state{{QStringLiteral("part"), static_cast<int>(part)}};
    {
      PredictionsPage page(kept);
      page.restoreViewState(state);
      show(page, run);
      page.view()->showImage(ImageId{5});
      auto* stage = page.findChild<widgets::ImageStage*>();
      QTRY_VERIFY(stage->notice().contains(QStringLiteral("not predicted at step 40")));
      for (auto* button : stage->findChildren<QPushButton*>())
        if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
      QTRY_COMPARE(stage->notice(), QString());
      QTRY_COMPARE(kept.find({run.folder(), run.info().created, run.info().attempt}).size(),
                   std::size_t{1});
    }
    QVERIFY(QFile::remove(path("answer.json")));
    PredictionsPage next(kept);
    next.restoreViewState(state);
    show(next, run);
    next.view()->showImage(ImageId{5});
    auto* stage = next.findChild<widgets::ImageStage*>();
    QTRY_COMPARE(stage->notice(), QString());
    next.view()->showImage(ImageId{3});
    QTRY_VERIFY(stage->notice().contains(QStringLiteral("not predicted at step 40")));
    QImage another(8, 8, QImage::Format_RGB32);
    another.fill(Qt::blue);
    QVERIFY(another.save(path("b.png")));
    PredictionsPage later(kept);
    later.restoreViewState(state);
    show(later, run);
    later.view()->showImage(ImageId{5});
    stage = later.findChild<widgets::ImageStage*>();
    QTRY_VERIFY(later.isReady() &&
                stage->notice().contains(QStringLiteral("not predicted at step 40")));
  }
};

LOCKSTEP_TEST(TstKeptAnswers)
#include "tst_kept_answers.moc"
