#include "widgets/image_view/predictions_view.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "widgets/banner.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/image_view/layer_buttons.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_parts.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/instances/image_order.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kScoreStep = 5;  // hundredths
constexpr int kLeastPanelPx = 330;
constexpr double kZoomStep = 1.25;

}  // namespace

PredictionsView::PredictionsView(QWidget* parent)
    : QWidget(parent), parts_(std::make_unique<Parts>()) {
  buildUi();
  connectSignals();
  parts_->showPage();
}

PredictionsView::~PredictionsView() = default;

void PredictionsView::buildUi() {
  parts_->empty = new EmptyState;
  parts_->page = new QSplitter(Qt::Horizontal);
  parts_->page->setChildrenCollapsible(false);
  parts_->page->setHandleWidth(1);
  parts_->panel = new PredictionsPanel;
  setRole(parts_->panel, "panel");
  parts_->panel->setAttribute(Qt::WA_StyledBackground);
  // Scrolled by itself: in a low window the image, its buttons and the strip stay whole.
  parts_->panelSide = new QScrollArea;
  parts_->panelSide->setObjectName(QStringLiteral("predictionsPanel"));
  parts_->panelSide->setFrameShape(QFrame::NoFrame);
  parts_->panelSide->setFocusPolicy(Qt::NoFocus);
  parts_->panelSide->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  parts_->panelSide->setWidgetResizable(true);
  parts_->panelSide->setWidget(parts_->panel);
  parts_->panelSide->setMinimumWidth(kLeastPanelPx);
  parts_->page->addWidget(parts_->buildImageSide(this));
  parts_->page->addWidget(parts_->panelSide);
  parts_->page->setStretchFactor(0, 1);
  parts_->page->setStretchFactor(1, 0);
  parts_->page->setSizes({1000, 380});
  parts_->stack = new QStackedLayout(this);
  parts_->stack->addWidget(parts_->empty);
  parts_->stack->addWidget(parts_->page);
  setEmptyText(
      tr("No held-out images"),
      tr("Open a run or an experiment with dataset.val to see its images and predictions."), {});
}

void PredictionsView::connectSignals() {
  Parts* parts = parts_.get();
  connect(parts->empty, &EmptyState::actionTriggered, this, &PredictionsView::emptyActionTriggered);
  connect(parts->stage, &ImageStage::widthChanged, parts->layers, &LayerButtons::fitInto);
  connect(parts->layers, &LayerButtons::layersChanged, this,
          [parts] { parts->canvas()->setLayers(parts->layers->layers()); });
  connect(parts->strip, &ThumbnailStrip::chosen, this,
          [parts](int place) { parts->showImageAt(place); });
  connect(parts->strip, &ThumbnailStrip::ready, this, [this] { emitReady(); });
  for (QComboBox* combo : {parts->filter, parts->sort}) {
    connect(combo, &QComboBox::currentIndexChanged, this, [parts] { parts->rebuildOrder(); });
  }
  connect(parts->stage, &ImageStage::noticeActionTriggered, this,
          &PredictionsView::requestPrediction);
  connect(parts->canvas(), &ImageCanvas::instancePinned, this,
          [parts](int instance) { parts->panel->table()->showChosen(instance); });
  connect(parts->panel->table(), &InstanceTable::instanceChosen, this,
          [parts](int instance) { parts->choose(instance); });
  connect(parts->panel, &PredictionsPanel::checkpointChosen, this, [this, parts](qint64 step) {
    parts->setStep(step);
    Q_EMIT checkpointChosen(step);
  });
  connect(parts->panel, &PredictionsPanel::filterChanged, this, [this, parts] {
    parts->wasReady = false;
    parts->session.setThresholds(parts->panel->thresholds(), parts->panel->hidden());
    parts->showCounts();
    emitReady();
  });
  connectSession();
  addShortcuts();
}

void PredictionsView::connectSession() {
  Parts* parts = parts_.get();
  connect(&parts->session, &PredictionSession::imageDecoded, this, [this, parts] {
    parts->showDecoded();
    Q_EMIT imageShown(currentImage());
    emitReady();
  });
  connect(&parts->session, &PredictionSession::sceneBuilt, this, [this, parts] {
    parts->showScene();
    emitReady();
  });
  connect(&parts->session, &PredictionSession::analysed, this, [this, parts] {
    parts->rebuildOrder();
    parts->showCounts();
    emitReady();
  });
}

void PredictionsView::addShortcuts() {
  Parts* parts = parts_.get();
  const auto add = [this](std::initializer_list<QKeySequence> keys,
                          const std::function<void()>& action) {
    for (const QKeySequence& key : keys) {
      auto* shortcut = new QShortcut(key, this);
      shortcut->setContext(Qt::WidgetWithChildrenShortcut);
      connect(shortcut, &QShortcut::activated, this, action);
    }
  };
  add({Qt::Key_A, Qt::Key_Left}, [parts] { parts->moveImage(-1); });
  add({Qt::Key_D, Qt::Key_Right}, [parts] { parts->moveImage(1); });
  add({Qt::Key_Comma}, [parts] { parts->panel->stepCheckpoint(-1); });
  add({Qt::Key_Period}, [parts] { parts->panel->stepCheckpoint(1); });
  add({Qt::SHIFT | Qt::Key_Up}, [parts] { parts->panel->stepScore(kScoreStep); });
  add({Qt::SHIFT | Qt::Key_Down}, [parts] { parts->panel->stepScore(-kScoreStep); });
  add({Qt::Key_Up}, [parts] { parts->moveInstance(-1); });
  add({Qt::Key_Down}, [parts] { parts->moveInstance(1); });
  add({Qt::Key_N}, [parts] { parts->moveError(1); });
  add({Qt::SHIFT | Qt::Key_N}, [parts] { parts->moveError(-1); });
  add({Qt::Key_P}, [parts] { parts->choose(parts->canvas()->hovered()); });
  add({Qt::Key_0, Qt::Key_R}, [parts] { parts->canvas()->fit(); });
  add({Qt::Key_F}, [parts] { parts->toggleFullSize(); });
  add({Qt::Key_1}, [parts] { parts->canvas()->zoomToActualSize(); });
  add({Qt::Key_Plus, Qt::Key_Equal}, [parts] { parts->canvas()->zoomBy(kZoomStep); });
  add({Qt::Key_Minus}, [parts] { parts->canvas()->zoomBy(1.0 / kZoomStep); });
}

