#pragma once

#include <QAction>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/data/data_page.h"
#include "widgets/dataset_view/batch_sheets.h"
#include "widgets/dataset_view/dataset_view.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/thumbnail_strip.h"

namespace lockstep::tests {

using nlohmann::json;

inline constexpr int kPatienceMs = 60000;

inline json object(int id, int image, int category, int x, int y, int side) {
  return {{"id", id},
          {"image_id", image},
          {"iscrowd", 0},
          {"category_id", category},
          {"area", side * side},
          {"bbox", {x, y, side, side}},
          {"segmentation", json::array({{x, y, x + side, y, x + side, y + side, x, y + side}})}};
}

/// Three images of 0, 1 and 3 objects; annotation 4 is the same object as 3, and has its box
/// beyond the image.
inline json annotations() {
  json file{{"images", json::array()},
            {"categories", {{{"id", 1}, {"name", "disc"}}, {{"id", 7}, {"name", "star"}}}},
            {"annotations",
             {object(1, 2, 1, 8, 8, 20), object(2, 3, 1, 4, 4, 16), object(3, 3, 7, 30, 30, 24),
              object(4, 3, 7, 30, 30, 24)}}};
  for (int id : {1, 2, 3})
    file["images"].push_back(
        {{"id", id}, {"file_name", std::to_string(id) + ".png"}, {"width", 64}, {"height", 64}});
  file["annotations"][3]["bbox"] = {30, 30, 60, 24};
  return file;
}

/// Two of the images, with an object.
inline json fewerAnnotations() {
  json fewer = annotations();
  fewer["images"].erase(2);
  fewer["annotations"] = {object(1, 2, 1, 8, 8, 20)};
  return fewer;
}

/// A Data page of an experiment with three images.
class DataPageBench {
 protected:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<app::DataPage> page_;

  QString pathOf(const char* name) const { return folder_->filePath(QLatin1String(name)); }
  void write(const char* name, const std::string& content) const {
    QFile file(pathOf(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content.data(), static_cast<qint64>(content.size()));
  }
  app::OpenExperiment experiment() const {
    app::OpenExperiment own{QStringLiteral("own.yaml"), {}};
    own.experiment.dataset.train = {.images = folder_->path().toStdString(),
                                    .annotations = pathOf("train.json").toStdString()};
    return own;
  }
  void showExperiment() {
    page_->setExperiment(experiment());
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    QTRY_VERIFY(page_->isReady() && !strip()->isHidden() && strip()->count() > 0);
  }
  /// They take a while to read.
  void writeManyObjects() const {
    json large = annotations();
    for (int id = 10; id < 60000; ++id) large["annotations"].push_back(object(id, 2, 1, 8, 8, 20));
    write("train.json", large.dump());
  }
  widgets::BatchSheets* sheets() const { return page_->view()->batches(); }
  /// The one that is not of the sheets.
  template <typename Widget>
  Widget* ofImages() const {
    for (auto* each : page_->findChildren<Widget*>())
      if (!sheets()->isAncestorOf(each)) return each;
    return nullptr;
  }
  widgets::ThumbnailStrip* strip() const { return ofImages<widgets::ThumbnailStrip>(); }
  widgets::ImageStage* stage() const { return ofImages<widgets::ImageStage>(); }
  bool hasLabel(const QString& part) const {
    const auto labels = page_->findChildren<QLabel*>();
    return std::ranges::any_of(labels, [&](const QLabel* label) {
      return label->isVisible() && label->text().contains(part);
    });
  }
  QPushButton* button(const QString& text) const {
    for (auto* each : page_->findChildren<QPushButton*>())
      if (each->text() == text) return each;
    return nullptr;
  }
  void trigger(const char* action) const {
    page_->findChild<QAction*>(QLatin1String(action))->trigger();
  }
  void openPage() {
    folder_ = std::make_unique<QTemporaryDir>();
    for (int id : {1, 2, 3}) {
      QImage image(64, 64, QImage::Format_RGB32);
      for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x) image.setPixel(x, y, qRgb(x * id * 3, y * 4, id * 60));
      QVERIFY(image.save(folder_->filePath(QStringLiteral("%1.png").arg(id))));
    }
    write("train.json", annotations().dump());
    page_ = std::make_unique<app::DataPage>();
    page_->resize(1200, 900);
  }
};

}  // namespace lockstep::tests
