#include "widgets/dataset_view/dataset_view.h"

#include <QComboBox>
#include <QEvent>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/banner.h"
#include "widgets/dataset_view/batch_sheets.h"
#include "widgets/dataset_view/dataset_view_impl.h"
#include "widgets/dataset_view/fact_charts.h"
#include "widgets/dataset_view/findings_panel.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/named_action.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kZoomStep = 1.25;
/// Initial width of the panel: the second is scaled with the font, and the larger one is used.
constexpr int kPanelPx = 400, kRoomyPanelPx = 344;

}  // namespace

DatasetView::DatasetView(QWidget* parent) : QWidget(parent), impl_(std::make_unique<Impl>()) {
  setAccessibleName(tr("Data"));
  buildUi();
  connectSignals();
  addNamedActions();
  impl_->showPart();
}

DatasetView::~DatasetView() = default;

void DatasetView::buildUi() {
  Impl& impl = *impl_;
  impl.empty = new EmptyState;
  impl.sources = new QComboBox;
  impl.sources->setAccessibleName(tr("Dataset shown"));
  impl.sources->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  impl.batches = new BatchSheets;
  impl.page = new QSplitter(Qt::Horizontal);
  impl.page->setChildrenCollapsible(false);
  impl.page->setHandleWidth(1);
  impl.page->setObjectName(QStringLiteral("dataSplit"));
  auto* side = new QWidget;
  impl.sides = new QStackedLayout(side);
  impl.sides->addWidget(impl.buildImageSide());
  impl.sides->addWidget(impl.batches);
  impl.page->addWidget(side);
  impl.page->addWidget(impl.buildPanel());
  impl.page->setStretchFactor(0, 1);
  impl.page->setStretchFactor(1, 0);
  impl.page->setSizes({1000, std::max(kPanelPx, scaledPx(kRoomyPanelPx))});
  auto* shown = new QWidget;
  impl.stack = new QStackedLayout(shown);
  impl.stack->addWidget(impl.empty);
  impl.stack->addWidget(impl.page);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(16, 8, 16, 0);
  impl.open = new QPushButton(tr("Open annotations…"));
  head->addWidget(impl.sources, 1);
  head->addStretch(1);
  head->addWidget(impl.open);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(shown, 1);
}

void DatasetView::connectSignals() {
  Impl* impl = impl_.get();
  connect(impl->empty, &EmptyState::actionTriggered, this, &DatasetView::emptyActionTriggered);
  connect(impl->open, &QPushButton::clicked, this, &DatasetView::fileRequested);
  connect(impl->sources, &QComboBox::activated, this, &DatasetView::sourceChosen);
  connect(impl->tabs, &QTabBar::currentChanged, this, [impl](int tab) { impl->showTab(tab); });
  connect(impl->batches, &BatchSheets::drawRequested, this, &DatasetView::batchesRequested);
  connect(impl->batches, &BatchSheets::cancelRequested, this, &DatasetView::batchesCanceled);
  connect(impl->strip, &ThumbnailStrip::chosen, this,
          [impl](int place) { impl->showImageAt(place); });
  connect(impl->strip, &ThumbnailStrip::ready, this, &DatasetView::emitReady);
  connect(impl->stage, &ImageStage::retryRequested, this, [impl] { impl->reloadImages(); });
  connect(impl->filter, &QToolButton::clicked, this, [impl] { impl->showAll(); });
  connect(impl->charts, &FactCharts::barChosen, this,
          [impl](const auto& bar, const QString& title) { impl->showBar(bar, title); });
  connect(impl->findings, &FindingsPanel::findingChosen, this,
          [impl](const dataset_check::Finding& finding) { impl->showFinding(finding); });
  connect(impl->findings, &FindingsPanel::checkRequested, this, &DatasetView::checkRequested);
  connect(impl->findings, &FindingsPanel::checkCanceled, this, &DatasetView::checkCanceled);
  connect(impl->findings, &FindingsPanel::cleaningRequested, this, &DatasetView::cleaningRequested);
  connect(&impl->session, &PredictionSession::imageDecoded, this, [this, impl] {
    impl->showDecoded();
    emitReady();
  });
  connect(&impl->session, &PredictionSession::sceneBuilt, this, [this, impl] {
    impl->stage->canvas()->setScene(impl->session.scene());
    emitReady();
  });
}

