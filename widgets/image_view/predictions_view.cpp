#include "widgets/image_view/predictions_view.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "widgets/banner.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/canvas_legend.h"
#include "widgets/image_view/checkpoint_curve.h"
#include "widgets/image_view/class_table.h"
#include "widgets/image_view/crop_grid.h"
#include "widgets/image_view/explain_panel.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_history_table.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/image_view/layer_buttons.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_view_impl.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/instances/image_order.h"
#include "widgets/move_keys.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kMinPanelPx = 235;
/// Initial width of the panel: the second is scaled with the font, and the larger one is used.
constexpr int kPanelPx = 380, kRoomyPanelPx = 344;
constexpr int kSettledMs = 200;
const QString kPanelKey = QStringLiteral("panel"), kFiltersKey = QStringLiteral("filters"),
              kColoursKey = QStringLiteral("colours");

}  // namespace

PredictionsView::PredictionsView(QWidget* parent)
    : QWidget(parent), impl_(std::make_unique<Impl>()) {
  setAccessibleName(tr("Predictions"));
  buildUi();
  connectSignals();
  impl_->showPage();
}

PredictionsView::~PredictionsView() = default;

void PredictionsView::buildUi() {
  impl_->empty = new EmptyState;
  impl_->page = new QSplitter(Qt::Horizontal);
  impl_->page->setChildrenCollapsible(false);
  impl_->page->setHandleWidth(1);
  impl_->page->setObjectName(QStringLiteral("predictionsSplit"));
  impl_->panel = new PredictionsPanel;
  setRole(impl_->panel, "panel");
  impl_->panel->setMinimumWidth(scaledPx(kMinPanelPx));
  impl_->page->addWidget(impl_->buildImageSide(this));
  impl_->page->addWidget(impl_->buildSideTabs(this));
  impl_->page->setStretchFactor(0, 1);
  impl_->page->setStretchFactor(1, 0);
  impl_->page->setSizes({1000, std::max(kPanelPx, scaledPx(kRoomyPanelPx))});
  impl_->banner = new Banner;
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(impl_->banner);
  impl_->stack = new QStackedLayout;
  column->addLayout(impl_->stack, 1);
  impl_->stack->addWidget(impl_->empty);
  impl_->stack->addWidget(impl_->page);
  setEmptyText(
      tr("No validation images"),
      tr("Open a run or an experiment with dataset.val to see its images and predictions."), {});
}

void PredictionsView::connectSignals() {
  Impl* impl = impl_.get();
  connect(impl->stage, &ImageStage::widthChanged, this,
          [impl](int widthPx) { impl->fitHeader(widthPx); });
  connect(impl->layers, &LayerButtons::layersChanged, this, [impl] { impl->showLayers(); });
  connect(impl->colourBy, &QComboBox::currentIndexChanged, this, [this, impl](int mode) {
    impl->session.setColourBy(static_cast<ColourBy>(mode));
    Q_EMIT viewStateChanged();
  });
  connect(impl->canvas(), &ImageCanvas::pixelPointedAt, this,
          [impl](std::optional<QPoint> pixel) { impl->showPixel(pixel); });
  connect(impl->strip, &ThumbnailStrip::chosen, this, [impl](int place) {
    impl->askedInstance.reset();
    impl->showImageAt(place);
  });
  connect(impl->strip, &ThumbnailStrip::ready, this, [this] { emitReady(); });
  connect(impl->canvas(), &ImageCanvas::ready, this, [this] { emitReady(); });
  connect(impl->stage, &ImageStage::noticeActionTriggered, this, [impl] { impl->noticeAction(); });
  connect(impl->stage, &ImageStage::retryRequested, this, [impl] { impl->reloadImages(); });
  impl->goTo = [this, impl](qint64 step) {
    impl->setStep(step);
    Q_EMIT checkpointChosen(step);
  };
  impl->predict = [this] { requestPrediction(); };
  impl->announceReady = [this] { emitReady(); };
  connect(impl->canvas(), &ImageCanvas::instancePinned, this, [this, impl](int instance) {
    impl->panel->table()->showChosen(instance);
    impl->showChosenExplained();
    Q_EMIT choiceChanged();
  });
  connect(impl->panel->table(), &InstanceTable::instanceChosen, this,
          [impl](int instance) { impl->choose(instance); });
  connect(impl->panel, &PredictionsPanel::checkpointChosen, this, impl->goTo);
  connect(impl->panel, &PredictionsPanel::allImagesClicked, this,
          &PredictionsView::toggleAllImages);
  connect(impl->panel, &PredictionsPanel::filterChanged, this, [this, impl] {
    impl->wasReady = false;
    impl->session.setThresholds(impl->panel->thresholds(), impl->panel->hidden());
    impl->explain->setScoreThreshold(impl->panel->thresholds().score);
    if (impl->session.isAnalysed()) impl->showCounts();  // else when it is
    impl->showHistory();
    emitReady();
    Q_EMIT viewStateChanged();
  });
  connectMessages();
  connectClasses();
  impl->panel->history()->installEventFilter(this);
  impl->panel->classTable()->installEventFilter(this);
  for (QComboBox* combo : findChildren<QComboBox*>()) combo->installEventFilter(this);
  impl->explain->steps()->installEventFilter(this);
  connectSession();
  connectExplanation();
  addNamedActions();
}

