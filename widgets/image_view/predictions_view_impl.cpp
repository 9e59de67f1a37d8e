#include "widgets/image_view/predictions_view_impl.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/curves/number_text.h"
#include "widgets/elided_label.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/canvas_legend.h"
#include "widgets/image_view/crop_grid.h"
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

constexpr int kPrefetched = 3, kFactsPx = 190, kLowViewPx = 560, kSpacingPx = 8, kLowSpacingPx = 4,
              kMinColourByPx = 54;

}  // namespace

QGridLayout* PredictionsView::Impl::buildHeader(PredictionsView* view) {
  name = new ElidedLabel(Qt::ElideMiddle);
  setRole(name, "heading");
  facts = new ElidedLabel(Qt::ElideRight);
  facts->setFont(interfaceFont(11));
  setRole(facts, "muted");
  layers = new LayerButtons(view);
  header = new QGridLayout;
  header->setHorizontalSpacing(14);
  header->setVerticalSpacing(0);
  header->setColumnStretch(0, 1);
  header->addWidget(name, 0, 0);
  header->addWidget(layers, 0, 1);
  header->addWidget(facts, 1, 0, 1, 2);
  return header;
}

/// Beside the layers' buttons where there is room for the facts below the name, else across.
void PredictionsView::Impl::fitHeader(int widthPx) {
  layers->fitInto(widthPx);
  const bool isWide =
      widthPx - layers->sizeHint().width() - header->horizontalSpacing() >= scaledPx(kFactsPx);
  header->removeWidget(layers);
  header->removeWidget(facts);
  header->addWidget(layers, 0, 1, isWide ? 2 : 1, 1);
  header->addWidget(facts, 1, 0, 1, isWide ? 1 : 2);
}

/// Where height is short the image has it.
void PredictionsView::Impl::fitHeight(int heightPx) {
  const bool isLow = heightPx < scaledPx(kLowViewPx);
  imageSide->setSpacing(isLow ? kLowSpacingPx : kSpacingPx);
  strip->setCompact(isLow);
  noMatch->setFixedHeight(strip->sizeHint().height());
}

QWidget* PredictionsView::Impl::buildNoMatch() {
  noMatch = new QFrame;
  setRole(noMatch, "card");
  noMatchText = new QLabel;
  noMatchText->setWordWrap(true);
  auto* clear = new QPushButton(tr("Clear filters"));
  connect(clear, &QPushButton::clicked, filters, &ImageFilterBar::showAll);
  auto* row = new QHBoxLayout(noMatch);
  row->setContentsMargins(14, 6, 10, 6);
  row->addWidget(noMatchText, 1);
  row->addWidget(clear);
  noMatch->hide();
  return noMatch;
}

/// Or, where no image is left, how to get them back.
void PredictionsView::Impl::showStrip() {
  const bool isEmpty = hasImages() && order.empty();
  noMatchText->setText(tr("No image has: %1").arg(filters->filtersText()));
  strip->setVisible(!isMaximized && !isEmpty && !areCropsShown());
  noMatch->setVisible(!isMaximized && isEmpty && !areCropsShown());
}

/// How instances are drawn, and the pixel under the pointer.
QWidget* PredictionsView::Impl::buildKey() {
  colourBy = new QComboBox;
  for (const ColourBy by : kColourModes) colourBy->addItem(colourModeName(by));
  colourBy->setAccessibleName(tr("Colours of the instances"));
  colourBy->setMinimumWidth(scaledPx(kMinColourByPx));
  legend = new CanvasLegend;
  pixel = new QLabel;
  pixel->setFont(monoFont(11));
  pixel->setAccessibleName(tr("Pixel under the pointer"));
  setRole(pixel, "muted");
  auto* key = new QWidget;
  auto* row = new QHBoxLayout(key);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(cropsShown);
  row->addWidget(colourBy);
  row->addWidget(legend, 1);
  row->addWidget(pixel);
  return key;
}

QWidget* PredictionsView::Impl::buildImageSide(PredictionsView* view) {
  auto* side = new QWidget;
  filters = new ImageFilterBar;
  strip = new ThumbnailStrip;
  imageSide = new QVBoxLayout(side);
  imageSide->setContentsMargins(16, 10, 16, 6);
  imageSide->addLayout(buildHeader(view));
  imageSide->addWidget(buildStages(view), 1);
  imageSide->addWidget(buildKey());
  imageSide->addWidget(filters);
  imageSide->addWidget(strip);
  imageSide->addWidget(buildNoMatch());
  fitHeight(view->height());
  return side;
}