void DatasetView::addNamedActions() {
  Impl* impl = impl_.get();
  const auto add = [this](const char* id, const QString& text, const QList<QKeySequence>& keys,
                          const std::function<void()>& act) {
    addNamedAction(this, ActionPlace::Data, id, text, keys, act);
  };
  add("data.previous_image", tr("Previous image"), {Qt::Key_A}, [impl] { impl->moveImage(-1); });
  add("data.next_image", tr("Next image"), {Qt::Key_D}, [impl] { impl->moveImage(1); });
  add("data.next_fault", tr("Next error or warning"), {Qt::Key_N},
      [impl] { impl->findings->moveBy(1); });
  add("data.previous_fault", tr("Previous error or warning"), {Qt::SHIFT | Qt::Key_N},
      [impl] { impl->findings->moveBy(-1); });
  add("data.all_images", tr("Show all images"), {Qt::Key_Backspace}, [impl] { impl->showAll(); });
  add("data.open", tr("Open annotations…"), {}, [this] { Q_EMIT fileRequested(); });
  add("data.reread", tr("Reload what has changed on disk"), {Qt::Key_F5}, [this, impl] {
    impl->reloadImages();
    Q_EMIT rereadRequested();
  });
  add("data.check", tr("Check every image and annotation"), {}, [this, impl] {
    impl->tabs->setCurrentIndex(Findings);
    Q_EMIT checkRequested();
  });
  add("data.clean", tr("Export cleaned annotations…"), {}, [this, impl] {
    if (impl->findings->hasFaults()) return Q_EMIT cleaningRequested();
    impl->tabs->setCurrentIndex(Findings);
    setMessage(impl->findings->isChecked()
                   ? tr("There is nothing to fix: the check found no errors.")
                   : tr("Check every image and annotation first: cleaning fixes the errors that it "
                        "finds."));
  });
  add("data.draw_batches", tr("Draw training batches"), {Qt::Key_B}, [impl] {
    impl->tabs->setCurrentIndex(Batches);
    impl->batches->draw();
  });
  add("data.draw_other_batches", tr("Draw training batches of another seed"),
      {Qt::SHIFT | Qt::Key_B}, [impl] {
        impl->tabs->setCurrentIndex(Batches);
        impl->batches->drawNextSeed();
      });
  add("data.stop", tr("Cancel the running task"), {Qt::SHIFT | Qt::Key_Escape},
      [this] { Q_EMIT stopRequested(); });
  add("data.fit", tr("Fit image"), {Qt::Key_0, Qt::Key_R}, [impl] { impl->canvas()->fit(); });
  add("data.actual_size", tr("Actual size"), {Qt::Key_1},
      [impl] { impl->canvas()->zoomToActualSize(); });
  add("data.magnifier", tr("Magnifier at the pointer; arrow keys move it"), {Qt::Key_Z},
      [impl] { impl->canvas()->toggleMagnifier(); });
  add("data.zoom_in", tr("Zoom in"), {Qt::Key_Plus, Qt::Key_Equal},
      [impl] { impl->canvas()->zoomBy(kZoomStep); });
  add("data.zoom_out", tr("Zoom out"), {Qt::Key_Minus},
      [impl] { impl->canvas()->zoomBy(1 / kZoomStep); });
}

void DatasetView::setSources(const QStringList& names, int shown) {
  impl_->sources->clear();
  impl_->sources->addItems(names);
  impl_->sources->setCurrentIndex(shown);
  impl_->sources->setVisible(!names.isEmpty());
}

void DatasetView::setPart(std::shared_ptr<const dataset_check::CountedPart> part) {
  impl_->part = std::move(part);
  impl_->findings->clear();
  impl_->wasReady = false;
  impl_->showPart();
  emitReady();
}

void DatasetView::setFindings(const std::vector<dataset_check::Finding>& findings) {
  if (!impl_->part) return;
  impl_->findings->setFindings(findings, impl_->part->data.part);
  impl_->showFindingCount();
}

void DatasetView::setProgress(const QString& text) { impl_->findings->setProgress(text); }

BatchSheets* DatasetView::batches() const { return impl_->batches; }

void DatasetView::setEmptyText(const QString& title, const QString& cause, const QString& action) {
  impl_->empty->setContent(title, cause, action);
}

void DatasetView::setMessage(const QString& message) {
  if (message.isEmpty()) return impl_->banner->hide();
  impl_->banner->showMessage(Banner::Kind::Warning, message, {});
}

bool DatasetView::isReady() const {
  return !impl_->hasImages() ||
         (impl_->session.isIdle() && impl_->strip->isReady() && impl_->countedJob.isIdle() &&
          impl_->itemsJob.isIdle() && impl_->batches->isReady());
}

void DatasetView::emitReady() {
  if (impl_->wasReady || !isReady()) return;
  impl_->wasReady = true;
  Q_EMIT ready();
}

void DatasetView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) impl_->session.refreshScene();
  if (event->type() == QEvent::ActivationChange && isActiveWindow() && isVisible())
    impl_->reloadImages();
  QWidget::changeEvent(event);
}

}  // namespace lockstep::widgets