/// What is said in the place of the page or above it, and which images it shows.
void PredictionsView::connectMessages() {
  Impl* impl = impl_.get();
  connect(impl->empty, &EmptyState::actionTriggered, this, &PredictionsView::emptyActionTriggered);
  connect(impl->empty, &EmptyState::otherActionTriggered, this,
          &PredictionsView::emptyOtherActionTriggered);
  connect(impl->banner, &Banner::actionTriggered, this, &PredictionsView::messageActionTriggered);
  connect(impl->filters, &ImageFilterBar::partCloseClicked, this,
          &PredictionsView::partCloseClicked);
  connect(impl->filters, &ImageFilterBar::partChosen, this, &PredictionsView::partChosen);
  connect(impl->filters, &ImageFilterBar::orderChanged, this, [this, impl] {
    impl->panel->classTable()->showChosen(impl->filters->order().category);
    impl->rebuildOrder();
    impl->awaitOtherErrorFigures();
    impl->showMarks();
    emitReady();
    Q_EMIT viewStateChanged();
  });
}

void PredictionsView::connectClasses() {
  Impl* impl = impl_.get();
  const ClassTable* classes = impl->panel->classTable();
  connect(classes->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
          &PredictionsView::viewStateChanged);
  connect(classes, &ClassTable::classChosen, impl->filters, &ImageFilterBar::setClass);
  connect(classes, &ClassTable::falsePositivesChosen, this,
          [impl](CategoryId category) { impl->showErrorsOf(category, false); });
  connect(classes, &ClassTable::missedChosen, this,
          [impl](CategoryId category) { impl->showErrorsOf(category, true); });
  impl->errorFiguresTimer.setSingleShot(true);
  impl->errorFiguresTimer.setInterval(kSettledMs);
  connect(&impl->errorFiguresTimer, &QTimer::timeout, this, [impl] { impl->findErrorFigures(); });
}

/// Up and Down move in what has the focus, where they have a meaning, before they are keys of the
/// page.
bool PredictionsView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isMove = key->key() == Qt::Key_Up || key->key() == Qt::Key_Down;
    if (isMove && isUnmodified(*key)) event->accept();
  }
  return QWidget::eventFilter(watched, event);
}

