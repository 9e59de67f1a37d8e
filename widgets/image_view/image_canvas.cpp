#include "widgets/image_view/image_canvas.h"

#include <QApplication>
#include <QBackingStore>
#include <QCursor>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/image_view/canvas_painter.h"
#include "widgets/image_view/explanation_painter.h"
#include "widgets/image_view/loupe.h"
#include "widgets/image_view/scene_difference.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kLargestScale = 64.0;
constexpr double kLargestFitScale = 4.0;
constexpr double kFactorPerNotch = 1.25;

}  // namespace

ImageCanvas::ImageCanvas(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 120);
  setAccessibleName(tr("Image"));
  ahead_.setSingleShot(true);
  connect(&ahead_, &QTimer::timeout, this, &ImageCanvas::drawAhead);
}

void ImageCanvas::setImage(std::shared_ptr<const DecodedImage> image) {
  if (image == image_) return;
  image_ = std::move(image);
  hovered_ = -1;
  pinned_ = -1;
  isFitted_ = true;
  fit();
  redrawBase();  // fit() keeps what is drawn where the scale stays the same
  tellPixelUnderPointer();
}

void ImageCanvas::setScene(std::shared_ptr<const CanvasScene> scene) {
  // A pinned instance stays pinned if the new scene has the same detection or object.
  int pinnedNow = -1;
  if (scene_ && scene && pinned_ >= 0) {
    const InstanceFacts& was = scene_->instances[static_cast<std::size_t>(pinned_)].facts;
    for (std::size_t i = 0; i < scene->instances.size(); ++i) {
      const InstanceFacts& is = scene->instances[i].facts;
      if (is.boxXywh == was.boxXywh && is.category == was.category) pinnedNow = static_cast<int>(i);
    }
  }
  const bool sizeChanges = !scene_ || !scene || scene_->imageSize != scene->imageSize;
  const auto before = std::exchange(scene_, std::move(scene));
  fills_.setScene(scene_);
  pinned_ = pinnedNow;
  hovered_ = -1;
  if (sizeChanges && isFitted_) fit();
  if (sizeChanges)
    redrawBase();
  else
    redrawDifference(*before);
}

void ImageCanvas::setLayers(const CanvasLayers& layers) {
  if (layers == layers_) return;
  layers_ = layers;
  redrawBase();
}

void ImageCanvas::setExplanation(std::shared_ptr<const ExplanationScene> explanation) {
  if (explanation == explanation_) return;
  explanation_ = std::move(explanation);
  redrawBase();
}

void ImageCanvas::setPinned(int instance) {
  const int count = scene_ ? static_cast<int>(scene_->instances.size()) : 0;
  pinned_ = instance < count ? instance : -1;
  update();
  announce(this, *this);
  Q_EMIT instancePinned(pinned_);
}

void ImageCanvas::reveal(int instance) {
  if (!scene_ || instance < 0 || instance >= static_cast<int>(scene_->instances.size())) return;
  reveal(scene_->instances[static_cast<std::size_t>(instance)].box);
}

void ImageCanvas::reveal(const QRectF& imageBox) {
  const QRectF box = transform().mapRect(imageBox);
  if (QRectF(rect()).intersects(box)) return;
  lookAt(scale_, offset_ + QRectF(rect()).center() - box.center());
}

void ImageCanvas::showBox(const QRectF& imageBox) {
  constexpr double kShare = 0.3, kMostZoom = 8;
  if (!imageBox.isValid()) return fit();
  fit();
  const double fills = kShare * std::min(width() / imageBox.width(), height() / imageBox.height());
  if (fills <= scale_) return;
  const double scale = std::min(fills, std::max(kMostZoom, scale_));
  lookAt(scale, QRectF(rect()).center() - imageBox.center() * scale);
  shownBox_ = imageBox;
}

QString ImageCanvas::spokenValue() const {
  if (!scene_) return tr("no image");
  const QString counts =
      tr("%n instance(s), %1 of the ground truth", "", static_cast<int>(scene_->instances.size()))
          .arg(scene_->groundTruths.size());
  if (pinned_ < 0 || pinned_ >= static_cast<int>(scene_->instances.size())) return counts;
  const CanvasScene::Instance& pinned = scene_->instances[static_cast<std::size_t>(pinned_)];
  return tr("%1; chosen: %2 %3").arg(counts, pinned.className, pinned.label);
}

QSizeF ImageCanvas::imageSize() const {
  if (image_ && !image_->levels.isNull()) return QSizeF(image_->levels.size());
  return scene_ ? QSizeF(scene_->imageSize) : QSizeF();
}

QTransform ImageCanvas::transform() const {
  return {scale_, 0, 0, scale_, offset_.x(), offset_.y()};
}

QPointF ImageCanvas::toWidget(QPointF imagePoint) const { return transform().map(imagePoint); }
QPointF ImageCanvas::toImage(QPointF widgetPoint) const {
  return transform().inverted().map(widgetPoint);
}

