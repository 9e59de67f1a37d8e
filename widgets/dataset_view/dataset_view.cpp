#include "widgets/dataset_view/dataset_view.h"

#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "widgets/banner.h"
#include "widgets/dataset_view/batch_sheets.h"
#include "widgets/dataset_view/fact_charts.h"
#include "widgets/dataset_view/findings_panel.h"
#include "widgets/elided_label.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/jobs/latest_job.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kMinPanelPx = 344, kPrefetched = 3;
constexpr double kZoomStep = 1.25;

/// What the strip shows of these images.
std::vector<ThumbnailStrip::Item> itemsOf(const dataset_check::CountedPart& part,
                                          const std::vector<std::size_t>& images) {
  const QDir folder(QString::fromStdString(part.data.images.string()));
  std::vector<ThumbnailStrip::Item> items;
  items.reserve(images.size());
  for (const std::size_t index : images) {
    const coco::Image& image = part.data.image(index);
    QString name = QString::fromStdString(image.fileName);
    items.push_back({folder.filePath(name), QSize(image.width, image.height), name});
  }
  return items;
}

std::vector<std::size_t> placesOf(const std::vector<dataset_check::CountedImage>& images) {
  std::vector<std::size_t> places;
  for (const dataset_check::CountedImage& image : images) places.push_back(image.image);
  return places;
}

enum Tab { Charts, Findings, Batches };

}  // namespace

/// The widgets of the page, and which images of the part are shown.
struct DatasetView::Impl {
  PredictionSession session;  ///< without predictions
  std::shared_ptr<const dataset_check::CountedPart> part;
  std::vector<std::size_t> order;                          ///< images of the strip
  std::map<std::size_t, std::vector<std::size_t>> chosen;  ///< objects that stand out, by image
  std::optional<QRectF> boxToShow;                         ///< once its image is there
  QString findingText;                                     ///< of the shown image; empty: none
  bool wasReady = true;
  /// The images that a bar counts, with what the strip shows of them.
  struct CountedImages {
    std::vector<dataset_check::CountedImage> images;
    std::vector<ThumbnailStrip::Item> items;
  };
  jobs::LatestJob<CountedImages> countedJob{
      [this](const CountedImages& counted) { showCounted(counted); }};

  QStackedLayout* stack = nullptr;
  EmptyState* empty = nullptr;
  QSplitter* page = nullptr;
  Banner* banner = nullptr;
  QLabel* name = nullptr;
  QLabel* facts = nullptr;
  ImageStage* stage = nullptr;
  QToolButton* filter = nullptr;  ///< what the images are chosen by; ends the choice
  QLabel* place = nullptr;
  ThumbnailStrip* strip = nullptr;
  QComboBox* sources = nullptr;
  QPushButton* open = nullptr;
  QLabel* summary = nullptr;
  QTabBar* tabs = nullptr;
  QStackedLayout* panels = nullptr;
  QScrollArea* chartScroll = nullptr;
  FactCharts* charts = nullptr;
  FindingsPanel* findings = nullptr;
  QStackedLayout* sides = nullptr;  ///< images, or sheets of batches
  BatchSheets* batches = nullptr;

  QWidget* buildImageSide();
  QWidget* buildPanel();
  bool hasImages() const { return part && part->facts.images > 0; }
  void showPart();
  void showOrder(std::vector<std::size_t> images, std::vector<ThumbnailStrip::Item> items);
  void showAll();
  void listAll();
  void showImageAt(int place);
  void moveImage(int by);
  void showBar(const std::optional<dataset_check::FactBar>& bar, const QString& title);
  void showCounted(const CountedImages& counted);
  void showTab(int tab);
  ImageCanvas* canvas() const;
  void showFinding(const dataset_check::Finding& finding);
  void showObject(std::size_t image, std::size_t object);
  void showDecoded();
  void showFacts();
  void showFindingCount();
};

