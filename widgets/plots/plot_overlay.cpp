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
constexpr int kPaddingPx = 10, kRowPx = 18, kSamplePx = 22, kColumnGapPx = 14;

}  // namespace

PlotOverlay::PlotOverlay(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setAttribute(Qt::WA_NoSystemBackground);
  setCursor(Qt::CrossCursor);
}

void PlotOverlay::setPlotArea(const QRect& area) { area_ = area; }

void PlotOverlay::showCursor(std::optional<double> xPx, QVector<QPair<QPointF, QColor>> dots,
                             std::optional<Readings> readings) {
  cursorPx_ = xPx;
  dots_ = std::move(dots);
  readings_ = std::move(readings);
  update();
}

QRectF PlotOverlay::dragBox() const {
  QRectF box = QRectF(pressedAt_, draggedTo_).normalized().intersected(QRectF(area_));
  // A flat drag means a range of x alone.
  if (box.height() < 3 * kClickSlackPx) {
    box.setTop(area_.top());
    box.setBottom(area_.bottom());
  }
  return box;
}

void PlotOverlay::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
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
  if (readings_ && cursorPx_ && drag_ == Drag::None) paintReadings(painter);
}

void PlotOverlay::paintReadings(QPainter& painter) const {
  const Theme& theme = currentTheme();
  const QFont nameFont = interfaceFont(12), figureFont = monoFont(12);
  const QFontMetrics names(nameFont), figures(figureFont);
  int nameWidth = 0, firstWidth = 0, secondWidth = 0;
  for (const Row& row : readings_->rows) {
    nameWidth = std::max(nameWidth, names.horizontalAdvance(row.name));
    firstWidth = std::max(firstWidth, figures.horizontalAdvance(row.first));
    secondWidth = std::max(secondWidth, figures.horizontalAdvance(row.second));
  }
  const int rowWidth =
      kSamplePx + 8 + nameWidth + kColumnGapPx + firstWidth + kColumnGapPx + secondWidth;
  const int width =
      2 * kPaddingPx + std::max(rowWidth, figures.horizontalAdvance(readings_->title));
  const int height = 2 * kPaddingPx - 4 + kRowPx * static_cast<int>(readings_->rows.size() + 1);
  double left = *cursorPx_ + 12;
  if (left + width > this->width() - 4) left = *cursorPx_ - 12 - width;
  const QRectF box(std::max(left, 2.0),
                   std::clamp(area_.top() + 8, 0, std::max(0, this->height() - height)), width,
                   height);
  QColor ground = theme.field;
  ground.setAlpha(245);
  painter.setPen(QPen(theme.cardBorder, 1));
  painter.setBrush(ground);
  painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);

  QRectF line(box.left() + kPaddingPx, box.top() + kPaddingPx - 2, width - 2 * kPaddingPx, kRowPx);
  painter.setFont(figureFont);
  painter.setPen(theme.textMuted);
  painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, readings_->title);
  for (const Row& row : readings_->rows) {
    line.translate(0, kRowPx);
    const double middle = line.center().y();
    painter.setPen(row.pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawLine(QPointF(line.left(), middle), QPointF(line.left() + kSamplePx, middle));
    if (row.marker) {
      painter.setPen(QPen(row.pen.color(), 1.6));
      painter.setBrush(ground);
      painter.drawEllipse(QPointF(line.left() + kSamplePx / 2.0, middle), 3, 3);
    }
    painter.setFont(nameFont);
    painter.setPen(theme.text);
    const double nameLeft = line.left() + kSamplePx + 8;
    painter.drawText(QRectF(nameLeft, line.top(), nameWidth + 2, kRowPx), Qt::AlignVCenter,
                     row.name);
    painter.setFont(figureFont);
    const double firstLeft = nameLeft + nameWidth + kColumnGapPx;
    painter.drawText(QRectF(firstLeft, line.top(), firstWidth, kRowPx),
                     Qt::AlignVCenter | Qt::AlignRight, row.first);
    painter.setPen(theme.textMuted);
    painter.drawText(QRectF(firstLeft + firstWidth + kColumnGapPx, line.top(), secondWidth, kRowPx),
                     Qt::AlignVCenter | Qt::AlignRight, row.second);
  }
}

void PlotOverlay::mousePressEvent(QMouseEvent* event) {
  pressedAt_ = draggedTo_ = event->position();
  const bool pan = event->button() == Qt::MiddleButton ||
                   (event->button() == Qt::LeftButton &&
                    event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier));
  if (pan) {
    drag_ = Drag::Pan;
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
    drag_ = Drag::Box;
  draggedTo_ = position;
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
    draggedTo_ = event->position();
    const QRectF box = dragBox();
    if (box.width() > kClickSlackPx) Q_EMIT boxZoomed(box);
  } else if (finished == Drag::None && event->button() == Qt::LeftButton &&
             area_.contains(event->position().toPoint())) {
    Q_EMIT clicked(event->position());
  }
  update();
}

void PlotOverlay::mouseDoubleClickEvent(QMouseEvent*) { Q_EMIT resetRequested(); }

void PlotOverlay::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  if (notches == 0) return event->ignore();
  Q_EMIT wheelZoomed(event->position(), std::pow(0.8, notches));
  event->accept();
}

void PlotOverlay::leaveEvent(QEvent*) { Q_EMIT pointerLeft(); }

void PlotOverlay::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT menuRequested(event->globalPos());
}

}  // namespace lockstep::widgets