void ImageCanvas::showAs(const ImageCanvas& other) {
  isFitted_ = other.isFitted_;
  shownBox_ = other.shownBox_;
  setView(other.scale_, other.offset_);
}

void ImageCanvas::setView(double scale, QPointF offset) {
  const QTransform before = transform();
  viewSize_ = size();
  scale_ = scale;
  const QSizeF shown = imageSize() * scale;
  // An image smaller than the view is centred, a larger one always covers it.
  const auto limited = [](double at, double length, double space) {
    return length <= space ? (space - length) / 2 : std::clamp(at, space - length, 0.0);
  };
  offset_ = onScreenPixel(
      {limited(offset.x(), shown.width(), width()), limited(offset.y(), shown.height(), height())});
  update();
  if (transform() != before) Q_EMIT viewChanged();
}

/// Because it was asked for: another size of the view does not fit the image again.
void ImageCanvas::lookAt(double scale, QPointF offset) {
  isFitted_ = false;
  shownBox_.reset();
  setView(scale, offset);
}

void ImageCanvas::fit() {
  const QSizeF size = imageSize();
  isFitted_ = true;
  shownBox_.reset();
  if (size.isEmpty()) return redrawBase();
  const double scale =
      std::min({width() / size.width(), height() / size.height(), kLargestFitScale});
  setView(scale, {});
}

void ImageCanvas::zoomToActualSize() { zoomAt(QRectF(rect()).center(), 1.0 / scale_); }
void ImageCanvas::zoomBy(double factor) { zoomAt(QRectF(rect()).center(), factor); }

Loupe* ImageCanvas::magnifier() {
  if (magnifier_ == nullptr) {
    magnifier_ = new Loupe(this);
    connect(magnifier_, &Loupe::moved, this, &ImageCanvas::magnifierMoved);
  }
  return magnifier_;
}

void ImageCanvas::toggleMagnifier() { magnifier()->toggle(); }

void ImageCanvas::showMagnifierAt(std::optional<QPoint> pixel) {
  if (pixel || magnifier_) magnifier()->showAt(pixel);
}

void ImageCanvas::zoomAt(QPointF anchor, double factor) {
  if (imageSize().isEmpty()) return;
  const QSizeF size = imageSize();
  const double smallest = std::min({1.0, width() / size.width(), height() / size.height()}) / 4;
  const double scale = std::clamp(scale_ * factor, smallest, kLargestScale);
  const QPointF image = toImage(anchor);
  lookAt(scale, anchor - image * scale);
}

/// So that pixels of the image are sharp where they are as large as those of the screen or a
/// multiple of it.
QPointF ImageCanvas::onScreenPixel(QPointF widgetPoint) const {
  const double ratio = devicePixelRatioF();
  return {std::round(widgetPoint.x() * ratio) / ratio, std::round(widgetPoint.y() * ratio) / ratio};
}

void ImageCanvas::redrawBase() {
  base_.drop();
  update();
}

/// A tick of a slider changes a few instances of many.
void ImageCanvas::redrawDifference(const CanvasScene& before) {
  constexpr double kBesidePx = 8, kBesideImagePx = 4;  // of lines and of smooth scaling
  const double beside = kBesidePx / scale_ + kBesideImagePx;
  for (const QRectF& part : changedParts(before, *scene_))
    base_.drop(part.adjusted(-beside, -beside, beside, beside));
  update();
}

void ImageCanvas::redrawPart(const QRectF& imagePart) {
  base_.drop(imagePart);
  const QRect part = transform().mapRect(imagePart).toAlignedRect();
  if (part.intersects(rect())) update(part);
  ahead_.start();
  if (isReady()) Q_EMIT ready();
}

void ImageCanvas::setHovered(int instance) {
  if (instance == hovered_) return;
  hovered_ = instance;
  update();
  Q_EMIT instanceHovered(instance);
}

void ImageCanvas::tellPixel(QPointF widgetPoint) {
  const QPointF at = toImage(widgetPoint);
  const QPoint pixel(static_cast<int>(std::floor(at.x())), static_cast<int>(std::floor(at.y())));
  const bool isInside = QRect(QPoint(), imageSize().toSize()).contains(pixel);
  Q_EMIT pixelPointedAt(isInside ? std::optional(pixel) : std::nullopt);
}

void ImageCanvas::tellPixelUnderPointer() {
  if (underMouse()) return tellPixel(mapFromGlobal(QCursor::pos()));
  Q_EMIT pixelPointedAt(std::nullopt);
}

/// Not into a picture, which has no later frames.
bool ImageCanvas::isPaintedOnScreen() const {
  QPoint ignored;
  return backingStore() != nullptr && redirected(&ignored) == backingStore()->paintDevice();
}

CanvasView ImageCanvas::view() const {
  return {size(), devicePixelRatioF(), transform(), imageSize(), currentTheme().window};
}