DatasetView::DatasetView(QWidget* parent) : QWidget(parent), impl_(std::make_unique<Impl>()) {
  setAccessibleName(tr("Data"));
  buildUi();
  connectSignals();
  addNamedActions();
  impl_->showPart();
}

DatasetView::~DatasetView() = default;

QWidget* DatasetView::Impl::buildImageSide() {
  name = new ElidedLabel(Qt::ElideMiddle);
  setRole(name, "heading");
  facts = new ElidedLabel(Qt::ElideRight);
  setRole(facts, "muted");
  auto* header = new QHBoxLayout;
  header->setSpacing(14);
  header->addWidget(name);
  header->addWidget(facts, 1);
  stage = new ImageStage;
  filter = new QToolButton;
  filter->setToolTip(tr("Show all images"));
  filter->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  filter->hide();
  place = new QLabel;
  setRole(place, "muted");
  auto* choice = new QHBoxLayout;
  choice->addWidget(filter, 1);
  choice->addStretch();
  choice->addWidget(place);
  strip = new ThumbnailStrip;
  banner = new Banner;

  auto* side = new QWidget;
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(16, 10, 16, 6);
  column->setSpacing(8);
  column->addWidget(banner);
  column->addLayout(header);
  column->addWidget(stage, 1);
  column->addLayout(choice);
  column->addWidget(strip);
  return side;
}

QWidget* DatasetView::Impl::buildPanel() {
  summary = new QLabel;
  summary->setWordWrap(true);
  summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setRole(summary, "muted");
  tabs = new QTabBar;
  tabs->setDrawBase(false);
  tabs->setExpanding(false);
  tabs->addTab(tr("Counts"));
  tabs->addTab(tr("Faults"));
  tabs->addTab(tr("Batches"));
  tabs->setAccessibleName(tr("What is shown of the data"));
  charts = new FactCharts;
  chartScroll = new QScrollArea;
  chartScroll->setFrameShape(QFrame::NoFrame);
  chartScroll->setFocusPolicy(Qt::NoFocus);
  chartScroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  chartScroll->setWidgetResizable(true);
  chartScroll->setWidget(charts);
  findings = new FindingsPanel;

  auto* panel = new QWidget;
  setRole(panel, "panel");
  setRole(charts, "panel");
  panel->setMinimumWidth(scaledPx(kMinPanelPx));
  auto* shown = new QWidget;
  panels = new QStackedLayout(shown);
  panels->addWidget(chartScroll);
  panels->addWidget(findings);
  panels->addWidget(batches->panel());
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(16, 10, 8, 8);
  column->setSpacing(8);
  column->addWidget(summary);
  column->addWidget(tabs);
  column->addWidget(shown, 1);
  return panel;
}

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
  impl.page->setSizes({1000, 400});
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
  add("data.next_fault", tr("Next fault"), {Qt::Key_N}, [impl] { impl->findings->moveBy(1); });
  add("data.previous_fault", tr("Previous fault"), {Qt::SHIFT | Qt::Key_N},
      [impl] { impl->findings->moveBy(-1); });
  add("data.all_images", tr("Show all images"), {Qt::Key_Backspace}, [impl] { impl->showAll(); });
  add("data.open", tr("Open annotations…"), {}, [this] { Q_EMIT fileRequested(); });
  add("data.check", tr("Check every image and annotation"), {},
      [this] { Q_EMIT checkRequested(); });
  add("data.clean", tr("Export cleaned annotations…"), {}, [this, impl] {
    if (impl->findings->faultCount() > 0) Q_EMIT cleaningRequested();
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
  add("data.stop", tr("Stop what is going on"), {Qt::SHIFT | Qt::Key_Escape},
      [this] { Q_EMIT stopRequested(); });
  add("data.fit", tr("Fit image"), {Qt::Key_0, Qt::Key_R}, [impl] { impl->canvas()->fit(); });
  add("data.actual_size", tr("Actual size"), {Qt::Key_1},
      [impl] { impl->canvas()->zoomToActualSize(); });
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

void DatasetView::setFindings(std::vector<dataset_check::Finding> findings) {
  impl_->findings->setFindings(std::move(findings));
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
  return !impl_->hasImages() || (impl_->session.isIdle() && impl_->strip->isReady() &&
                                 impl_->countedJob.isIdle() && impl_->batches->isReady());
}

void DatasetView::emitReady() {
  if (impl_->wasReady || !isReady()) return;
  impl_->wasReady = true;
  Q_EMIT ready();
}

void DatasetView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) impl_->session.refreshScene();
  QWidget::changeEvent(event);
}

