#include "widgets/image_view/crop_grid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QtMath>
#include <algorithm>
#include <cmath>

#include "widgets/image_view/decoded_image.h"
#include "widgets/image_view/verdict_style.h"
#include "widgets/instances/class_name.h"
#include "widgets/move_keys.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPicturePx = 112, kCaptionPx = 20, kCropGapPx = 8, kMarkPx = 9;
constexpr int kMostInBatch = 24, kPixelBytes = 4;
constexpr qint64 kLeastCacheKiB = 64 * 1024;

int gapPx() { return scaledPx(kCropGapPx); }

bool hasMeaning(const QKeyEvent& event) {
  const bool chooses = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
  return isMoveKey(event) || (chooses && isUnmodified(event));
}

/// With the path in front, and all that its crops depend on.
QString cropKey(const CropRequest& request, int sidePx) {
  QString key = request.path % QChar::Null;
  for (const ListedInstance& one : request.instances)
    key += one.annotation >= 0 ? u'g' % QString::number(one.annotation)
                               : u'd' % QString::number(one.detection);
  return key % QChar::Null % QString::number(request.detections.id()) % QChar::Null %
         QString::number(sidePx);
}

}  // namespace

CropGrid::CropGrid(QWidget* parent)
    : QAbstractScrollArea(parent),
      crops_(
          1, kLeastCacheKiB, [](const Crops& crops) { return crops.sizeBytes() / 1024; },
          [this](const QString&) {
            viewport()->update();
            if (isReady()) Q_EMIT ready();
          }) {
  crops_.setIsFailure([](const Crops& crops) { return !crops.failure.isEmpty(); });
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setAutoFillBackground(false);
  setAccessibleName(tr("Instances as crops"));
}

void CropGrid::setBring(const jobs::KeyedLoader<Crops>::Bring& bring) {
  if (!bring) return crops_.setBring(nullptr);
  crops_.setBring([bring](const QString& key, const std::function<void()>& done) {
    bring(key.section(QChar::Null, 0, 0), done);
  });
}

void CropGrid::setInstances(std::vector<ListedInstance> instances,
                            std::shared_ptr<const coco::Dataset> dataset,
                            const SourceOf& sourceOf) {
  const bool hadCurrent = current_ >= 0 && dataset == dataset_;
  const ListedInstance before = hadCurrent ? at(current_) : ListedInstance();
  instances_ = std::move(instances);
  dataset_ = std::move(dataset);
  sourceOf_ = sourceOf;
  const auto same = std::ranges::find(instances_, before);
  current_ = hadCurrent && same != instances_.end() ? static_cast<int>(same - instances_.begin())
             : instances_.empty()                   ? -1
                                                    : 0;
  buildBatches();
  updateScrollBar();
  setCurrent(current_);
  loadVisible();
}

void CropGrid::buildBatches() {
  batches_.clear();
  for (int i = 0; i < count(); ++i) {
    const bool isOfLast = !batches_.empty() && batches_.back().count < kMostInBatch &&
                          at(batches_.back().first).image == at(i).image;
    if (isOfLast)
      ++batches_.back().count;
    else
      batches_.push_back({i, 1, {}});
  }
}

const CropGrid::Batch& CropGrid::batchOf(int index) const {
  return *std::prev(std::ranges::upper_bound(batches_, index, {}, &Batch::first));
}

QSize CropGrid::cellSize() const {
  return {scaledPx(kPicturePx), scaledPx(kPicturePx) + scaledPx(kCaptionPx)};
}

int CropGrid::decodedPx() const { return qCeil(scaledPx(kPicturePx) * devicePixelRatioF()); }

int CropGrid::columns() const {
  return std::max(1, viewport()->width() / (cellSize().width() + gapPx()));
}

QRect CropGrid::itemRect(int index) const {
  const QSize cell = cellSize();
  const int column = index % columns(), row = index / columns();
  return {{gapPx() / 2 + column * (cell.width() + gapPx()),
           gapPx() / 2 + row * (cell.height() + gapPx()) - verticalScrollBar()->value()},
          cell};
}

int CropGrid::itemAt(QPoint at) const {
  const auto [first, last] = visibleRange(0);
  for (int i = first; i < last; ++i)
    if (itemRect(i).contains(at)) return i;
  return -1;
}

