// What PredictionsPage is asked to show from other pages: a step, or an instance.
#include <utility>

#include "app/predictions_page/predictions_page.h"
#include "widgets/image_view/predictions_view.h"

namespace lockstep::app {

void PredictionsPage::showInstance(const QString& folder, qint64 step, const coco::Image& image,
                                   const widgets::WantedInstance& instance) {
  askedInstance_ = AskedInstance{folder, step, image, instance};
  takeAskedInstance();
}

void PredictionsPage::takeAskedInstance() {
  if (!askedInstance_ || !run_ || run_->folder() != askedInstance_->folder) return;
  const AskedInstance asked = *std::exchange(askedInstance_, std::nullopt);
  showPart(ImagePart::HeldOut);
  lastImage_ = asked.image;
  showStep(asked.step);
  view_->showInstance(asked.image, asked.step, asked.instance);
}

void PredictionsPage::showStep(qint64 step) {
  pendingStep_ = step;
  if (areResultsShown_) return leaveResults(part_);
  if (steps_.isEmpty() || !hasDataset_) return;
  pendingStep_.reset();
  const qint64 shown = steps_.atOrBefore(step);
  followsNewest_ = shown >= steps_.initialStep();
  view_->setCurrentCheckpoint(shown);
  showFaults();
  store_.readAllOf(shown);
}

void PredictionsPage::followCursor(qint64 step) {
  if (areResultsShown_) return;  // they have no steps
  if (steps_.isEmpty() || steps_.atOrBefore(step) != view_->currentCheckpoint()) showStep(step);
}

}  // namespace lockstep::app
