#include "widgets/image_view/predictions_view_impl.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/banner.h"
#include "widgets/elided_label.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/canvas_legend.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_history_table.h"
#include "widgets/image_view/instance_colour.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/image_view/layer_buttons.h"
#include "widgets/image_view/pixel_text.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPrefetched = 3;

}  // namespace

QWidget* PredictionsView::Impl::buildImageSide(PredictionsView* view) {
  auto* side = new QWidget;
  name = new ElidedLabel(Qt::ElideMiddle);
  setRole(name, "heading");
  facts = new ElidedLabel(Qt::ElideRight);
  setRole(facts, "muted");
  layers = new LayerButtons(view);
  auto* header = new QHBoxLayout;
  header->setSpacing(14);
  header->addWidget(name);
  header->addWidget(facts, 1);
  header->addWidget(layers);
  facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // the name is more important

  stage = new ImageStage;
  filters = new ImageFilterBar;
  strip = new ThumbnailStrip;
  colourBy = new QComboBox;
  for (const ColourBy by : kColourModes) colourBy->addItem(colourModeName(by));
  colourBy->setAccessibleName(tr("Colours of the instances"));
  legend = new CanvasLegend;
  pixel = new QLabel;
  pixel->setFont(monoFont(11));
  pixel->setAccessibleName(tr("Pixel under the pointer"));
  setRole(pixel, "muted");
  auto* key = new QHBoxLayout;
  key->addWidget(colourBy);
  key->addWidget(legend, 1);
  key->addWidget(pixel);

  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(16, 10, 16, 6);
  column->setSpacing(8);
  banner = new Banner;
  column->addWidget(banner);
  column->addLayout(header);
  column->addWidget(stage, 1);
  column->addLayout(key);
  column->addWidget(filters);
  column->addWidget(strip);
  return side;
}

void PredictionsView::Impl::showPage() {
  stack->setCurrentWidget(hasImages() ? static_cast<QWidget*>(page) : empty);
}

void PredictionsView::Impl::setStep(qint64 step) {
  if (step != session.step()) wasReady = false;
  session.setStep(step);
  panel->showCheckpoints(session.store(), step);
  panel->history()->showStep(step);
  if (isInOrderOfLosses()) rebuildOrder();
  showNotice();
}

/// Those of the step are others now.
void PredictionsView::Impl::showPredictions(qint64 step) {
  if (step == session.step()) {
    wasReady = false;
    session.refreshPredictions();
  }
  session.refreshHistory();
  chooseStep();
}

/// If the step is no checkpoint, nobody chose it: shows the newest with predictions, else the
/// newest.
void PredictionsView::Impl::chooseStep() {
  const std::vector<qint64>& steps = session.store().checkpoints();
  const bool isKnown = std::binary_search(steps.begin(), steps.end(), session.step());
  if (!isKnown && !steps.empty()) {
    const auto predicted = std::find_if(steps.rbegin(), steps.rend(), [this](qint64 step) {
      return !session.store().at(step).empty();
    });
    return setStep(predicted == steps.rend() ? steps.back() : *predicted);
  }
  panel->showCheckpoints(session.store(), session.step());
  showNotice();
}

/// Shows only the image, or everything again.
void PredictionsView::Impl::toggleMaximized() {
  const bool wasMaximized = sideTabs->isHidden();
  sideTabs->setVisible(wasMaximized);
  strip->setVisible(wasMaximized);
  filters->setVisible(wasMaximized);
}

void PredictionsView::Impl::showImageAt(int at) {
  if (at < 0 || at >= static_cast<int>(order.size())) return;
  wasReady = false;
  chooseErrorFrom = 0;
  std::vector<std::size_t> neighbours;
  for (int distance = 1; distance <= kPrefetched; ++distance) {
    for (int near : {at + distance, at - distance}) {
      if (near >= 0 && near < static_cast<int>(order.size()))
        neighbours.push_back(order[static_cast<std::size_t>(near)]);
    }
  }
  session.setImage(order[static_cast<std::size_t>(at)], neighbours);
  strip->setCurrent(at);
  canvas()->setScene(session.scene());
  panel->table()->setScene(session.scene());
  showChosenExplained();
  showLegend();
  showDecoded();
  showFacts();
  showNotice();
  panel->showImageCounts(shownAnalysis(), session.image().id);
  showHistory();
}

void PredictionsView::Impl::moveImage(int by) {
  const int at = placeOf(session.imageIndex());
  showImageAt(std::clamp(at + by, 0, std::max(0, static_cast<int>(order.size()) - 1)));
}

