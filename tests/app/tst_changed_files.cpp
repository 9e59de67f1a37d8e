// Files that change on the disk while they are shown on the Predictions page.
#include <QAction>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <string>

#include "app/predictions_page/predictions_page.h"
#include "engine/base/atomic_file.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/image_view/thumbnail_strip.h"

using namespace lockstep;
using app::PredictionsPage;
using app::RunController;

namespace {

std::string annotationsWith(const std::string& objects) {
  return R"({"images": [{"id": 3, "file_name": "a.png", "width": 8, "height": 8},
    {"id": 5, "file_name": "b.png", "width": 8, "height": 8}],
    "categories": [{"id": 1, "name": "thing"}], "annotations": [)" +
         objects + "]}";
}

const std::string kObject = R"({"id": 1, "image_id": 3, "category_id": 1, "iscrowd": 0, "area": 16,
  "bbox": [1, 1, 4, 4], "segmentation": [[1, 1, 5, 1, 5, 5, 1, 5]]})";

bool hasPixel(const QImage& picture, const QColor& colour) {
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      if (picture.pixelColor(x, y) == colour) return true;
  return false;
}

}  // namespace

class TstChangedFiles : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<RunController> run_;
  std::unique_ptr<PredictionsPage> page_;

  std::string pathOf(const char* name) const {
    return folder_->filePath(QString::fromUtf8(name)).toStdString();
  }
  void writePicture(const char* name, const QColor& colour) const {
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(colour);
    QVERIFY(picture.save(QString::fromStdString(pathOf(name))));
  }
  /// Of a run with predictions of image 3 at 10, 20, 30 and 40.
  void showRun() {
    base::writeFileAtomically(pathOf("val.json"), annotationsWith(kObject));
    tests::MadeRun made;
    made.valImages = folder_->path().toStdString();
    made.valAnnotations = pathOf("val.json");
    made.trainImages = made.valImages;
    made.trainAnnotations = pathOf("train.json");
    made.watchedImages = {3};
    run_ = std::make_unique<RunController>(tests::makeRun(folder_->path(), made));
    page_ = std::make_unique<PredictionsPage>();
    page_->resize(1200, 800);
    page_->setRun(run_.get());
    run_->refresh();
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    QTRY_VERIFY(run_->isLoaded());
    QTRY_VERIFY(page_->isReady() && page_->view()->currentCheckpoint() == 40);
  }
  run_folder::Layout layout() const { return run_folder::Layout(run_->folder().toStdString()); }
  bool says(const QString& part) const {
    const auto banners = page_->findChildren<widgets::Banner*>();
    return std::ranges::any_of(banners, [&](const widgets::Banner* banner) {
      return banner->isVisible() && QString(banner->title() + banner->detail()).contains(part);
    });
  }
  bool showsLabel(const QString& part) const {
    const auto labels = page_->findChildren<QLabel*>();
    return std::ranges::any_of(labels,
                               [&](const QLabel* label) { return label->text().contains(part); });
  }
  widgets::ImageStage* stage() const { return page_->findChild<widgets::ImageStage*>(); }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    for (const char* name : {"a.png", "b.png"}) writePicture(name, Qt::gray);
  }
  void cleanup() {
    page_.reset();
    run_.reset();
  }

  void aPictureThatAppearsIsShownOnTryAgain() {
    QFile::remove(QString::fromStdString(pathOf("a.png")));
    showRun();
    QTRY_VERIFY(stage()->problem().contains(QStringLiteral("a.png")));
    writePicture("a.png", Qt::red);
    for (auto* button : stage()->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == QStringLiteral("Try again"))
        QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(stage()->problem().isEmpty());
  }

  void aPictureThatIsReplacedIsShownWhenItIsAskedForAgain_data() {
    QTest::addColumn<bool>("byKey");
    QTest::newRow("F5") << true;
    QTest::newRow("away and back") << false;
  }
  void aPictureThatIsReplacedIsShownWhenItIsAskedForAgain() {
    QFETCH(bool, byKey);
    showRun();
    const auto* strip = page_->findChild<widgets::ThumbnailStrip*>();
    const auto thumbnail = [&] {
      return strip->viewport()->grab().toImage().pixelColor(strip->itemRect(0).topLeft() +
                                                            QPoint(8, 8));
    };
    QTRY_COMPARE(thumbnail(), QColor(Qt::gray));
    writePicture("a.png", Qt::blue);
    if (byKey) {
      QTest::keyClick(page_->view(), Qt::Key_F5);
      QTRY_COMPARE(thumbnail(), QColor(Qt::blue));
    } else {
      page_->view()->showImage(ImageId{5});
      page_->view()->showImage(ImageId{3});
    }
    QTRY_VERIFY(hasPixel(stage()->canvas()->grab().toImage(), Qt::blue));
  }

  void annotationsThatChangeAreReadAgain() {
    showRun();
    QVERIFY(showsLabel(QStringLiteral("1 object ·")));
    page_->view()->showImage(ImageId{3});
    base::writeFileAtomically(pathOf("val.json"), annotationsWith(""));
    QTRY_VERIFY(says(QStringLiteral("were read again")));
    QTRY_VERIFY(showsLabel(QStringLiteral("0 objects ·")));
    QCOMPARE(page_->view()->currentImage(), ImageId{3});
    QCOMPARE(page_->view()->currentCheckpoint(), qint64{40});
    // What cannot be read for a while is read once it can be.
    base::writeFileAtomically(pathOf("val.json"), "half of");
    QTRY_VERIFY(!page_->view()->shownImage());
    base::writeFileAtomically(pathOf("val.json"), annotationsWith(kObject));
    QTRY_VERIFY(page_->view()->shownImage() && showsLabel(QStringLiteral("1 object ·")));
  }

  void aFolderThatIsWrittenToAllTheTimeHidesNoChange() {
    showRun();
    base::writeFileAtomically(pathOf("val.json"), annotationsWith(""));
    QTRY_VERIFY(showsLabel(QStringLiteral("0 objects ·")));
    int written = 0;
    QTimer others;
    connect(&others, &QTimer::timeout, this,
            [&] { base::writeFileAtomically(pathOf("other.log"), std::to_string(++written)); });
    others.start(std::chrono::milliseconds(50));
    QTRY_VERIFY(written > 1);
    base::writeFileAtomically(pathOf("val.json"), annotationsWith(kObject));
    QTRY_VERIFY(showsLabel(QStringLiteral("1 object ·")));
  }

  void whatHasChangedIsNotSaidOfOtherImages() {
    base::writeFileAtomically(pathOf("train.json"), annotationsWith(kObject));
    showRun();
    QVERIFY(QFile::remove(QString::fromStdString(pathOf("val.json"))));
    QTRY_VERIFY(showsLabel(QStringLiteral("The validation images cannot be shown")));
    page_->findChild<QAction*>(QStringLiteral("predictions.training_images"))->trigger();
    QTRY_VERIFY(page_->view()->shownImage() && page_->isReady());
    QVERIFY(!says(QStringLiteral("were read again")));
  }

  void predictionsThatChangeAreReadAgain() {
    showRun();
    QTRY_VERIFY(stage()->notice().isEmpty());
    base::writeFileAtomically(layout().predictions(40),
                              R"({"image_ids": [5], "score_threshold": 0.05, "detections": []})");
    QTRY_VERIFY(stage()->notice().contains(QStringLiteral("not predicted")));
    QVERIFY(says(QStringLiteral("were read again")));
  }

  void imagesThatCouldNotBeReadAreNamed() {
    showRun();
    base::writeFileAtomically(layout().predictionsOfPart(40, "val"), R"({"image_ids": [3],
      "score_threshold": 0.05, "unreadable": ["/data/b.png: no such file"], "detections": []})");
    page_->setRun(nullptr);
    page_->setRun(run_.get());
    QTRY_VERIFY(says(QStringLiteral("1 of 2 images predicted, 1 could not be read")));
    QVERIFY(says(QStringLiteral("/data/b.png: no such file")));
  }

  void scoresThatAreNoneAreSaid() {
    showRun();
    base::writeFileAtomically(layout().predictionsOfPart(40, "val"), R"({"image_ids": [3, 5],
      "score_threshold": 0.05, "detections": [
      {"image_id": 3, "category_id": 1, "score": 1e300, "bbox": [1, 1, 4, 4]},
      {"image_id": 5, "category_id": 1, "score": -0.5, "bbox": [1, 1, 4, 4]},
      {"image_id": 5, "category_id": 1, "score": 0.5, "bbox": [1, 1, 4, 4]}]})");
    page_->setRun(nullptr);
    page_->setRun(run_.get());
    QTRY_VERIFY(says(QStringLiteral("2 predictions have a score outside 0 to 1")));
  }

  /// The files of all steps are read at once.
  void faultsOfAStepAreSaidWhenItIsGoneTo() {
    showRun();
    base::writeFileAtomically(layout().predictions(20), R"({"image_ids": [3],
      "score_threshold": 0.05, "detections": [
      {"image_id": 3, "category_id": 1, "score": 2, "bbox": [1, 1, 4, 4]},
      {"image_id": 3, "category_id": 1, "score": -0.5, "bbox": [1, 1, 4, 4]}]})");
    page_->setRun(nullptr);
    page_->setRun(run_.get());
    QTRY_VERIFY(page_->isReady() && page_->view()->currentCheckpoint() == 40);
    QVERIFY(!says(QStringLiteral("have a score")));
    page_->showStep(20);
    QTRY_VERIFY(says(QStringLiteral("Step 20: 2 predictions have a score")));
    page_->view()->setMessage({});  // as a person closes it
    run_->refresh();
    page_->showStep(20);
    QVERIFY(!says(QStringLiteral("have a score")));
    page_->showStep(30);
    page_->showStep(20);
    QVERIFY(says(QStringLiteral("Step 20: 2 predictions have a score")));
  }
};

LOCKSTEP_TEST(TstChangedFiles)
#include "tst_changed_files.moc"