std::pair<int, int> CropGrid::visibleRange(int rowsBeside) const {
  const int pitch = cellSize().height() + gapPx(), top = verticalScrollBar()->value();
  const int first = (top / pitch - rowsBeside) * columns();
  const int last = ((top + viewport()->height()) / pitch + 1 + rowsBeside) * columns();
  return {std::clamp(first, 0, count()), std::clamp(last, 0, count())};
}

void CropGrid::updateScrollBar() {
  const int pitch = cellSize().height() + gapPx();
  const int rows = (count() + columns() - 1) / columns();
  verticalScrollBar()->setRange(0, std::max(0, rows * pitch - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(pitch / 3);
}

/// Those in view first. All of them have room, and a batch that was asked for before.
void CropGrid::loadVisible() {
  const int sidePx = decodedPx();
  const qint64 cropKiB = qint64{sidePx} * sidePx * kPixelBytes / 1024 + 1;
  qint64 wantedKiB = kMostInBatch * cropKiB;
  std::vector<jobs::KeyedLoader<Crops>::Request> requests;
  std::set<int> requested;  // firsts of batches
  for (const int rowsBeside : {0, 1}) {
    const auto [first, last] = visibleRange(rowsBeside);
    for (int i = first; i < last; i = batchOf(i).first + batchOf(i).count) {
      Batch& batch = batches_[static_cast<std::size_t>(&batchOf(i) - batches_.data())];
      if (!requested.insert(batch.first).second) continue;
      CropRequest request = sourceOf_(at(i).image);
      request.dataset = dataset_;
      request.instances.assign(instances_.begin() + batch.first,
                               instances_.begin() + batch.first + batch.count);
      batch.key = cropKey(request, sidePx);
      wantedKiB += batch.count * cropKiB;
      requests.push_back(
          {batch.key, [request, sidePx] { return cropInstances(request, sidePx); },
           [path = request.path](const Crops& kept) { return hasChanged(path, kept.version); }});
    }
  }
  crops_.setCapacity(std::max(kLeastCacheKiB, wantedKiB));
  crops_.load(requests);
  viewport()->update();
}

void CropGrid::reload() {
  crops_.forgetFailures();
  loadVisible();
}

bool CropGrid::isReady() const {
  const auto [first, last] = visibleRange(0);
  for (int i = first; i < last; ++i)
    if (!crops_.find(batchOf(i).key)) return false;
  return true;
}

void CropGrid::setCurrent(int index) {
  current_ = std::clamp(index, -1, count() - 1);
  viewport()->update();
  announce(this, *this);
  if (current_ < 0) return;
  const QRect rect = itemRect(current_);
  QScrollBar* bar = verticalScrollBar();
  if (rect.top() < 0) bar->setValue(bar->value() + rect.top() - gapPx());
  if (rect.bottom() > viewport()->height())
    bar->setValue(bar->value() + rect.bottom() - viewport()->height() + gapPx());
}

void CropGrid::moveBy(int instances) {
  const int next = current_ + instances;
  if (next >= 0 && next < count()) setCurrent(next);
}

std::set<Verdict> CropGrid::verdicts() const {
  std::set<Verdict> found;
  for (const ListedInstance& instance : instances_) found.insert(instance.verdict);
  return found;
}

QString CropGrid::captionOf(int index) const {
  const ListedInstance& instance = at(index);
  const auto row = static_cast<std::size_t>(dataset_->classOf(instance.category).value - 1);
  const QString name = nameOf(dataset_->categories()[row]);
  return std::isfinite(instance.score) ? name % u' ' % QString::number(instance.score, 'f', 2)
                                       : name;
}

QString CropGrid::toolTipOf(int index) const {
  return tr("%1: %2\n%3")
      .arg(captionOf(index), verdictName(at(index).verdict),
           QString::fromStdString(dataset_->images()[at(index).image].fileName));
}

QString CropGrid::spokenValue() const {
  if (current_ < 0) return tr("no instance");
  return tr("instance %1 of %2: %3")
      .arg(current_ + 1)
      .arg(count())
      .arg(toolTipOf(current_).replace(u'\n', QStringLiteral(", ")));
}

void CropGrid::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  const auto [first, last] = visibleRange(0);
  for (int i = first; i < last; ++i) paintItem(painter, i);
}

void CropGrid::paintItem(QPainter& painter, int index) const {
  const Theme& theme = currentTheme();
  const QRect rect = itemRect(index);
  const QRect place(rect.topLeft(), QSize(rect.width(), rect.width()));
  painter.fillRect(place, theme.card);
  paintPicture(painter, place, index);
  if (index == current_) {
    painter.setPen(QPen(theme.accent, 2.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(place).adjusted(-1.5, -1.5, 1.5, 1.5));
  }
  const int caption = scaledPx(kCaptionPx), mark = scaledPx(kMarkPx);
  const QRect line(rect.left(), place.bottom() + 1, rect.width(), caption);
  paintVerdictMark(painter,
                   QRectF(line.left() + 1, line.top() + (caption - mark) / 2.0, mark, mark),
                   at(index).verdict, theme);
  painter.setFont(interfaceFont(11));
  painter.setPen(theme.text);
  const QRect text = line.adjusted(mark + gapPx(), 0, 0, 0);
  painter.drawText(
      text, Qt::AlignVCenter,
      painter.fontMetrics().elidedText(captionOf(index), Qt::ElideMiddle, text.width()));
}

void CropGrid::paintPicture(QPainter& painter, const QRect& place, int index) const {
  const Theme& theme = currentTheme();
  const Batch& batch = batchOf(index);
  const auto crops = crops_.find(batch.key);
  if (!crops) return;
  const auto say = [&](const QString& text, const QColor& colour) {
    painter.setPen(colour);
    painter.setFont(interfaceFont(10));
    painter.drawText(place, Qt::AlignCenter | Qt::TextWordWrap, text);
  };
  if (!crops->failure.isEmpty()) return say(crops->failure, theme.error);
  const Crops::Crop& crop = crops->crops[static_cast<std::size_t>(index - batch.first)];
  if (crop.picture.isNull()) return say(tr("outside the image"), theme.textMuted);
  const QSizeF shown = QSizeF(crop.picture.size()).scaled(place.size(), Qt::KeepAspectRatio);
  QRectF target(QPointF(), shown);
  target.moveCenter(QRectF(place).center());
  painter.drawImage(target, crop.picture);
  const double scale = shown.width() / crop.picture.width();
  const QRectF box(target.topLeft() + crop.box.topLeft() * scale, crop.box.size() * scale);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.groundTruthHalo, 3.4));
  painter.drawRect(box & target);
  painter.setPen(verdictPen(at(index).verdict, theme, 1.8));
  painter.drawRect(box & target);
}