void DatasetView::Impl::showPart() {
  stack->setCurrentWidget(hasImages() ? static_cast<QWidget*>(page) : empty);
  // Shares the part, of which the dataset is a member.
  const auto dataset =
      part ? std::shared_ptr<const coco::Dataset>(part, &part->data.dataset()) : nullptr;
  session.setDataset(dataset, part ? QString::fromStdString(part->data.images.string()) : QString(),
                     {});
  order.clear();
  chosen.clear();
  countedJob.cancel();
  stage->canvas()->setScene(nullptr);
  stage->canvas()->setImage(nullptr);
  charts->setPart(part.get());
  showFindingCount();
  if (!hasImages()) return;
  const dataset_check::PartFacts& counted = part->facts;
  QString text = tr("%1 images, %2 objects").arg(counted.images).arg(counted.objects);
  if (counted.crowds > 0) text += tr(", %1 crowd regions").arg(counted.crowds);
  if (counted.emptyImages > 0) text += tr(", %1 images without objects").arg(counted.emptyImages);
  summary->setText(text);
  showAll();
}

void DatasetView::Impl::showFindingCount() {
  tabs->setTabText(
      Findings, findings->isChecked() ? tr("Faults %1").arg(findings->faultCount()) : tr("Faults"));
}

void DatasetView::Impl::showTab(int tab) {
  panels->setCurrentIndex(tab);
  sides->setCurrentIndex(tab == Batches ? 1 : 0);
}

ImageCanvas* DatasetView::Impl::canvas() const {
  return tabs->currentIndex() == Batches ? batches->canvas() : stage->canvas();
}

void DatasetView::Impl::showAll() {
  countedJob.cancel();
  filter->hide();
  chosen.clear();
  charts->clearChoice();
  if (hasImages()) listAll();
}

