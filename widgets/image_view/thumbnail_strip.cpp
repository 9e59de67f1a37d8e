#include "widgets/image_view/thumbnail_strip.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "widgets/curves/number_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kHeightPx = 56, kCompactHeightPx = 38, kThumbnailGapPx = 6, kEdgePx = 3;
constexpr int kDecodedHeightPx = 2 * kHeightPx;  // sharp on high-density screens
constexpr int kKept = 2000;
constexpr int kAhead = 6;

/// A short text in a lower corner of a picture.
void paintChip(QPainter& painter, const QRect& picture, Qt::AlignmentFlag side, const QString& text,
               const QColor& colour) {
  constexpr int kFromEdgePx = 2, kPaddingPx = 4;
  painter.setFont(interfaceFont(10, QFont::DemiBold));
  const QFontMetrics metrics = painter.fontMetrics();
  const int height = metrics.ascent() + metrics.descent();
  const int width = std::max(height, metrics.horizontalAdvance(text) + 2 * kPaddingPx);
  QRectF chip(picture.left() + kFromEdgePx, picture.bottom() + 1 - kFromEdgePx - height, width,
              height);
  if (side == Qt::AlignRight) chip.moveRight(picture.right() + 1 - kFromEdgePx);
  painter.setPen(Qt::NoPen);
  painter.setBrush(currentTheme().labelGround);
  painter.drawRoundedRect(chip, 3, 3);
  painter.setPen(colour);
  painter.drawText(chip, Qt::AlignCenter, text);
}

}  // namespace

ThumbnailStrip::ThumbnailStrip(QWidget* parent)
    : QAbstractScrollArea(parent),
      thumbnails_(
          1, kKept, [](const Thumbnail&) { return qint64{1}; },
          [this](const QString&) {
            viewport()->update();
            if (isReady()) Q_EMIT ready();
          }) {
  thumbnails_.setIsFailure([](const Thumbnail& loaded) { return loaded.image.isNull(); });
  setFrameShape(QFrame::NoFrame);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setFocusPolicy(Qt::NoFocus);
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  setAccessibleName(tr("Images"));
}

QString ThumbnailStrip::spokenValue() const {
  if (current_ < 0 || current_ >= count()) return tr("no image");
  return tr("image %1 of %2: %3")
      .arg(current_ + 1)
      .arg(count())
      .arg(toolTipOf(current_).replace(QLatin1Char('\n'), QStringLiteral(", ")));
}

int ThumbnailStrip::heightPx() const { return isCompact_ ? kCompactHeightPx : kHeightPx; }
int ThumbnailStrip::widthPx() const { return heightPx() * 3 / 2; }
int ThumbnailStrip::pitchPx() const { return widthPx() + kThumbnailGapPx; }

QSize ThumbnailStrip::sizeHint() const { return {6 * pitchPx(), heightPx() + 2 * kEdgePx + 12}; }

void ThumbnailStrip::setCompact(bool isCompact) {
  if (isCompact == isCompact_) return;
  isCompact_ = isCompact;
  updateGeometry();
  updateScrollBar();
  setCurrent(current_);
  loadVisible();
}

void ThumbnailStrip::setItems(std::vector<Item> items) {
  items_ = std::move(items);
  marks_.assign(items_.size(), Mark());
  current_ = std::min(current_, count() - 1);
  hovered_ = -1;
  updateScrollBar();
  loadVisible();
  viewport()->update();
}

void ThumbnailStrip::setMarks(std::vector<Mark> marks) {
  marks_ = std::move(marks);
  marks_.resize(items_.size());
  viewport()->update();
}

void ThumbnailStrip::setCurrent(int index) {
  current_ = index;
  const QRect rect = itemRect(index);
  QScrollBar* bar = horizontalScrollBar();
  if (rect.left() < pitchPx()) bar->setValue(bar->value() + rect.left() - pitchPx());
  if (rect.right() > viewport()->width() - pitchPx()) {
    bar->setValue(bar->value() + rect.right() - viewport()->width() + pitchPx());
  }
  viewport()->update();
  announce(this, *this);
}

QRect ThumbnailStrip::itemRect(int index) const {
  return {kEdgePx + index * pitchPx() - horizontalScrollBar()->value(), kEdgePx, widthPx(),
          heightPx()};
}

int ThumbnailStrip::itemAt(QPoint viewportPoint) const {
  const int index = (viewportPoint.x() - kEdgePx + horizontalScrollBar()->value()) / pitchPx();
  return index >= 0 && index < count() && itemRect(index).contains(viewportPoint) ? index : -1;
}

std::pair<int, int> ThumbnailStrip::visibleRange() const {
  const int first = horizontalScrollBar()->value() / pitchPx();
  const int last = (horizontalScrollBar()->value() + viewport()->width()) / pitchPx() + 1;
  return {std::clamp(first, 0, count()), std::clamp(last, 0, count())};
}

bool ThumbnailStrip::isReady() const {
  const auto [first, last] = visibleRange();
  for (int i = first; i < last; ++i) {
    if (!thumbnails_.find(items_[static_cast<std::size_t>(i)].path)) return false;
  }
  return true;
}

