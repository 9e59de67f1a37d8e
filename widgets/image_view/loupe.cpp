#include "widgets/image_view/loupe.h"

#include <QCursor>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <optional>

#include "widgets/image_view/canvas_painter.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/pixel_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kDiameterPx = 220;
constexpr int kLeastPx = 8, kMostPx = 64;  ///< of a pixel of the image
constexpr int kTimesTheCanvas = 4;
constexpr int kFarStep = 10;

QPoint pixelOf(QPointF imagePoint) {
  return {static_cast<int>(std::floor(imagePoint.x())),
          static_cast<int>(std::floor(imagePoint.y()))};
}

std::optional<QPoint> stepOf(int key) {
  switch (key) {
    case Qt::Key_Left:
      return QPoint(-1, 0);
    case Qt::Key_Right:
      return QPoint(1, 0);
    case Qt::Key_Up:
      return QPoint(0, -1);
    case Qt::Key_Down:
      return QPoint(0, 1);
    default:
      return std::nullopt;
  }
}

}  // namespace

Loupe::Loupe(ImageCanvas* canvas) : QWidget(canvas), canvas_(canvas) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(tr("Magnifier"));
  setFixedSize(scaledPx(kDiameterPx), scaledPx(kDiameterPx));
  hide();
  canvas->installEventFilter(this);
  connect(canvas, &ImageCanvas::viewChanged, this, [this] { pointAt(pixel_); });
}

void Loupe::toggle() {
  if (!isHidden()) return hide();
  if (!canvas_->image() || canvas_->image()->levels.isNull()) return;
  const QPoint pointer = canvas_->mapFromGlobal(QCursor::pos());
  const bool isPointedAt = canvas_->underMouse() && canvas_->rect().contains(pointer);
  pointAt(pixelOf(canvas_->toImage(isPointedAt ? pointer : canvas_->rect().center())));
  canvas_->setFocus();  // which has the arrow keys
  show();
  Q_EMIT moved(pixel_);
  announce(canvas_, *this);
}

void Loupe::showAt(std::optional<QPoint> pixel) {
  if (!pixel) return hide();
  pointAt(*pixel);
  show();
}

void Loupe::hideEvent(QHideEvent*) {
  if (isHidden()) Q_EMIT moved(std::nullopt);  // not with its canvas
}

int Loupe::magnification() const {
  return std::clamp(static_cast<int>(std::ceil(kTimesTheCanvas * canvas_->zoom())), kLeastPx,
                    kMostPx);
}

QString Loupe::spokenValue() const {
  return canvas_->image() ? tr("%1, enlarged %2 times")
                                .arg(pixelText(canvas_->image()->levels, pixel_))
                                .arg(magnification())
                          : QString();
}

void Loupe::pointAt(QPoint pixel) {
  if (!canvas_->image() || canvas_->image()->levels.isNull()) return;
  const QSize size = canvas_->image()->levels.size();
  const QPoint before = pixel_;
  pixel_ = {std::clamp(pixel.x(), 0, size.width() - 1),
            std::clamp(pixel.y(), 0, size.height() - 1)};
  place();
  if (pixel_ != before && !isHidden()) Q_EMIT moved(pixel_);
}

/// Around its pixel, within the canvas.
void Loupe::place() {
  const QPoint centre = canvas_->toWidget(QPointF(pixel_) + QPointF(0.5, 0.5)).toPoint();
  const auto within = [](int at, int length, int space) {
    return std::clamp(at - length / 2, 0, std::max(0, space - length));
  };
  move(within(centre.x(), width(), canvas_->width()),
       within(centre.y(), height(), canvas_->height()));
  update();
}