void DatasetView::Impl::listAll() {
  std::vector<std::size_t> all(part->data.dataset().images().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<ThumbnailStrip::Item> items = itemsOf(*part, all);
  showOrder(std::move(all), std::move(items));
}

/// Stays at the image that is shown, if it is one of them.
void DatasetView::Impl::showOrder(std::vector<std::size_t> images,
                                  std::vector<ThumbnailStrip::Item> items) {
  order = std::move(images);
  strip->setItems(std::move(items));
  const auto own = std::ranges::find(order, session.imageIndex());
  showImageAt(own == order.end() ? 0 : static_cast<int>(own - order.begin()));
}

void DatasetView::Impl::showImageAt(int at) {
  if (at < 0 || at >= static_cast<int>(order.size())) return;
  wasReady = false;
  boxToShow.reset();
  findingText.clear();
  std::vector<std::size_t> neighbours;
  for (int distance = 1; distance <= kPrefetched; ++distance)
    for (const int near : {at + distance, at - distance})
      if (near >= 0 && near < static_cast<int>(order.size()))
        neighbours.push_back(order[static_cast<std::size_t>(near)]);
  const std::size_t index = order[static_cast<std::size_t>(at)];
  session.setImage(index, neighbours);
  const auto& objects = chosen[index];
  session.setChosenObjects({objects.begin(), objects.end()});
  strip->setCurrent(at);
  stage->canvas()->setScene(session.scene());
  showDecoded();
  showFacts();
}

void DatasetView::Impl::moveImage(int by) {
  if (tabs->currentIndex() == Batches) return batches->moveBy(by);
  showImageAt(strip->current() + by);
}

void DatasetView::Impl::showBar(const std::optional<dataset_check::FactBar>& bar,
                                const QString& title) {
  if (!bar) return showAll();
  filter->setText(tr("%1  ✕").arg(title));
  filter->setVisible(true);
  wasReady = false;
  countedJob.request([shared = part, wanted = *bar] {
    CountedImages counted{dataset_check::imagesOf(*shared, wanted), {}};
    // Of images that are counted as such no object stands out.
    if (wanted.of == dataset_check::FactBar::Of::ObjectsPerImage)
      for (dataset_check::CountedImage& image : counted.images) image.objects.clear();
    counted.items = itemsOf(*shared, placesOf(counted.images));
    return counted;
  });
}

void DatasetView::Impl::showCounted(const CountedImages& counted) {
  chosen.clear();
  for (const dataset_check::CountedImage& image : counted.images)
    chosen[image.image] = image.objects;
  if (!counted.images.empty()) showOrder(placesOf(counted.images), counted.items);
}

/// Of all images, because a fault may be of one that the chosen bar does not count.
void DatasetView::Impl::showFinding(const dataset_check::Finding& finding) {
  if (!part || finding.part != part->data.part || !finding.imageId) return;
  const auto& images = part->data.dataset().images();
  const auto found = std::ranges::find(images, ImageId{*finding.imageId}, &coco::Image::id);
  if (found == images.end())
    return stage->setNotice(
        tr("Image %1 is not among those that can be read.").arg(*finding.imageId));
  const auto index = static_cast<std::size_t>(found - images.begin());
  if (filter->isHidden())
    chosen.clear();
  else
    showAll();
  showImageAt(static_cast<int>(index));
  findingText = QString::fromStdString(finding.text);
  const auto& origins = part->data.content.origins[index];
  for (std::size_t object = 0; object < origins.size(); ++object)
    if (finding.annotationId && origins[object].id == finding.annotationId)
      showObject(index, object);
  showDecoded();
}

void DatasetView::Impl::showObject(std::size_t image, std::size_t object) {
  chosen[image] = {object};
  session.setChosenObjects({object});
  const auto& box = part->data.dataset().annotationsOf(image)[object].boxXywh;
  boxToShow = QRectF(box[0], box[1], box[2], box[3]);
  if (session.decoded()) stage->canvas()->showBox(*boxToShow);
}

void DatasetView::Impl::showDecoded() {
  const auto decoded = session.decoded();
  stage->canvas()->setImage(decoded);
  const bool isBroken = decoded && !decoded->failure.isEmpty();
  stage->setProblem(
      isBroken ? tr("%1 cannot be shown").arg(QString::fromStdString(session.image().fileName))
               : QString(),
      isBroken ? session.pathOf(session.imageIndex()) % QStringLiteral(": ") % decoded->failure
               : QString());
  stage->setNotice(!findingText.isEmpty() ? findingText : decoded ? decoded->warning : QString());
  if (decoded && boxToShow) stage->canvas()->showBox(*boxToShow);
}

void DatasetView::Impl::showFacts() {
  const coco::Image& image = session.image();
  const auto objects = part->data.dataset().annotationsOf(session.imageIndex()).size();
  name->setText(QString::fromStdString(image.fileName));
  QString text = (objects == 1 ? tr("1 object") : tr("%1 objects").arg(objects)) %
                 QStringLiteral(" · %1 × %2 px").arg(image.width).arg(image.height);
  if (const auto found = chosen.find(session.imageIndex());
      found != chosen.end() && !found->second.empty())
    text += tr(" · %1 marked").arg(found->second.size());
  facts->setText(text);
  place->setText(tr("%1 of %2").arg(strip->current() + 1).arg(order.size()));
}

}  // namespace lockstep::widgets
