#pragma once

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <memory>

#include "tests/support/test_data.h"
#include "tests/widgets_image_view/made_images.h"
#include "tests/widgets_image_view/perturbed_truth.h"
#include "widgets/image_view/canvas_legend.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_history_table.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/instance_model.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/image_view/layer_buttons.h"
#include "widgets/image_view/precision_recall_curve.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/image_view/value_slider.h"
#include "widgets/image_view/verdict_style.h"
#include "widgets/theme.h"

namespace lockstep::tests {

using namespace widgets;

/// A Predictions page of made images and three checkpoints.
class PredictionsViewBench {
 protected:
  std::unique_ptr<QTemporaryDir> folder_;
  std::shared_ptr<const coco::Dataset> dataset_;
  std::unique_ptr<PredictionsView> view_;

  PredictionsPanel* panel() { return view_->findChild<PredictionsPanel*>(); }
  ImageStage* stage() { return view_->findChild<ImageStage*>(); }
  ImageCanvas* canvas() { return view_->findChild<ImageCanvas*>(); }
  InstanceTable* table() { return view_->findChild<InstanceTable*>(); }
  ThumbnailStrip* strip() { return view_->findChild<ThumbnailStrip*>(); }

  /// The list with this accessible name.
  QComboBox* combo(const char* name) {
    for (auto* combo : view_->findChildren<QComboBox*>())
      if (combo->accessibleName() == QString::fromUtf8(name)) return combo;
    return nullptr;
  }

  /// Image 1: both objects are detected; image 2: one object and a false positive; image 3: not
  /// predicted.
  void givePredictions(qint64 step) {
    const auto& images = dataset_->images();
    view_->setPredictions(step,
                          {boxDetection(images[0], 1, 0.9, {4, 4, 16, 16}),
                           boxDetection(images[0], 2, 0.6, {36, 20, 16, 16}),
                           boxDetection(images[1], 1, 0.8, {4, 4, 16, 16}),
                           boxDetection(images[1], 1, 0.7, {4, 28, 16, 16})},
                          {images[0].id, images[1].id});
  }
  bool hasLabel(const char* text) {
    const auto labels = panel()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->text() == QString::fromUtf8(text);
    });
  }
  bool hasVisibleLabelOf(const char* start) {
    const auto labels = panel()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && label->text().startsWith(QString::fromUtf8(start));
    });
  }
  bool hasLabelOfPage(const char* part) {
    const auto labels = view_->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->text().contains(QString::fromUtf8(part));
    });
  }
  QString checkpointTitle() {
    for (const QLabel* label : panel()->findChildren<QLabel*>())
      if (label->text().startsWith(QStringLiteral("step "))) return label->text();
    return {};
  }
  QStringList counts() {
    return {panel()->countText(Verdict::TruePositive), panel()->countText(Verdict::FalsePositive),
            panel()->countText(Verdict::Missed)};
  }

  void openPage() {
    folder_ = std::make_unique<QTemporaryDir>();
    dataset_ = writeMadeImages(folder_->path(), 4);
    view_ = std::make_unique<PredictionsView>();
    view_->resize(1200, 800);
    view_->show();
    view_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(view_.get()));
    view_->setDataset(dataset_, folder_->path());
    view_->setCheckpoints({10, 20, 30}, {10, 20, 30});
    view_->setCurrentCheckpoint(10);
    view_->setFocus();
  }
};

}  // namespace lockstep::tests
