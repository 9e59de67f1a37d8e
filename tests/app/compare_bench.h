#pragma once

#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/compare/compare_page.h"
#include "engine/coco/files/results.h"
#include "tests/app/dropped_files.h"
#include "tests/app/live_run.h"
#include "tests/app/made_run.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/objects_view.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/paired_view.h"

namespace lockstep::tests {

/// Two images with two objects each.
inline const QByteArray kDataset = R"({"images": [
  {"id": 3, "file_name": "a.png", "width": 40, "height": 40},
  {"id": 5, "file_name": "b.png", "width": 40, "height": 40}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": [
  {"id": 1, "image_id": 3, "category_id": 1, "bbox": [2, 2, 10, 10], "area": 100, "iscrowd": 0},
  {"id": 2, "image_id": 3, "category_id": 1, "bbox": [20, 20, 10, 10], "area": 100, "iscrowd": 0},
  {"id": 3, "image_id": 5, "category_id": 1, "bbox": [2, 2, 10, 10], "area": 100, "iscrowd": 0},
  {"id": 4, "image_id": 5, "category_id": 1, "bbox": [20, 20, 10, 10], "area": 100, "iscrowd": 0}]})";

/// The first of image 3, all of image 5.
inline const char* const kOfFirst = R"([
  {"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]},
  {"image_id": 5, "category_id": 1, "score": 0.8, "bbox": [2, 2, 10, 10]},
  {"image_id": 5, "category_id": 1, "score": 0.7, "bbox": [20, 20, 10, 10]}])";
/// The second of image 3, none of image 5.
inline const char* const kOfSecond = R"([
  {"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [20, 20, 10, 10]},
  {"image_id": 5, "category_id": 1, "score": 0.8, "bbox": [30, 2, 5, 5]}])";

/// The Compare page with runs that are made for it.
class CompareBench : public QObject {
 protected:
  std::unique_ptr<QTemporaryDir> parent_;
  std::vector<std::unique_ptr<app::RunController>> runs_;
  std::unique_ptr<app::ComparePage> page_;
  std::unique_ptr<LiveRun> live_;

  QString write(const char* name, const QByteArray& text) const {
    QFile file(parent_->filePath(QLatin1String(name)));
    if (file.open(QIODevice::WriteOnly)) file.write(text);
    return file.fileName();
  }

  /// With predictions of both images at step 40, if there are any.
  void addRun(const char* name, const char* predictions, const QString& annotations,
              bool hasMasks = false) {
    MadeRun run;
    run.name = name;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = annotations.toStdString();
    run.hasMasks = hasMasks;
    run.keptCheckpoints = {20, 40};
    const QString folder = makeRun(parent_->path(), run);
    if (predictions != nullptr) {
      const std::filesystem::path file =
          run_folder::Layout(folder.toStdString()).predictionsOfPart(40, "val");
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << R"({"image_ids": [3, 5], "detections": )" << predictions << "}";
    }
    runs_.push_back(std::make_unique<app::RunController>(folder));
    runs_.back()->refresh();
    QTRY_VERIFY(runs_.back()->isLoaded());
  }

  /// With the images of the dataset.
  void makeLive(MadeRun made) {
    made.valImages = parent_->path().toStdString();
    made.valAnnotations = write("val.json", kDataset).toStdString();
    made.hasMasks = false;
    live_ = std::make_unique<LiveRun>(made);
  }
  /// It answers what is asked with `lines`: after each `@await` those that follow one request.
  void connectLive(const QList<QByteArray>& lines) {
    QVERIFY(live_->engine.start(QList<QByteArray>{"@mute", live_->welcome(), "@await"} + lines));
    runs_.push_back(std::make_unique<app::RunController>(live_->folder));
    runs_.back()->refresh();
    QTRY_VERIFY(runs_.back()->isLoaded());
    QTRY_COMPARE(runs_.back()->linkState(), app::EngineLink::State::Connected);
  }

  void show() {
    std::vector<app::ShownRun> shown;
    for (const auto& run : runs_)
      shown.push_back({run.get(), QString::fromStdString(run->info().name)});
    page_->setRuns(shown);
    page_->resize(1200, 800);
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));  // else keys are no shortcuts yet
    QTRY_VERIFY(page_->isReady());
  }

  void showTwo() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations);
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
  }

  /// In the table of confusions, with the mouse.
  void clickCell(int row, int column) {
    auto* table = page_->tables()->confusions()->findChild<QTableView*>();
    page_->tables()->setCurrentWidget(page_->tables()->confusions());
    const QRect cell = table->visualRect(table->model()->index(row, column));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
    QTRY_VERIFY(page_->isReady());
  }

  static QComboBox* boxOf(const QWidget& page, const char* name) {
    for (QComboBox* box : page.findChildren<QComboBox*>())
      if (box->accessibleName() == QLatin1String(name)) return box;
    return nullptr;
  }
  QComboBox* boxOf(const char* name) const { return boxOf(*page_, name); }

  /// On the half of A (0) or of B (1); says what was announced.
  QString drop(const QStringList& files, int half = 1) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files) urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    const QPoint place(page_->width() * (1 + 2 * half) / 4, page_->height() / 2);
    return tests::drop(*page_, data, place);
  }

  QString emptyTitle() const {
    const auto* empty = page_->findChild<widgets::EmptyState*>();
    return empty->isVisible() ? empty->title() : QString();
  }

  /// What is said in the place of the image, with its title.
  bool says(const QString& part) const {
    const auto labels = page_->findChild<widgets::EmptyState*>()->findChildren<QLabel*>();
    return std::ranges::any_of(labels, [&](const QLabel* label) {
      return label->isVisible() && label->text().contains(part);
    });
  }
  QPushButton* button(const char* text) const {
    for (auto* button : page_->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == QString::fromUtf8(text)) return button;
    return nullptr;
  }

  void makePage() {
    parent_ = std::make_unique<QTemporaryDir>();
    QImage picture(40, 40, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    for (const char* image : {"a.png", "b.png"})
      picture.save(parent_->filePath(QString::fromUtf8(image)));
    page_ = std::make_unique<app::ComparePage>();
  }
  void clearPage() {
    page_.reset();
    runs_.clear();
    live_.reset();
  }
};

}  // namespace lockstep::tests