void PredictionsView::Impl::showDecoded() {
  const auto decoded = session.decoded();
  canvas()->setImage(decoded);
  if (decoded && !decoded->failure.isEmpty()) {
    const QString path = session.pathOf(session.imageIndex());
    const QString cause = path.isEmpty() ? tr("Its name leads out of the folder of its images.")
                                         : path % QStringLiteral(": ") % decoded->failure;
    stage->setProblem(
        tr("%1 cannot be shown").arg(QString::fromStdString(session.image().fileName)),
        named ? named(cause) : cause);
  } else {
    stage->setProblem({}, {});
  }
  chooseWaitingError();
  showNotice();
}

/// Those that have changed on the disk, or could not be shown.
void PredictionsView::Impl::reloadImages() {
  wasReady = false;
  strip->reload();
  session.reloadImages();
}

void PredictionsView::Impl::showScene() {
  canvas()->setScene(session.scene());
  panel->table()->setScene(session.scene());
  panel->table()->showChosen(canvas()->pinned());
  showLegend();
  chooseWaitingError();
  showNotice();
}

void PredictionsView::Impl::showFacts() {
  const coco::Image& image = session.image();
  const auto objects = session.dataset()->annotationsOf(session.imageIndex()).size();
  name->setText(QString::fromStdString(image.fileName));
  const QString count = !session.rules().hasTruth ? tr("not annotated")
                        : objects == 1            ? tr("1 object")
                                                  : tr("%1 objects").arg(objects);
  facts->setText(count % QStringLiteral(" · %1 × %2 px").arg(image.width).arg(image.height) %
                 tr(" · image %1 of %2")
                     .arg(session.imageIndex() + 1)
                     .arg(session.dataset()->images().size()));
  const std::size_t all = session.dataset()->images().size();
  const QString place = tr("%1 of %2").arg(placeOf(session.imageIndex()) + 1).arg(order.size());
  filters->setPlace(order.size() == all ? place : tr("%1, of %2 images").arg(place).arg(all));
}

/// Shows a line at the bottom of the image: what is wrong with the file, or that it was not
/// predicted, with a button to predict it.
void PredictionsView::Impl::showNotice() {
  showSubject();
  if (!hasImages()) return;
  const auto decoded = session.decoded();
  if (!session.sceneFailure().isEmpty()) return stage->setNotice(session.sceneFailure());
  const QString warning = decoded ? decoded->warning : QString();
  const bool isBroken = decoded && !decoded->failure.isEmpty();
  if (vanished && *vanished == session.step() && !isBroken)
    return offerStep(tr("The checkpoint of step %1 is gone, with its predictions").arg(*vanished),
                     session.store().nearestKept(*vanished));
  if (session.detections() || session.store().checkpoints().empty() || isBroken)
    return stage->setNotice(warning);
  const PredictionStore::Request request =
      session.store().request(session.step(), session.image().id);
  if (request.state == PredictionStore::RequestState::Waiting) {
    return stage->setNotice(tr("Predicting with the checkpoint of step %1…").arg(session.step()));
  }
  if (!session.store().isKept(session.step())) {
    return offerStep(tr("This image was not predicted at step %1, and there is no checkpoint of it")
                         .arg(session.step()),
                     session.store().nearestKept(session.step()));
  }
  noticeAction = predict;
  const QString disabledReason = whyNotPredicted();
  if (request.state == PredictionStore::RequestState::Failed) {
    return stage->setNotice(tr("Prediction failed: %1").arg(request.failure), tr("Try again"),
                            disabledReason);
  }
  stage->setNotice(tr("This image was not predicted at step %1.").arg(session.step()),
                   tr("Predict this image"), disabledReason);
}

/// With a button that goes to the step.
void PredictionsView::Impl::offerStep(const QString& text, std::optional<qint64> step) {
  if (!step) return stage->setNotice(tr("%1.").arg(text));
  noticeAction = [this, step] { goTo(*step); };
  stage->setNotice(tr("%1; the nearest checkpoint is that of step %2.").arg(text).arg(*step),
                   tr("Go to step %1").arg(*step));
}

void PredictionsView::Impl::goToNearestPredicted() {
  if (!hasImages()) return;
  const auto nearest = session.store().nearestPredicted(session.step(), session.image().id);
  if (nearest) return goTo(*nearest);
  filters->setPlace(tr("This image is predicted at no other checkpoint"));
}

/// Of the shown checkpoint; nullptr: it is not there yet.
const CheckpointAnalysis* PredictionsView::Impl::shownAnalysis() const {
  const CheckpointAnalysis* analysis = session.analysis();
  return analysis && analysis->step() == session.step() ? analysis : nullptr;
}