void PredictionsView::connectSession() {
  Impl* impl = impl_.get();
  connect(&impl->session, &PredictionSession::imageDecoded, this, [this, impl] {
    impl->showDecoded();
    Q_EMIT imageShown(currentImage());
    emitReady();
  });
  connect(&impl->session, &PredictionSession::sceneBuilt, this, [this, impl] {
    impl->showScene();
    impl->showChosenExplained();
    Q_EMIT choiceChanged();
    emitReady();
  });
  connect(&impl->session, &PredictionSession::analysed, this, [this, impl] {
    impl->rebuildOrder();
    if (impl->crops->count() == 0) impl->findCrops();  // which wait for it, or are others now
    impl->showCounts();
    emitReady();
  });
  connect(&impl->session, &PredictionSession::historyFound, this, [this, impl] {
    impl->showHistory();
    emitReady();
  });
  connect(&impl->session, &PredictionSession::figuresChanged, this, [this, impl] {
    impl->panel->classTable()->setFigures(impl->session.figures().classes);
    impl->awaitErrorFigures();
    impl->showMarks();
    emitReady();
  });
  connect(&impl->session, &PredictionSession::shownApChanged, this, [this, impl] {
    impl->showAp();
    emitReady();
  });
}

void PredictionsView::setBringImage(const BringImage& bring, const QString& copies,
                                    const std::function<QString(const QString&)>& named) {
  impl_->session.setBring(bring, copies);
  impl_->strip->setBring(bring);
  impl_->crops->setBring(bring);
  impl_->named = named;
}

void PredictionsView::setDataset(std::shared_ptr<const coco::Dataset> dataset,
                                 const QString& imagesFolder, const MatchRules& rules) {
  Impl& impl = *impl_;
  impl.allImages.clear();
  impl.resultsName.clear();
  impl.panel->setResultsName({});
  impl.losses.clear();
  impl.filters->setHasLosses(false);
  impl.forgetErrors();
  impl.vanished.reset();
  impl.session.setDataset(std::move(dataset), imagesFolder, rules);
  impl.wasReady = false;
  const coco::Dataset* shown = impl.session.dataset().get();
  impl.panel->setDataset(shown, rules);
  impl.filters->setClasses(shown ? shown->categories() : std::vector<coco::Category>());
  impl.explain->setClasses(shown ? shown->categories() : std::vector<coco::Category>());
  impl.panel->classTable()->showChosen(impl.filters->order().category);
  impl.session.setThresholds(impl.panel->thresholds(), impl.panel->hidden());
  impl.panel->showCheckpoints(impl.session.store(), 0);
  impl.panel->table()->setScene(nullptr);
  impl.showHistory();
  impl.canvas()->setScene(nullptr);
  impl.canvas()->setImage(nullptr);
  impl.order.clear();
  impl.crops->setInstances({}, nullptr, {});
  // Until an order that takes longer is there.
  if (impl.hasImages()) impl.showOrder(orderedImages(*impl.session.dataset(), nullptr, {}));
  impl.rebuildOrder();
  impl.showPage();
  impl.showCounts();
  impl.showMarks();
  if (impl.hasImages()) impl.showImageAt(0);
  impl.showSubject();
  emitReady();
}

void PredictionsView::clear() {
  impl_->askedInstance.reset();
  setDataset(nullptr, {});
}

void PredictionsView::setCheckpoints(const std::vector<qint64>& steps, std::set<qint64> kept) {
  impl_->session.store().setCheckpoints(steps, std::move(kept));
  impl_->chooseStep();
}

void PredictionsView::setVanished(std::optional<qint64> step) {
  impl_->vanished = step;
  impl_->showNotice();
}

void PredictionsView::setParts(const QStringList& names, int current, bool canClose) {
  impl_->filters->setParts(names, current, canClose);
}

void PredictionsView::setAveragePrecisions(std::map<qint64, double> averagePrecisions) {
  impl_->session.store().setAveragePrecisions(std::move(averagePrecisions));
  impl_->panel->showCheckpoints(impl_->session.store(), currentCheckpoint());
}

void PredictionsView::setHeldOutCurves(const std::map<qint64, double>& losses,
                                       const std::map<qint64, double>& averagePrecisions) {
  impl_->panel->checkpointCurve()->setCurves(losses, averagePrecisions);
}