void PredictionsView::setDataset(std::shared_ptr<const coco::Dataset> dataset,
                                 const QString& imagesFolder) {
  Parts& parts = *parts_;
  parts.session.setDataset(std::move(dataset), imagesFolder);
  parts.wasReady = false;
  parts.panel->setDataset(parts.session.dataset().get());
  parts.session.setThresholds(parts.panel->thresholds(), parts.panel->hidden());
  parts.panel->showCheckpoints(parts.session.store(), 0);
  parts.panel->table()->setScene(nullptr);
  parts.canvas()->setScene(nullptr);
  parts.canvas()->setImage(nullptr);
  parts.order.clear();
  parts.rebuildOrder();
  parts.showPage();
  parts.showCounts();
  if (parts.hasImages()) parts.showImageAt(0);
  emitReady();
}

void PredictionsView::clear() { setDataset(nullptr, {}); }

void PredictionsView::setCheckpoints(const std::vector<qint64>& steps, std::set<qint64> kept) {
  parts_->session.store().setCheckpoints(steps, std::move(kept));
  parts_->chooseStep();
}

void PredictionsView::setAveragePrecisions(std::map<qint64, double> averagePrecisions) {
  parts_->session.store().setAveragePrecisions(std::move(averagePrecisions));
  parts_->panel->showCheckpoints(parts_->session.store(), currentCheckpoint());
}

void PredictionsView::setPredictions(qint64 step, std::vector<coco::Detection> detections,
                                     std::vector<ImageId> watched) {
  Parts& parts = *parts_;
  parts.session.store().add(step, std::move(detections), watched);
  if (step == currentCheckpoint()) {
    parts.wasReady = false;
    parts.session.refreshPredictions();
  }
  parts.chooseStep();
}

void PredictionsView::forgetAfter(qint64 step) {
  Parts& parts = *parts_;
  parts.session.store().forgetAfter(step);
  parts.session.refreshPredictions();
  parts.chooseStep();
}

void PredictionsView::setPredictionFailed(ImageId image, qint64 step, const QString& why) {
  parts_->session.store().setRequest(step, image, {PredictionStore::RequestState::Failed, why});
  parts_->showNotice();
}

void PredictionsView::setPredictionPossible(bool possible, const QString& reason) {
  parts_->canPredict = possible;
  parts_->whyNot = reason;
  parts_->showNotice();
}

void PredictionsView::setCurrentCheckpoint(qint64 step) { parts_->setStep(step); }

void PredictionsView::showImage(ImageId image) {
  Parts& parts = *parts_;
  if (!parts.hasImages()) return;
  const auto& images = parts.session.dataset()->images();
  const auto found = std::find_if(images.begin(), images.end(),
                                  [&](const coco::Image& i) { return i.id == image; });
  if (found == images.end()) return;
  const auto index = static_cast<std::size_t>(found - images.begin());
  if (parts.placeOf(index) < 0)
    parts.filter->setCurrentIndex(static_cast<int>(ImageOrder::Filter::All));
  parts.showImageAt(parts.placeOf(index));
}

bool PredictionsView::showSameImage(const coco::Image& image) {
  const Parts& parts = *parts_;
  if (!parts.hasImages()) return false;
  const auto& images = parts.session.dataset()->images();
  const bool hasImage = std::any_of(images.begin(), images.end(), [&](const coco::Image& i) {
    return i.id == image.id && i.fileName == image.fileName;
  });
  if (hasImage) showImage(image.id);
  return hasImage;
}

void PredictionsView::setEmptyText(const QString& title, const QString& cause,
                                   const QString& action) {
  parts_->empty->setContent(title, cause, action);
}

void PredictionsView::setMessage(const QString& message) {
  if (message.isEmpty()) return parts_->banner->hide();
  parts_->banner->showMessage(Banner::Kind::Warning, message, {});
}

bool PredictionsView::isReady() const {
  return !parts_->hasImages() ||
         (parts_->session.isIdle() && (parts_->strip->isHidden() || parts_->strip->isReady()));
}

void PredictionsView::emitReady() {
  if (parts_->wasReady || !isReady()) return;
  parts_->wasReady = true;
  Q_EMIT ready();
}

qint64 PredictionsView::currentCheckpoint() const { return parts_->session.step(); }

ImageId PredictionsView::currentImage() const {
  return parts_->hasImages() ? parts_->session.image().id : ImageId();
}

std::optional<coco::Image> PredictionsView::shownImage() const {
  return parts_->hasImages() ? std::optional(parts_->session.image()) : std::nullopt;
}

void PredictionsView::requestPrediction() {
  const ImageId image = currentImage();
  parts_->session.store().setRequest(currentCheckpoint(), image,
                                     {PredictionStore::RequestState::Waiting, {}});
  parts_->showNotice();
  Q_EMIT predictionRequested(image, currentCheckpoint());
}

void PredictionsView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::StyleChange) parts_->session.refreshScene();
  QWidget::changeEvent(event);
}

}  // namespace lockstep::widgets