bool Loupe::handleKey(int key, Qt::KeyboardModifiers modifiers) {
  const Qt::KeyboardModifiers other = modifiers & ~(Qt::KeypadModifier | Qt::ShiftModifier);
  if (other != Qt::NoModifier) return false;
  if (key == Qt::Key_Escape) {
    hide();
    return true;
  }
  const std::optional<QPoint> step = stepOf(key);
  if (!step) return false;
  pointAt(pixel_ + *step * (modifiers & Qt::ShiftModifier ? kFarStep : 1));
  canvas_->reveal(QRectF(pixel_, QSizeF(1, 1)));
  announce(canvas_, *this);
  return true;
}

bool Loupe::eventFilter(QObject* watched, QEvent* event) {
  if (isHidden()) return QWidget::eventFilter(watched, event);
  switch (event->type()) {
    case QEvent::MouseMove:
      pointAt(pixelOf(canvas_->toImage(static_cast<QMouseEvent*>(event)->position())));
      break;
    case QEvent::ShortcutOverride: {  // before the arrows go to other images
      const auto* key = static_cast<QKeyEvent*>(event);
      if (!stepOf(key->key()) && key->key() != Qt::Key_Escape) break;
      event->accept();
      return true;
    }
    case QEvent::KeyPress: {
      const auto* key = static_cast<QKeyEvent*>(event);
      if (handleKey(key->key(), key->modifiers())) return true;
      break;
    }
    case QEvent::Resize:
      place();
      break;
    default:
      break;
  }
  return QWidget::eventFilter(watched, event);
}

void Loupe::paintEvent(QPaintEvent*) {
  const std::shared_ptr<const DecodedImage>& image = canvas_->image();
  if (!image || !QRect(QPoint(), image->levels.size()).contains(pixel_)) return;
  const Theme& theme = currentTheme();
  const double side = magnification();
  const QPointF middle = QRectF(rect()).center();
  const QPointF offset = middle - (QPointF(pixel_) + QPointF(0.5, 0.5)) * side;
  const QTransform view(side, 0, 0, side, std::round(offset.x()), std::round(offset.y()));
  const QRectF ring = QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5);
  QPainterPath glass;
  glass.addEllipse(ring);

  QPainter painter(this);
  painter.save();
  painter.setClipPath(glass);
  painter.fillRect(rect(), theme.window);
  CanvasPainter pixels(painter, view, rect(), theme);
  pixels.drawImage(image->levels);
  if (canvas_->scene()) pixels.drawScene(*canvas_->scene(), canvas_->layers());
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
  const QRectF own = view.mapRect(QRectF(pixel_, QSizeF(1, 1)));
  painter.setPen(QPen(Qt::black, 1));  // seen on any image
  painter.drawRect(own.adjusted(-2, -2, 1, 1));
  painter.setPen(QPen(Qt::white, 1));
  painter.drawRect(own.adjusted(-1, -1, 0, 0));
  paintCaption(painter);
  painter.restore();

  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.groundTruthHalo, 3));
  painter.drawEllipse(ring);
  painter.setPen(QPen(theme.accent, 1.6));
  painter.drawEllipse(ring);
}

/// In the lower part, where a circle of this size has room for it.
void Loupe::paintCaption(QPainter& painter) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(monoFont(10));
  const QString place = placeText(pixel_);
  const QString colour = colourText(canvas_->image()->levels, pixel_);
  const QFontMetricsF metrics(painter.font());
  const double inner =
      std::max(metrics.horizontalAdvance(place), metrics.horizontalAdvance(colour));
  QRectF chip(0, 0, inner + 12, 2 * metrics.height() + 6);
  chip.moveCenter(QPointF(width() / 2.0, height() * 0.8));
  painter.setPen(Qt::NoPen);
  painter.setBrush(darkTheme().card);
  painter.setOpacity(0.88);
  painter.drawRoundedRect(chip, 3, 3);
  painter.setOpacity(1);
  painter.setPen(darkTheme().text);
  painter.drawText(chip, Qt::AlignCenter, place % QLatin1Char('\n') % colour);
}

}  // namespace lockstep::widgets