/// Image, fills and outlines in an area, widget px.
void ImageCanvas::drawBase(QPainter& painter, const QRectF& area) {
  const Theme& theme = currentTheme();
  painter.fillRect(area, theme.window);
  if (!image_ || image_->levels.isNull()) return;
  CanvasPainter canvas(painter, transform(), area, theme, &fills_);
  canvas.drawImage(image_->levels);
  if (scene_) canvas.drawScene(*scene_, layers_);
  if (explanation_) drawExplanation(painter, transform(), area, *explanation_, theme);
}

void ImageCanvas::drawAhead() {
  const bool isDrawn =
      base_.drawAhead([this](QPainter& part, const QRectF& area) { drawBase(part, area); });
  if (!isDrawn) return;
  fills_.paintMissing(CanvasBase::keptPart(view()), transform());
  ahead_.start();
}

void ImageCanvas::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  const bool hasImage = image_ && !image_->levels.isNull();
  QPainter painter(this);
  const auto time = isPaintedOnScreen() ? CanvasBase::kOfFrame : std::chrono::milliseconds::max();
  const bool isComplete = base_.paintOn(
      painter, view(), [this](QPainter& part, const QRectF& area) { drawBase(part, area); }, time);
  if (isComplete)
    ahead_.start();
  else
    QMetaObject::invokeMethod(this, qOverload<>(&QWidget::update), Qt::QueuedConnection);
  fills_.paintMissing(CanvasBase::keptPart(view()), transform());
  if (!scene_) return;
  CanvasPainter canvas(painter, transform(), rect(), theme);
  if (hasImage && layers_.labels) canvas.drawLabels(*scene_, layers_);
  for (int instance : {pinned_, hovered_}) {
    if (instance >= 0) canvas.drawHighlight(scene_->instances[static_cast<std::size_t>(instance)]);
  }
  const int shown = hovered_ >= 0 ? hovered_ : pinned_;
  if (shown >= 0 && !dragged_) canvas.drawFacts(scene_->instances[static_cast<std::size_t>(shown)]);
}

/// What is looked at stays in the middle.
void ImageCanvas::resizeEvent(QResizeEvent*) {
  Q_EMIT pixelPointedAt(std::nullopt);  // what is under the pointer now is told when it moves
  if (shownBox_) return showBox(QRectF(*shownBox_));
  if (isFitted_) return fit();
  const QSize grown = size() - viewSize_;
  setView(scale_, offset_ + QPointF(grown.width(), grown.height()) / 2);
}

void ImageCanvas::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  if (notches != 0) zoomAt(event->position(), std::pow(kFactorPerNotch, notches));
  event->accept();
}

void ImageCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  dragFrom_ = event->pos();
  dragged_ = event->button() == Qt::MiddleButton || spaceHeld_;
  if (dragged_) setCursor(Qt::ClosedHandCursor);
}

void ImageCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (!dragFrom_) {
    tellPixel(event->position());
    setHovered(scene_ ? scene_->instanceAt(toImage(event->position()), layers_.groundTruth) : -1);
    return;
  }
  const QPoint moved = event->pos() - *dragFrom_;
  if (!dragged_ && moved.manhattanLength() < QApplication::startDragDistance()) return;
  dragged_ = true;
  setCursor(Qt::ClosedHandCursor);
  dragFrom_ = event->pos();
  lookAt(scale_, offset_ + moved);
}

void ImageCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const bool clicked = dragFrom_ && !dragged_ && event->button() == Qt::LeftButton;
  dragFrom_.reset();
  dragged_ = false;
  setCursor(spaceHeld_ ? Qt::OpenHandCursor : Qt::ArrowCursor);
  if (!clicked || !scene_) return update();
  const int hit = scene_->instanceAt(toImage(event->position()), layers_.groundTruth);
  setPinned(hit == pinned_ ? -1 : hit);
}

void ImageCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) fit();
}

void ImageCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space) {
    spaceHeld_ = true;
    if (!dragFrom_) setCursor(Qt::OpenHandCursor);
    return;
  }
  QWidget::keyPressEvent(event);
}

void ImageCanvas::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
    spaceHeld_ = false;
    if (!dragFrom_) unsetCursor();
    return;
  }
  QWidget::keyReleaseEvent(event);
}

/// Another window gets the release of a key that is held.
void ImageCanvas::focusOutEvent(QFocusEvent* event) {
  spaceHeld_ = false;
  if (!dragFrom_) unsetCursor();
  QWidget::focusOutEvent(event);
}

void ImageCanvas::leaveEvent(QEvent*) {
  setHovered(-1);
  Q_EMIT pixelPointedAt(std::nullopt);
}

void ImageCanvas::hideEvent(QHideEvent* event) {
  setHovered(-1);
  Q_EMIT pixelPointedAt(std::nullopt);
  QWidget::hideEvent(event);
}

void ImageCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) redrawBase();
  QWidget::changeEvent(event);
}

}  // namespace lockstep::widgets