void CropGrid::resizeEvent(QResizeEvent*) {
  updateScrollBar();
  setCurrent(current_);
  if (sourceOf_) loadVisible();
}

void CropGrid::scrollContentsBy(int, int) {
  if (sourceOf_) loadVisible();
}

void CropGrid::mousePressEvent(QMouseEvent* event) {
  const int index = itemAt(event->pos());
  if (event->button() != Qt::LeftButton || index < 0) return;
  setCurrent(index);
  Q_EMIT chosen(index);
}

/// Keys that have a meaning here are not those of the page.
bool CropGrid::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && hasMeaning(*static_cast<QKeyEvent*>(event)))
    event->accept();
  return QAbstractScrollArea::event(event);
}

void CropGrid::keyPressEvent(QKeyEvent* event) {
  if (!hasMeaning(*event)) return QAbstractScrollArea::keyPressEvent(event);
  const int rows = std::max(1, viewport()->height() / (cellSize().height() + gapPx()));
  const int last = count() - 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return moveBy(-1);
    case Qt::Key_Right:
      return moveBy(1);
    case Qt::Key_Up:
      return moveRows(-1);
    case Qt::Key_Down:
      return moveRows(1);
    case Qt::Key_PageUp:
      return setCurrent(std::max(std::min(0, last), current_ - rows * columns()));
    case Qt::Key_PageDown:
      return setCurrent(std::min(last, current_ + rows * columns()));
    case Qt::Key_Home:
      return setCurrent(std::min(0, last));
    case Qt::Key_End:
      return setCurrent(last);
    default:
      if (current_ >= 0) Q_EMIT chosen(current_);
  }
}

bool CropGrid::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int index = itemAt(help->pos());
  if (index < 0)
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), toolTipOf(index), viewport(), itemRect(index));
  return true;
}

}  // namespace lockstep::widgets