void PredictionsView::setImageLosses(qint64 step, ImageLosses losses) {
  impl_->losses[step] = std::make_shared<const ImageLosses>(std::move(losses));
  impl_->filters->setHasLosses(true);
  impl_->showHistory();
  if (step == currentCheckpoint() && impl_->isInOrderOfLosses()) {
    impl_->rebuildOrder();
    impl_->showMarks();
  }
}

void PredictionsView::setPredictions(qint64 step, std::vector<coco::Detection> detections,
                                     std::vector<ImageId> imageIds) {
  impl_->session.store().add(step, std::move(detections), imageIds);
  impl_->showPredictions(step);
}

void PredictionsView::setPredictions(qint64 step,
                                     const std::shared_ptr<const coco::ResultsByImage>& file) {
  impl_->session.store().add(step, file);
  impl_->showPredictions(step);
}

void PredictionsView::setResults(const QString& name, const PredictionStore::ByImage& predictions) {
  constexpr qint64 kNoStep = 0;
  impl_->resultsName = name;
  impl_->panel->setResultsName(name);
  impl_->session.store().add(kNoStep, predictions);
  setCheckpoints({kNoStep}, {});
  setHeldOutCurves({}, {});
  impl_->showPredictions(kNoStep);
}

void PredictionsView::setAllImagesProgress(qint64 step, qint64 done, qint64 of) {
  impl_->allImages[step] = {done, of};
  if (step == currentCheckpoint()) impl_->showAllImages();
}

void PredictionsView::endAllImages(qint64 step) {
  impl_->allImages.erase(step);
  if (step == currentCheckpoint()) impl_->showCounts();
}

/// Asks for them, or cancels that.
void PredictionsView::toggleAllImages() {
  const qint64 step = currentCheckpoint();
  if (impl_->allImages.contains(step)) return Q_EMIT allImagesCanceled(step);
  if (impl_->hasImages() && !impl_->canPredict) return setMessage(impl_->whyNotPredicted());
  if (impl_->hasImages() && !impl_->session.store().isKept(step))
    return setMessage(tr("The checkpoint of step %1 is gone: choose another step.").arg(step));
  requestAllImages();
}

void PredictionsView::requestAllImages() {
  const qint64 step = currentCheckpoint();
  if (impl_->allImages.contains(step)) return;
  if (!impl_->hasImages() || !impl_->canPredict || !impl_->session.store().isKept(step)) return;
  setAllImagesProgress(step, 0, static_cast<qint64>(impl_->session.dataset()->images().size()));
  Q_EMIT allImagesRequested(step);
}

std::vector<coco::Image> PredictionsView::unpredictedImages(qint64 step) const {
  std::vector<coco::Image> images;
  if (impl_->hasImages()) images = impl_->session.dataset()->images();
  const PredictionStore& store = impl_->session.store();
  std::erase_if(images, [&](const coco::Image& image) { return store.find(step, image.id); });
  return images;
}

void PredictionsView::forgetAfter(qint64 step) {
  Impl& impl = *impl_;
  std::erase_if(impl.allImages, [step](const auto& of) { return of.first > step; });
  impl.session.store().forgetAfter(step);
  impl.losses.erase(impl.losses.upper_bound(step), impl.losses.end());
  impl.session.refreshPredictions();
  impl.session.refreshHistory();
  impl.chooseStep();
}

void PredictionsView::setPredictionFailed(ImageId image, qint64 step, const QString& error) {
  impl_->session.store().setRequest(step, image, {PredictionStore::RequestState::Failed, error});
  impl_->showNotice();
}

void PredictionsView::setPredictionPossible(bool possible, const QString& reason) {
  impl_->canPredict = possible;
  impl_->unavailableReason = reason;
  impl_->showNotice();
  impl_->showAllImages();
}

void PredictionsView::setCurrentCheckpoint(qint64 step) { impl_->setStep(step); }