void PredictionsView::Impl::showCounts() {
  panel->showCounts(shownAnalysis(),
                    hasImages() ? std::optional(session.image().id) : std::nullopt);
  showAp();
  showAllImages();
}

void PredictionsView::Impl::showAp() {
  panel->showAp(session.shownAp(), session.rules().type == coco::IouType::Mask);
}

void PredictionsView::Impl::showHistory() {
  std::map<qint64, double> ofImage;
  for (const qint64 step : session.store().checkpoints()) {
    const auto ofStep = losses.find(step);
    if (ofStep == losses.end()) continue;
    const auto known = ofStep->second->find(session.image().id);
    if (known != ofStep->second->end()) ofImage[step] = known->second;
  }
  panel->history()->setHistory(session.history(), ofImage);
  panel->history()->showStep(session.step());
}

/// Empty: an engine can be asked.
QString PredictionsView::Impl::whyNotPredicted() const {
  if (canPredict) return {};
  return unavailableReason.isEmpty() ? tr("No engine is available to predict.") : unavailableReason;
}

void PredictionsView::Impl::showAllImages() {
  PredictionsPanel::AllImages all;
  if (hasImages()) {
    const PredictionStore& store = session.store();
    const std::size_t predicted = store.at(session.step()).size();
    all.isOffered = store.isKept(session.step()) && predicted < session.dataset()->images().size();
    all.blockedBy = whyNotPredicted();
    if (const auto found = allImages.find(session.step()); found != allImages.end())
      all.progress = found->second;
  }
  panel->showAllImages(all);
}

void PredictionsView::Impl::choose(int instance) {
  if (instance < 0) return;
  canvas()->setPinned(instance);
  canvas()->reveal(instance);
  panel->table()->showChosen(instance);
}

/// Place and colour of a pixel of the image, as in its file.
void PredictionsView::Impl::showPixel(std::optional<QPoint> at) {
  const auto decoded = session.decoded();
  if (!at || !decoded || decoded->levels.isNull()) return pixel->clear();
  pixel->setText(pixelText(decoded->levels, *at));
}

void PredictionsView::Impl::moveInstance(int by) {
  choose(panel->table()->neighbour(canvas()->pinned(), by));
}

/// Images of the strip that have errors at these thresholds, in its order.
std::vector<int> PredictionsView::Impl::placesWithErrors() const {
  std::vector<int> places;
  const CheckpointAnalysis* analysis = shownAnalysis();
  if (!analysis) return places;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto counts = analysis->countsOf(session.dataset()->images()[order[i]].id,
                                           panel->thresholds().score, panel->hidden());
    if (counts && errorCount(*counts) > 0) places.push_back(static_cast<int>(i));
  }
  return places;
}

/// Goes to the nearest image of the strip, this one last, that has an error, and says when that
/// was on from its other end.
void PredictionsView::Impl::moveErrorToImage(int by) {
  const std::vector<int> places = placesWithErrors();
  if (places.empty()) return filters->setPlace(tr("No errors at these thresholds"));
  const int here = placeOf(session.imageIndex());
  const auto after = std::upper_bound(places.begin(), places.end(), here);
  const auto before = std::lower_bound(places.begin(), places.end(), here);
  const bool wraps = by > 0 ? after == places.end() : before == places.begin();
  const int next =
      by > 0 ? (wraps ? places.front() : *after) : (wraps ? places.back() : *std::prev(before));
  if (next != here) showImageAt(next);
  chooseErrorFrom = by;
  chooseWaitingError();
  if (wraps)
    filters->setPlace(
        (by > 0 ? tr("From the first error again") : tr("From the last error again")) %
        QStringLiteral(" · ") % filters->place());
}

/// The first or last error of an image that moveErrorToImage() went to, once it is there.
void PredictionsView::Impl::chooseWaitingError() {
  if (chooseErrorFrom == 0 || !session.scene() || !session.decoded()) return;
  const int errors = errorsOfScene();
  if (errors > 0) choose(chooseErrorFrom > 0 ? 0 : errors - 1);
  chooseErrorFrom = 0;
}

/// A scene has its worst instances first, so the errors are first.
int PredictionsView::Impl::errorsOfScene() const {
  const auto& instances = session.scene()->instances;
  return static_cast<int>(std::ranges::count_if(
      instances, [](const CanvasScene::Instance& i) { return i.facts.isError(); }));
}

void PredictionsView::Impl::moveError(int by) {
  if (!session.scene()) return;
  const int errors = errorsOfScene();
  const int now = canvas()->pinned();
  const int next = now < 0 ? (by > 0 ? 0 : errors - 1) : now + by;
  if (next >= 0 && next < errors) return choose(next);
  moveErrorToImage(by);
}

}  // namespace lockstep::widgets
