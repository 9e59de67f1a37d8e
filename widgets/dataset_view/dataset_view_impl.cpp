#include "widgets/dataset_view/dataset_view_impl.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "widgets/banner.h"
#include "widgets/curves/number_text.h"
#include "widgets/dataset_view/batch_sheets.h"
#include "widgets/dataset_view/fact_charts.h"
#include "widgets/dataset_view/findings_panel.h"
#include "widgets/elided_label.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kMinPanelPx = 235, kPrefetched = 3;

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

}  // namespace

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
  tabs->addTab(tr("Errors"));
  tabs->addTab(tr("Batches"));
  tabs->setAccessibleName(tr("Views of the data"));
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
  itemsJob.cancel();
  stage->canvas()->setScene(nullptr);
  stage->canvas()->setImage(nullptr);
  charts->setPart(part.get());
  showFindingCount();
  if (!hasImages()) return;
  const dataset_check::PartFacts& counted = part->facts;
  QString text = tr("%Ln image(s)", "", static_cast<int>(counted.images)) % QStringLiteral(", ") %
                 tr("%Ln object(s)", "", static_cast<int>(counted.objects));
  if (counted.crowds > 0) text += tr(", %Ln crowd region(s)", "", static_cast<int>(counted.crowds));
  if (counted.emptyImages > 0)
    text += tr(", %Ln image(s) without objects", "", static_cast<int>(counted.emptyImages));
  summary->setText(text);
  showAll();
}

void DatasetView::Impl::showFindingCount() {
  tabs->setTabText(Findings, findings->isChecked()
                                 ? tr("Errors %1").arg(countText(findings->faultCount()))
                                 : tr("Errors"));
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
  showOrder(std::move(all), {});
  itemsJob.request([shared = part, images = order] { return itemsOf(*shared, images); });
}

void DatasetView::Impl::showItems(const std::vector<ThumbnailStrip::Item>& items) {
  const int current = strip->current();
  strip->setItems(items);
  strip->setCurrent(current);
  if (strip->isReady()) Q_EMIT strip->ready();  // nothing is left to be loaded that would tell it
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
  itemsJob.cancel();
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
  if (!part || finding.part != part->data.part) return;
  if (!finding.imageId) {  // of the file, or of a class: nothing in the image is meant
    chosen.clear();
    boxToShow.reset();
    session.setChosenObjects({});
    findingText = QString::fromStdString(finding.text);
    return showDecoded();
  }
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

/// Those that have changed on the disk, or could not be shown.
void DatasetView::Impl::reloadImages() {
  wasReady = false;
  strip->reload();
  session.reloadImages();
}

void DatasetView::Impl::showFacts() {
  const coco::Image& image = session.image();
  const auto objects = part->data.dataset().annotationsOf(session.imageIndex()).size();
  name->setText(QString::fromStdString(image.fileName));
  QString text = tr("%Ln object(s)", "", static_cast<int>(objects)) %
                 QStringLiteral(" · %1 × %2 px").arg(image.width).arg(image.height);
  if (const auto found = chosen.find(session.imageIndex());
      found != chosen.end() && !found->second.empty())
    text += tr(" · %1 marked").arg(found->second.size());
  facts->setText(text);
  place->setText(
      tr("%1 of %2")
          .arg(countText(strip->current() + 1), countText(static_cast<qint64>(order.size()))));
}

}  // namespace lockstep::widgets
