// What PredictionsView shows, as values for files, and an instance that it is asked to show.
#include <algorithm>

#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/layer_buttons.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_view_impl.h"
#include "widgets/image_view/shown_results.h"
#include "widgets/theme.h"

namespace lockstep::widgets {

std::optional<ShownResults> PredictionsView::shown() const {
  const PredictionSession& session = impl_->session;
  if (!impl_->hasImages() || !session.decoded() || !session.scene()) return std::nullopt;
  const MatchThresholds thresholds = impl_->panel->thresholds();
  ShownResults shown;
  shown.name =
      impl_->resultsName.isEmpty() ? tr("step %1").arg(session.step()) : impl_->resultsName;
  shown.thresholds =
      tr("score ≥ %1, IoU ≥ %2")
          .arg(QString::number(thresholds.score, 'f', 2), QString::number(thresholds.iou, 'f', 2));
  if (const std::size_t hidden = impl_->panel->hidden().size(); hidden > 0)
    shown.thresholds += tr(", %1 of %n class(es) hidden", "",
                           static_cast<int>(session.dataset()->categories().size()))
                            .arg(hidden);
  shown.decoded = session.decoded();
  shown.scene = session.scene();
  shown.layers = impl_->layers->layers();  // also while a step of an explanation is drawn
  shown.theme = &currentTheme();
  shown.dataset = session.dataset();
  shown.imageIndex = session.imageIndex();
  shown.predictions = session.store().at(session.step());
  shown.rules = session.rules();
  shown.scoreThreshold = thresholds.score;
  shown.hidden = impl_->panel->hidden();
  shown.imagesFolder = session.folder();
  return shown;
}

void PredictionsView::forgetPredictions(qint64 step, ImageId image) {
  PredictionStore& store = impl_->session.store();
  if (!store.find(step, image)) return;
  store.forget(step, image);
  impl_->showPredictions(step);
  impl_->showCounts();
}

std::optional<base::FileVersion> PredictionsView::shownVersion() const {
  const auto decoded = impl_->hasImages() ? impl_->session.decoded() : nullptr;
  return decoded ? std::optional(decoded->version) : std::nullopt;
}

void PredictionsView::showInstance(const coco::Image& image, qint64 step,
                                   const WantedInstance& instance) {
  impl_->askedInstance = Impl::AskedInstance{image, step, instance};
  showSameImage(image);
  impl_->chooseAsked();
}

/// Once the predictions of its image are there.
void PredictionsView::Impl::chooseAsked() {
  if (!askedInstance || !session.scene() || !session.decoded() || !session.isSceneCurrent()) return;
  const coco::Image& image = session.image();
  const bool isShown = session.step() == askedInstance->step &&
                       image.id == askedInstance->image.id &&
                       image.fileName == askedInstance->image.fileName;
  if (!isShown || !session.store().at(session.step()).contains(image.id)) return;
  const WantedInstance wanted = askedInstance->instance;
  if (panel->reveal(wanted.category, wanted.score)) return;  // the scene follows
  const auto& instances = session.scene()->instances;
  const auto found = std::ranges::find_if(instances, [&](const CanvasScene::Instance& one) {
    return wanted.detection >= 0 ? one.facts.detection == wanted.detection
                                 : one.facts.annotation == wanted.annotation;
  });
  askedInstance.reset();
  if (found == instances.end()) return;  // past the most detections of an image
  choose(static_cast<int>(found - instances.begin()));
  canvas()->showBox(found->box);
}

}  // namespace lockstep::widgets
