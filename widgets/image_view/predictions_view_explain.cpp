// The Predictions page's explanation of the shown image.
#include <QHBoxLayout>
#include <QListWidget>
#include <QTabBar>
#include <QTabWidget>

#include "widgets/image_view/canvas_legend.h"
#include "widgets/image_view/crop_grid.h"
#include "widgets/image_view/explain_panel.h"
#include "widgets/image_view/explanation_scene.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/layer_buttons.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_view_impl.h"
#include "widgets/named_action.h"
#include "widgets/role.h"

namespace lockstep::widgets {

QWidget* PredictionsView::Impl::buildSideTabs(PredictionsView* view) {
  explain = new ExplainPanel;
  sideTabs = new QTabWidget;
  sideTabs->setDocumentMode(true);
  setRole(sideTabs, "panel");
  setRole(sideTabs->tabBar(), "small");
  sideTabs->tabBar()->setAccessibleName(tr("Facts about the image"));
  sideTabs->addTab(panel, tr("Instances"));
  sideTabs->addTab(explain, tr("Explain"));
  auto* exports = new ExportButton(view, ActionPlace::Predictions, QStringLiteral("predictions"));
  connect(exports, &ExportButton::requested, view, &PredictionsView::exportRequested);
  exports->setAutoRaise(true);
  auto* corner = new QWidget;
  auto* row = new QHBoxLayout(corner);
  row->setContentsMargins(0, 0, 16, 0);
  row->addWidget(exports);
  sideTabs->setCornerWidget(corner);
  return sideTabs;
}

void PredictionsView::connectExplanation() {
  Impl* impl = impl_.get();
  showKeysOf(impl->sideTabs->tabBar(), "predictions.explain");
  connect(impl->sideTabs, &QTabWidget::currentChanged, this,
          [impl] { impl->explain->setActive(impl->sideTabs->currentWidget() == impl->explain); });
  connect(impl->explain, &ExplainPanel::requested, this, &PredictionsView::explanationRequested);
  connect(impl->explain, &ExplainPanel::canceled, this, &PredictionsView::explanationCanceled);
  connect(impl->explain, &ExplainPanel::sceneChanged, this,
          [impl](const std::shared_ptr<const ExplanationScene>& scene) {
            impl->canvas()->setExplanation(scene);
            impl->legend->setExplanation(scene);
            impl->isStepDrawn = scene && scene->replacesInstances;
            impl->showLayers();
          });
}

void PredictionsView::setExplanation(ImageId image, qint64 step,
                                     std::shared_ptr<const explanation::Explanation> explanation) {
  impl_->explain->setExplanation(image, step, std::move(explanation));
}

void PredictionsView::setExplanationFailed(ImageId image, qint64 step, const QString& error) {
  impl_->explain->setFailed(image, step, error);
}

/// A step of the explanation is drawn instead of the instances.
void PredictionsView::Impl::showLayers() {
  CanvasLayers shown = layers->layers();
  explain->setLayers(shown.anchors, shown.proposals);
  if (isStepDrawn) shown.masks = shown.boxes = shown.labels = false;
  canvas()->setLayers(shown);
  showLegend();
}

/// A step of an explanation has its own ground truth.
void PredictionsView::Impl::showLegend() {
  if (areCropsShown()) return legend->showVerdicts(crops->verdicts());
  CanvasLayers drawn = canvas()->layers();
  if (isStepDrawn) drawn.groundTruth = drawn.crowds = false;
  legend->show(session.scene(), drawn);
}

void PredictionsView::Impl::showSubject() {
  if (!hasImages() || session.store().checkpoints().empty()) return explain->setSubject({});
  QString blockedBy = whyNotPredicted();
  if (blockedBy.isEmpty() && !session.store().isKept(session.step()))
    blockedBy = tr("There is no checkpoint of step %1 any more.").arg(session.step());
  explain->setSubject(ExplainPanel::Subject{session.image().id, session.step(), blockedBy});
}

void PredictionsView::Impl::showChosenExplained() {
  const auto scene = session.scene();
  const int pinned = canvas()->pinned();
  const bool isThere = scene && pinned >= 0 && pinned < static_cast<int>(scene->instances.size());
  explain->setChosen(isThere
                         ? std::optional(scene->instances[static_cast<std::size_t>(pinned)].facts)
                         : std::nullopt);
}

void PredictionsView::Impl::toggleExplanation() {
  const bool shows = sideTabs->currentWidget() != explain;
  sideTabs->setCurrentIndex(shows ? 1 : 0);
  if (shows) explain->steps()->setFocus();
}

}  // namespace lockstep::widgets