void PredictionsView::showImage(ImageId image) {
  Impl& impl = *impl_;
  if (!impl.hasImages()) return;
  const auto& images = impl.session.dataset()->images();
  const auto found = std::find_if(images.begin(), images.end(),
                                  [&](const coco::Image& i) { return i.id == image; });
  if (found == images.end()) return;
  const auto index = static_cast<std::size_t>(found - images.begin());
  if (impl.placeOf(index) < 0) impl.filters->showAll();
  impl.showImageAt(impl.placeOf(index));
}

bool PredictionsView::showSameImage(const coco::Image& image) {
  const Impl& impl = *impl_;
  if (!impl.hasImages()) return false;
  const auto& images = impl.session.dataset()->images();
  const bool hasImage = std::any_of(images.begin(), images.end(), [&](const coco::Image& i) {
    return i.id == image.id && i.fileName == image.fileName;
  });
  if (hasImage) showImage(image.id);
  return hasImage;
}

void PredictionsView::setEmptyText(const QString& title, const QString& cause,
                                   const QString& action, const QString& otherAction) {
  impl_->empty->setContent(title, cause, action, otherAction);
}

void PredictionsView::setMessage(const QString& message, const QString& detail,
                                 const QString& action) {
  if (message.isEmpty()) return impl_->banner->hide();
  impl_->banner->showMessage(Banner::Kind::Warning, message, detail, action);
}

bool PredictionsView::isReady() const {
  return !impl_->hasImages() ||
         (impl_->session.isIdle() && impl_->orderJob.isIdle() && impl_->errorJob.isIdle() &&
          impl_->cropsJob.isIdle() && (!impl_->areCropsShown() || impl_->crops->isReady()) &&
          impl_->canvas()->isReady() && (impl_->strip->isHidden() || impl_->strip->isReady()));
}

void PredictionsView::emitReady() {
  if (impl_->wasReady || !isReady()) return;
  impl_->wasReady = true;
  Q_EMIT ready();
}

qint64 PredictionsView::currentCheckpoint() const { return impl_->session.step(); }

ImageId PredictionsView::currentImage() const {
  return impl_->hasImages() ? impl_->session.image().id : ImageId();
}

std::optional<PredictionsView::ChosenInstance> PredictionsView::chosenInstance() const {
  const auto scene = impl_->session.scene();
  const int pinned = impl_->canvas()->pinned();
  if (!scene || pinned < 0 || pinned >= static_cast<int>(scene->instances.size()))
    return std::nullopt;
  const CanvasScene::Instance& instance = scene->instances[static_cast<std::size_t>(pinned)];
  return ChosenInstance{instance.facts, instance.className, instance.objectName,
                        instance.whyMissed};
}

std::optional<coco::Image> PredictionsView::shownImage() const {
  return impl_->hasImages() ? std::optional(impl_->session.image()) : std::nullopt;
}

QVariantMap PredictionsView::viewState() const {
  return {{kPanelKey, impl_->panel->viewState()},
          {kFiltersKey, impl_->filters->viewState()},
          {kColoursKey, impl_->colourBy->currentIndex()}};
}

void PredictionsView::restoreViewState(const QVariantMap& state) {
  if (state.isEmpty()) return;
  impl_->filters->restoreViewState(state.value(kFiltersKey).toMap());
  impl_->panel->restoreViewState(state.value(kPanelKey).toMap());
  impl_->colourBy->setCurrentIndex(
      std::clamp(state.value(kColoursKey).toInt(), 0, impl_->colourBy->count() - 1));
}

void PredictionsView::requestPrediction() {
  const ImageId image = currentImage();
  impl_->session.store().setRequest(currentCheckpoint(), image,
                                    {PredictionStore::RequestState::Waiting, {}});
  impl_->showNotice();
  Q_EMIT predictionRequested(image, currentCheckpoint());
}

void PredictionsView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    impl_->session.refreshScene();
    impl_->explain->refresh();
  }
  if (event->type() == QEvent::ActivationChange && isActiveWindow() && isVisible())
    impl_->reloadImages();
  QWidget::changeEvent(event);
}

void PredictionsView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  impl_->fitHeight(height());
}

}  // namespace lockstep::widgets