void ThumbnailStrip::loadVisible() {
  const auto [first, last] = visibleRange();
  std::vector<jobs::KeyedLoader<Thumbnail>::Request> requests;
  const auto request = [&](int index) {
    const Item& item = items_[static_cast<std::size_t>(index)];
    requests.push_back(
        {item.path,
         [item] { return decodeThumbnail(item.path, item.annotatedSize, kDecodedHeightPx); },
         [item](const Thumbnail& kept) { return hasChanged(item.path, kept.version); }});
  };
  for (int i = first; i < last; ++i) request(i);
  for (int i = last; i < std::min(last + kAhead, count()); ++i) request(i);
  for (int i = first - 1; i >= std::max(first - kAhead, 0); --i) request(i);
  thumbnails_.load(requests);
}

void ThumbnailStrip::reload() {
  thumbnails_.forgetFailures();
  loadVisible();
  viewport()->update();
}

void ThumbnailStrip::updateScrollBar() {
  const int length = 2 * kEdgePx + count() * pitchPx() - kThumbnailGapPx;
  horizontalScrollBar()->setRange(0, std::max(0, length - viewport()->width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  horizontalScrollBar()->setSingleStep(pitchPx());
}

void ThumbnailStrip::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  const auto [first, last] = visibleRange();
  for (int i = first; i < last; ++i) paintItem(painter, i);
}

void ThumbnailStrip::paintItem(QPainter& painter, int index) {
  const Theme& theme = currentTheme();
  const QRect rect = itemRect(index);
  const auto thumbnail = thumbnails_.find(items_[static_cast<std::size_t>(index)].path);
  QPainterPath clip;
  clip.addRoundedRect(rect, 4, 4);
  painter.fillPath(clip, theme.card);
  if (thumbnail && thumbnail->image.isNull()) {
    painter.setPen(theme.error);
    painter.setFont(interfaceFont(10));
    painter.drawText(rect, Qt::AlignCenter | Qt::TextWordWrap, thumbnail->failure);
  } else if (thumbnail) {
    painter.save();
    painter.setClipPath(clip);
    QRectF target(
        QPointF(),
        QSizeF(thumbnail->image.size()).scaled(rect.size(), Qt::KeepAspectRatioByExpanding));
    target.moveCenter(QRectF(rect).center());
    painter.drawImage(target, thumbnail->image);
    painter.restore();
  }
  const bool isCurrent = index == current_;
  const QColor border = isCurrent           ? theme.accent
                        : index == hovered_ ? theme.textFaint
                                            : theme.cardBorder;
  painter.setPen(QPen(border, isCurrent ? 2.5 : 1.0));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(rect).adjusted(-0.5, -0.5, 0.5, 0.5), 4, 4);
  const Mark& mark = marks_[static_cast<std::size_t>(index)];
  paintMark(painter, rect, mark);
  if (!mark.figure.isEmpty()) paintFigure(painter, rect, mark.figure);
}

/// In the corner across from the errors.
void ThumbnailStrip::paintFigure(QPainter& painter, const QRect& rect, const QString& text) {
  paintChip(painter, rect, Qt::AlignLeft, text, darkTheme().text);
}

/// Number of errors in the corner of a predicted image.
void ThumbnailStrip::paintMark(QPainter& painter, const QRect& rect, const Mark& mark) {
  if (!mark.isPredicted || !mark.isJudged) return;
  const int errors = errorCount(mark.counts);
  paintChip(painter, rect, Qt::AlignRight,
            errors > 0 ? QString::number(errors) : QStringLiteral("✓"),
            errors > 0 ? darkTheme().falsePositive : darkTheme().good);
}

void ThumbnailStrip::resizeEvent(QResizeEvent*) {
  updateScrollBar();
  loadVisible();
}

void ThumbnailStrip::scrollContentsBy(int, int) {
  loadVisible();
  viewport()->update();
}

void ThumbnailStrip::mousePressEvent(QMouseEvent* event) {
  const int index = itemAt(event->pos());
  if (event->button() == Qt::LeftButton && index >= 0) Q_EMIT chosen(index);
}

void ThumbnailStrip::mouseMoveEvent(QMouseEvent* event) {
  const int index = itemAt(event->pos());
  if (index == hovered_) return;
  hovered_ = index;
  viewport()->update();
}

void ThumbnailStrip::wheelEvent(QWheelEvent* event) {
  const QPoint delta = event->angleDelta();
  const int along = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() - along * pitchPx() / 120);
  event->accept();
}

bool ThumbnailStrip::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) {
    hovered_ = -1;
    viewport()->update();
  }
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int index = itemAt(help->pos());
  if (index < 0) {
    QToolTip::hideText();
    return true;
  }
  QToolTip::showText(help->globalPos(), toolTipOf(index), viewport(), itemRect(index));
  return true;
}

QString ThumbnailStrip::toolTipOf(int index) const {
  const auto& [isPredicted, counts, isJudged, figure, namedFigure] =
      marks_[static_cast<std::size_t>(index)];
  const int count = errorCount(counts);
  const QString errors = tr("%Ln error(s)", "", count);
  const QString state = !isPredicted ? tr("not predicted at this checkpoint")
                        : !isJudged  ? tr("predicted")
                        : count == 0 ? tr("no error")
                                     : tr("%1: %2 FP, %3 FN")
                                           .arg(errors, countText(counts.falsePositives),
                                                countText(counts.falseNegatives));
  QString text = items_[static_cast<std::size_t>(index)].name % QLatin1Char('\n') % state;
  if (!namedFigure.isEmpty()) text += QLatin1Char('\n') % namedFigure;
  return text;
}

}  // namespace lockstep::widgets