void PredictionsView::Impl::showPage() {
  stack->setCurrentWidget(hasImages() ? static_cast<QWidget*>(page) : empty);
}

void PredictionsView::Impl::setStep(qint64 step) {
  const bool isOther = step != session.step();
  if (isOther) wasReady = false;
  session.setStep(step);
  if (isOther) dropCrops();
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
  isMaximized = !isMaximized;
  sideTabs->setVisible(!isMaximized);
  filters->setVisible(!isMaximized);
  showStrip();
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
  panel->showImageCounts(session.analysis(), session.image().id);
  showHistory();
}

void PredictionsView::Impl::moveImage(int by) {
  if (areCropsShown()) return crops->moveBy(by);
  askedInstance.reset();
  const int at = placeOf(session.imageIndex());
  showImageAt(std::clamp(at + by, 0, std::max(0, static_cast<int>(order.size()) - 1)));
}

void PredictionsView::Impl::showDecoded() {
  const auto decoded = session.decoded();
  canvas()->setImage(decoded);
  if (decoded && !decoded->failure.isEmpty()) {
    const QString path = session.pathOf(session.imageIndex());
    const QString cause = path.isEmpty() ? tr("Its file name points outside the image folder.")
                                         : path % QStringLiteral(": ") % decoded->failure;
    stage->setProblem(
        tr("%1 cannot be shown").arg(QString::fromStdString(session.image().fileName)),
        named ? named(cause) : cause);
  } else {
    stage->setProblem({}, {});
  }
  chooseWaitingError();
  chooseAsked();
  showNotice();
}

/// Those that have changed on the disk, or could not be shown.
void PredictionsView::Impl::reloadImages() {
  wasReady = false;
  strip->reload();
  if (areCropsShown()) crops->reload();
  session.reloadImages();
}

void PredictionsView::Impl::showScene() {
  if (canvas()->scene() != session.scene()) {
    canvas()->setScene(session.scene());
    panel->table()->setScene(session.scene());
  }
  panel->table()->showChosen(canvas()->pinned());
  showLegend();
  chooseWaitingError();
  chooseAsked();
  showNotice();
}

void PredictionsView::Impl::showFacts() {
  if (areCropsShown()) return showCropFacts();
  const coco::Image& image = session.image();
  const auto objects = session.dataset()->annotationsOf(session.imageIndex()).size();
  name->setText(QString::fromStdString(image.fileName));
  const QString count = !session.rules().hasTruth
                            ? tr("not annotated")
                            : tr("%Ln object(s)", "", static_cast<int>(objects));
  facts->setText(count % tr(" · %1 × %2 px").arg(image.width).arg(image.height));
  const std::size_t all = session.dataset()->images().size();
  const auto text = [](std::size_t number) { return countText(static_cast<qint64>(number)); };
  const int at = placeOf(session.imageIndex());
  if (order.empty())
    return filters->setPlace(tr("0 of %Ln image(s) match", "", static_cast<int>(all)));
  if (at < 0)
    return filters->setPlace(tr("filtered out; %1 of %2 match").arg(text(order.size()), text(all)));
  const QString place = tr("%1 of %2").arg(countText(at + 1), text(order.size()));
  filters->setPlace(order.size() == all
                        ? place
                        : tr("%1, of %Ln image(s)", "", static_cast<int>(all)).arg(place));
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
  if (!resultsName.isEmpty())
    return stage->setNotice(tr("%1 has no results for this image").arg(resultsName));
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

void PredictionsView::Impl::showCounts() {
  panel->showCounts(session.analysis(),
                    hasImages() ? std::optional(session.image().id) : std::nullopt);
  showAp();
  showAllImages();
}

void PredictionsView::Impl::showAp() { panel->showAp(session.shownAp()); }

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
  cropsShown->setChecked(false);
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
  if (areCropsShown()) return crops->moveRows(by);
  choose(panel->table()->neighbour(canvas()->pinned(), by));
}

}  // namespace lockstep::widgets
