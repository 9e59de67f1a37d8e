#include "widgets/plots/plot_overlay.h"

#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr double kClickSlackPx = 4;
constexpr int kTipBelowTopPx = 8, kRowsAtOnce = 3;

}  // namespace

PlotOverlay::PlotOverlay(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setAttribute(Qt::WA_NoSystemBackground);
  setCursor(Qt::CrossCursor);
}

// The tip is a child of the window, not of this widget.
PlotOverlay::~PlotOverlay() { delete tip_; }

void PlotOverlay::setPlotArea(const QRect& area) { area_ = area; }

void PlotOverlay::showCursor(std::optional<double> xPx, QVector<QPair<QPointF, QColor>> dots,
                             std::optional<Readings> readings) {
  cursorPx_ = xPx;
  dots_ = std::move(dots);
  readings_ = std::move(readings);
  showReadings();
  update();
}

void PlotOverlay::showRange(std::optional<std::pair<double, double>> rangePx) {
  if (rangePx == rangePx_) return;
  rangePx_ = rangePx;
  update();
}

void PlotOverlay::paintRange(QPainter* painter) const {
  QRectF band(area_);
  band.setLeft(std::clamp<double>(rangePx_->first, area_.left(), area_.right()));
  band.setRight(std::clamp<double>(rangePx_->second, area_.left(), area_.right()));
  const Theme& theme = currentTheme();
  QColor fill = theme.accent;
  fill.setAlpha(28);
  painter->fillRect(band, fill);
  painter->setPen(QPen(theme.accent, 1));
  painter->drawLine(band.topLeft(), band.bottomLeft());
  painter->drawLine(band.topRight(), band.bottomRight());
}

/// To the edge of the area at most.
void PlotOverlay::dragRange(const QPointF& position) {
  const auto inside = [this](double x) {
    return std::clamp<double>(x, area_.left(), area_.right());
  };
  Q_EMIT rangeDragged(inside(pressedAt_.x()), inside(position.x()));
  Q_EMIT pointerMoved({inside(position.x()), position.y()});
}

QRectF PlotOverlay::dragBox() const {
  QRectF box = QRectF(pressedAt_, draggedTo_).normalized();
  // A flat box, also one without any height, zooms only in x.
  if (box.height() < 3 * kClickSlackPx) {
    box.setTop(area_.top());
    box.setBottom(area_.bottom());
  }
  return box.intersected(QRectF(area_));
}

void PlotOverlay::paintEvent(QPaintEvent*) {
  Q_EMIT painted();
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (rangePx_) paintRange(&painter);
  if (cursorPx_ && *cursorPx_ >= area_.left() && *cursorPx_ <= area_.right()) {
    painter.setPen(QPen(theme.textMuted, 1, Qt::DashLine));
    const double x = std::floor(*cursorPx_) + 0.5;
    painter.drawLine(QPointF(x, area_.top()), QPointF(x, area_.bottom()));
    for (const auto& [position, color] : dots_) {
      if (!QRectF(area_).adjusted(0, -1, 0, 1).contains(position)) continue;
      painter.setPen(QPen(theme.card, 2));
      painter.setBrush(color);
      painter.drawEllipse(position, 4, 4);
    }
  }
  if (drag_ == Drag::Box) {
    QColor fill = theme.accent;
    fill.setAlpha(40);
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(fill);
    painter.drawRect(dragBox());
  }
}

/// Shows the readings unless something is dragged or the cursor is out of view.
void PlotOverlay::showReadings() {
  const bool inView = cursorPx_ && *cursorPx_ >= area_.left() && *cursorPx_ <= area_.right();
  const bool isDragged = drag_ == Drag::Box || drag_ == Drag::Pan;
  if (!readings_ || !inView || isDragged) {
    if (tip_) tip_->hide();
    return;
  }
  if (!tip_ || tip_->parentWidget() != window()) {
    delete tip_;
    tip_ = new ReadingsTip(window());
  }
  tip_->setReadings(*readings_);
  tip_->showBeside(
      mapTo(window(), QPoint(static_cast<int>(*cursorPx_), area_.top() + kTipBelowTopPx)),
      QRect(mapTo(window(), QPoint()), size()));
}

void PlotOverlay::mousePressEvent(QMouseEvent* event) {
  pressedAt_ = draggedTo_ = event->position();
  const bool pan = event->button() == Qt::MiddleButton ||
                   (event->button() == Qt::LeftButton &&
                    event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier));
  if (pan) {
    drag_ = Drag::Pan;
    Q_EMIT pointerLeft();  // the x under the pointer changes
    setCursor(Qt::ClosedHandCursor);
  }
}

void PlotOverlay::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  if (drag_ == Drag::Pan) {
    Q_EMIT panned(position - draggedTo_);
    draggedTo_ = position;
    return;
  }
  const bool dragging = event->buttons() & Qt::LeftButton && area_.contains(pressedAt_.toPoint());
  if (dragging && drag_ == Drag::None && (position - pressedAt_).manhattanLength() > kClickSlackPx)
    drag_ = event->modifiers() & Qt::ControlModifier ? Drag::Select : Drag::Box;
  draggedTo_ = position;
  if (drag_ == Drag::Select) return dragRange(position);
  if (drag_ == Drag::Box) update();
  if (area_.contains(position.toPoint())) {
    Q_EMIT pointerMoved(position);
  } else {
    Q_EMIT pointerLeft();
  }
}

void PlotOverlay::mouseReleaseEvent(QMouseEvent* event) {
  const Drag finished = drag_;
  drag_ = Drag::None;
  setCursor(Qt::CrossCursor);
  if (finished == Drag::Box) {
    Q_EMIT pointerLeft();  // the x under the pointer changes; until it moves again
    draggedTo_ = event->position();
    const QRectF box = dragBox();
    if (box.width() > kClickSlackPx) Q_EMIT boxZoomed(box);
  }
  if (finished == Drag::None && event->button() == Qt::LeftButton &&
      area_.contains(event->position().toPoint()))
    Q_EMIT clicked(event->position());
  update();
}

void PlotOverlay::mouseDoubleClickEvent(QMouseEvent*) { Q_EMIT resetRequested(); }

void PlotOverlay::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  const bool scrollsTip = event->modifiers() == Qt::ShiftModifier && tip_ &&
                          tip_->scrollBy(notches < 0 ? kRowsAtOnce : -kRowsAtOnce);
  if (scrollsTip) return event->accept();
  if (notches == 0 || !(event->modifiers() & Qt::ControlModifier)) {
    Q_EMIT pointerLeft();  // the page scrolls under the pointer
    return event->ignore();
  }
  Q_EMIT wheelZoomed(event->position(), std::pow(0.8, notches));
  event->accept();
}

void PlotOverlay::leaveEvent(QEvent*) { Q_EMIT pointerLeft(); }

void PlotOverlay::hideEvent(QHideEvent*) {
  if (tip_) tip_->hide();
}

void PlotOverlay::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT menuRequested(event->globalPos());
}

}  // namespace lockstep::widgets
