#pragma once

#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>

#include "app/predictions_page/predictions_page.h"
#include "engine/base/atomic_file.h"
#include "tests/app/live_run.h"
#include "widgets/banner.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/slider.h"

namespace lockstep::tests {

/// Runs of two held-out images, and what the Predictions page says of them.
class PredictionsPageBench {
 protected:
  static inline const QByteArray kDataset = R"({"images": [
  {"id": 3, "file_name": "a.png", "width": 8, "height": 8},
  {"id": 5, "file_name": "b.png", "width": 8, "height": 8}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": []})";
  /// An answer for image 5.
  static constexpr const char* kFifth =
      R"([{"image_id": 5, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}])";

  std::unique_ptr<QTemporaryDir> parent_;

  /// A run with predictions of image 3 at 10, 20, 30 and 40.
  MadeRun watchedRun(const char* name) {
    const QString dataset = parent_->filePath(QStringLiteral("val.json"));
    QFile file(dataset);
    if (file.open(QIODevice::WriteOnly)) file.write(kDataset);
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    for (const char* image : {"a.png", "b.png"})
      picture.save(parent_->filePath(QString::fromUtf8(image)));
    MadeRun run;
    run.name = name;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = dataset.toStdString();
    run.watchedImages = {3};
    return run;
  }

  static void show(app::PredictionsPage& page, app::RunController& run) {
    page.resize(1200, 800);
    page.setRun(&run);
    run.refresh();
    page.show();
    QVERIFY(QTest::qWaitForWindowActive(&page));  // else keys are no shortcuts yet
    QTRY_VERIFY(run.isLoaded());
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() > 0);
  }
  /// Of such a run that trains. Its engine replies with `lines`: after each `@await` those that
  /// follow one request.
  static void connectTo(LiveRun& live, app::RunController& run, const QList<QByteArray>& lines) {
    QVERIFY(live.engine.start(QList<QByteArray>{"@mute", live.welcome(), "@await"} + lines));
    run.refresh();
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
  }
  /// With a checkpoint of its last step, 40.
  MadeRun trainingRun() {
    MadeRun made = watchedRun("run");
    made.state = "running";
    made.keptCheckpoints = {40};
    return made;
  }
  std::string answerFile(const char* text) const {
    const std::string file = parent_->filePath(QStringLiteral("answer.json")).toStdString();
    base::writeFileAtomically(file, text);
    return file;
  }
  static bool saysInABanner(const app::PredictionsPage& page) {
    const auto banners = page.findChildren<widgets::Banner*>();
    return std::ranges::any_of(banners, &widgets::Banner::isVisible);
  }
  /// The button in the place of the image's predictions.
  static void clickIn(const widgets::ImageStage& stage) {
    for (auto* button : stage.findChildren<QPushButton*>())
      if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
  }
  static QPushButton* buttonOf(const app::PredictionsPage& page, const QString& text) {
    for (auto* button : page.findChildren<QPushButton*>())
      if (button->text() == text) return button;
    return nullptr;
  }
  static bool hasLabel(const app::PredictionsPage& page, const QString& text) {
    const auto labels = page.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->text() == text; });
  }
  static bool hasLabelOf(const app::PredictionsPage& page, const QString& part) {
    const auto labels = page.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->text().contains(part); });
  }
  static QComboBox* comboOf(const app::PredictionsPage& page, const QString& name) {
    for (auto* combo : page.findChildren<QComboBox*>())
      if (combo->accessibleName() == name) return combo;
    return nullptr;
  }
  /// Number of steps of the checkpoint slider.
  static int offered(const app::PredictionsPage& page) {
    for (const auto* slider : page.findChildren<widgets::Slider*>())
      if (slider->accessibleName().startsWith(QStringLiteral("step"))) return slider->maximum() + 1;
    return 0;
  }
};

}  // namespace lockstep::tests
