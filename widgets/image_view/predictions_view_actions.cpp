// The keys of the Predictions page.
#include <QComboBox>
#include <QToolButton>
#include <functional>

#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_view_impl.h"
#include "widgets/named_action.h"

namespace lockstep::widgets {
namespace {

constexpr int kScoreStep = 5;  // hundredths
constexpr double kZoomStep = 1.25;

}  // namespace

void PredictionsView::addNamedActions() {
  Impl* impl = impl_.get();
  const auto add = [this](const char* id, const QString& text, const QList<QKeySequence>& keys,
                          const std::function<void()>& act) {
    addNamedAction(this, ActionPlace::Predictions, id, text, keys, act);
  };
  add("predictions.previous_image", tr("Previous image"), {Qt::Key_A, Qt::Key_Left},
      [impl] { impl->moveImage(-1); });
  add("predictions.next_image", tr("Next image"), {Qt::Key_D, Qt::Key_Right},
      [impl] { impl->moveImage(1); });
  add("predictions.predict_all", tr("Predict all images, or cancel"), {},
      [this] { toggleAllImages(); });
  add("predictions.next_error", tr("Next error"), {Qt::Key_N}, [impl] { impl->moveError(1); });
  add("predictions.previous_error", tr("Previous error"), {Qt::SHIFT | Qt::Key_N},
      [impl] { impl->moveError(-1); });
  add("predictions.previous_object", tr("Previous object"), {Qt::Key_Up},
      [impl] { impl->moveInstance(-1); });
  add("predictions.next_object", tr("Next object"), {Qt::Key_Down},
      [impl] { impl->moveInstance(1); });
  add("predictions.select_pointed_at", tr("Select what is under the pointer"), {Qt::Key_P},
      [impl] { impl->choose(impl->canvas()->hovered()); });
  add("predictions.earlier_checkpoint", tr("Earlier checkpoint"), {Qt::Key_Comma},
      [impl] { impl->panel->stepCheckpoint(-1); });
  add("predictions.later_checkpoint", tr("Later checkpoint"), {Qt::Key_Period},
      [impl] { impl->panel->stepCheckpoint(1); });
  add("predictions.nearest_predicted", tr("Nearest checkpoint with predictions of this image"),
      {Qt::SHIFT | Qt::Key_Period}, [impl] { impl->goToNearestPredicted(); });
  add("predictions.higher_score", tr("Higher score threshold"), {Qt::SHIFT | Qt::Key_Up},
      [impl] { impl->panel->stepScore(kScoreStep); });
  add("predictions.lower_score", tr("Lower score threshold"), {Qt::SHIFT | Qt::Key_Down},
      [impl] { impl->panel->stepScore(-kScoreStep); });
  add("predictions.colour_by", tr("Colour by verdict, class, instance or score"), {Qt::Key_C},
      [impl] {
        impl->colourBy->setCurrentIndex((impl->colourBy->currentIndex() + 1) %
                                        impl->colourBy->count());
      });
  add("predictions.crops", tr("All instances as crops, or the image again"), {Qt::Key_V},
      [impl] { impl->cropsShown->toggle(); });
  add("predictions.clear_filters", tr("Clear the filters of the images"), {Qt::Key_Backspace},
      [impl] { impl->filters->showAll(); });
  add("predictions.explain", tr("Explain the image, or show the instances again"), {Qt::Key_E},
      [impl] { impl->toggleExplanation(); });
  add("predictions.reread", tr("Read again the images that have changed on the disk"), {Qt::Key_F5},
      [impl] { impl->reloadImages(); });
  addZoomActions();
}

void PredictionsView::addZoomActions() {
  Impl* impl = impl_.get();
  const auto add = [this](const char* id, const QString& text, const QList<QKeySequence>& keys,
                          const std::function<void()>& act) {
    addNamedAction(this, ActionPlace::Predictions, id, text, keys, act);
  };
  add("predictions.fit", tr("Fit image"), {Qt::Key_0, Qt::Key_R},
      [impl] { impl->canvas()->fit(); });
  add("predictions.actual_size", tr("Actual size"), {Qt::Key_1},
      [impl] { impl->canvas()->zoomToActualSize(); });
  add("predictions.zoom_in", tr("Zoom in"), {Qt::Key_Plus, Qt::Key_Equal},
      [impl] { impl->canvas()->zoomBy(kZoomStep); });
  add("predictions.zoom_out", tr("Zoom out"), {Qt::Key_Minus},
      [impl] { impl->canvas()->zoomBy(1.0 / kZoomStep); });
  add("predictions.magnifier", tr("Magnifier at the pointer; arrow keys move it"), {Qt::Key_Z},
      [impl] { impl->canvas()->toggleMagnifier(); });
  add("predictions.maximize", tr("Maximize the image"), {Qt::Key_F},
      [impl] { impl->toggleMaximized(); });
}

}  // namespace lockstep::widgets
