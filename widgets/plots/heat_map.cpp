#include "widgets/plots/heat_map.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/curves/number_text.h"
#include "widgets/curves/tick_steps.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kNamesPx = 190, kScalePx = 84, kScaleBarPx = 12, kStepsPx = 22, kTopPx = 4;
constexpr int kMinRowPx = 2, kMaxRowPx = 16, kUsualHeightPx = 420, kNamedRowPx = 11;

QFont smallFont() { return monoFont(11); }

}  // namespace

HeatMap::HeatMap(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Heat map of parameters over steps"));
}

void HeatMap::setRows(std::vector<HeatRow> rows, std::pair<std::int64_t, std::int64_t> range) {
  const bool isOther = rows.size() != rows_.size();
  rows_ = std::move(rows);
  range_ = range;
  scale_ = heatScaleOf(rows_);
  image_ = {};
  if (cell_ && cell_->row >= rows_.size()) cell_.reset();
  if (isOther) updateGeometry();
  update();
}

double HeatMap::rowPx() const {
  return rows_.empty()
             ? 0
             : static_cast<double>(mapRect().height()) / static_cast<double>(rows_.size());
}

QRect HeatMap::mapRect() const {
  return {scaledPx(kNamesPx), kTopPx,
          std::max(1, width() - scaledPx(kNamesPx) - scaledPx(kScalePx)),
          std::max(1, height() - kTopPx - scaledPx(kStepsPx))};
}

QSize HeatMap::sizeHint() const {
  const auto rows = static_cast<int>(std::max<std::size_t>(1, rows_.size()));
  const int rowPx = std::clamp(kUsualHeightPx / rows, kMinRowPx, kMaxRowPx);
  return {600, rows * rowPx + kTopPx + scaledPx(kStepsPx)};
}

QSize HeatMap::minimumSizeHint() const {
  return {scaledPx(kNamesPx) + scaledPx(kScalePx) + 100, sizeHint().height()};
}

int HeatMap::xOf(std::int64_t step) const {
  const QRect map = mapRect();
  const double steps = std::max<double>(1, static_cast<double>(range_.second - range_.first + 1));
  return map.left() +
         static_cast<int>(static_cast<double>(step - range_.first) / steps * map.width());
}

std::optional<HeatMap::Cell> HeatMap::cellAt(const QPoint& position) const {
  const QRect map = mapRect();
  if (rows_.empty() || !map.contains(position)) return std::nullopt;
  const auto row = static_cast<std::size_t>((position.y() - map.top()) / rowPx());
  const double share = static_cast<double>(position.x() - map.left()) / map.width();
  const double steps = static_cast<double>(range_.second - range_.first + 1);
  return Cell{std::min(row, rows_.size() - 1),
              range_.first + static_cast<std::int64_t>(share * steps)};
}

QString HeatMap::readingOf(const Cell& cell) const {
  const HeatRow& row = rows_[cell.row];
  const auto index = valueAt(row, cell.step);
  if (!index) return tr("%1: no value at step %2").arg(row.name).arg(cell.step);
  return tr("%1, step %2: %3")
      .arg(row.name)
      .arg(row.steps[*index])
      .arg(valueText(row.values[*index]));
}

void HeatMap::read(std::optional<Cell> cell) {
  if (cell == cell_) return;
  cell_ = cell;
  setAccessibleDescription(cell_ ? readingOf(*cell_) : QString());
  update();
}

void HeatMap::mouseMoveEvent(QMouseEvent* event) { read(cellAt(event->pos())); }

void HeatMap::leaveEvent(QEvent*) { read(std::nullopt); }

void HeatMap::mousePressEvent(QMouseEvent* event) {
  const auto cell = cellAt(event->pos());
  if (!cell || event->button() != Qt::LeftButton) return;
  read(cell);
  Q_EMIT rowChosen(rows_[cell->row].name, cell->step,
                   event->modifiers().testFlag(Qt::ControlModifier));
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
  if (rows_.empty()) return QWidget::keyPressEvent(event);
  const Cell now = cell_.value_or(Cell{0, range_.second});
  const std::int64_t stride = std::max<std::int64_t>(1, (range_.second - range_.first) / 100);
  Cell next = now;
  switch (event->key()) {
    case Qt::Key_Up:
      next.row = now.row == 0 ? 0 : now.row - 1;
      break;
    case Qt::Key_Down:
      next.row = std::min(now.row + 1, rows_.size() - 1);
      break;
    case Qt::Key_Left:
      next.step = std::max(range_.first, now.step - stride);
      break;
    case Qt::Key_Right:
      next.step = std::min(range_.second, now.step + stride);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      Q_EMIT rowChosen(rows_[now.row].name, now.step,
                       event->modifiers().testFlag(Qt::ControlModifier));
      return;
    default:
      return QWidget::keyPressEvent(event);
  }
  read(cell_ ? next : now);
}

void HeatMap::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) image_ = {};
  QWidget::changeEvent(event);
}

void HeatMap::paintEvent(QPaintEvent*) {
  if (rows_.empty()) return;
  const QRect map = mapRect();
  const auto width = static_cast<int>(map.width() * devicePixelRatioF());
  if (image_.isNull() || image_.width() != width)
    image_ = heatImage(rows_, range_, width, scale_, currentTheme().error);
  QPainter painter(this);
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.fillRect(map, currentTheme().field);
  painter.drawImage(map, image_);
  painter.setFont(smallFont());
  paintNames(painter);
  paintSteps(painter);
  paintScale(painter);
  paintCell(painter);
}

/// The names of all rows, or, where the rows are too low for a text, of as many as fit.
void HeatMap::paintNames(QPainter& painter) const {
  const QRect map = mapRect();
  const auto every =
      static_cast<std::size_t>(std::max(1.0, std::ceil(scaledPx(kNamedRowPx) / rowPx())));
  painter.setPen(currentTheme().textMuted);
  for (std::size_t row = 0; row < rows_.size(); row += every) {
    const auto top = static_cast<int>(map.top() + rowPx() * static_cast<double>(row));
    // Higher than the row, or what hangs below the line of the text is cut.
    const auto height = std::max(scaledPx(kNamedRowPx), static_cast<int>(rowPx()));
    const QRect place(0, top - 3, scaledPx(kNamesPx) - 8, height + 6);
    painter.drawText(
        place, Qt::AlignRight | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(rows_[row].name, Qt::ElideLeft, place.width()));
  }
}

void HeatMap::paintSteps(QPainter& painter) const {
  const QRect map = mapRect();
  const std::pair<double, double> range(range_.first, std::max(range_.first + 1, range_.second));
  const double distance = tickStep(XAxis::Step, range, std::max(2, map.width() / 90));
  painter.setPen(currentTheme().textFaint);
  for (double tick = std::ceil(range.first / distance) * distance; tick <= range.second;
       tick += distance) {
    const QRect place(xOf(static_cast<std::int64_t>(tick)) - 40, map.bottom() + 4, 80,
                      scaledPx(kStepsPx) - 4);
    painter.drawText(place, Qt::AlignHCenter | Qt::AlignTop, xText(XAxis::Step, tick, distance));
  }
}

void HeatMap::paintScale(QPainter& painter) const {
  const QRect map = mapRect();
  const int length = std::min(map.height(), 160);
  const QRect bar(map.right() + 12, map.top(), kScaleBarPx, length);
  for (int y = 0; y < length; ++y) {
    painter.fillRect(QRect(bar.left(), bar.top() + y, bar.width(), 1),
                     heatColor(1 - y / std::max(1.0, length - 1.0)));
  }
  painter.setPen(currentTheme().textMuted);
  const double low = std::log10(scale_.low), high = std::log10(scale_.high);
  const int decades =
      std::max(1, static_cast<int>(std::ceil((high - low) / std::max(1, length / 16))));
  for (int power = static_cast<int>(std::ceil(low)); power <= high; power += decades) {
    const int y = bar.bottom() - static_cast<int>((power - low) / (high - low) * (length - 1));
    painter.drawText(QRect(bar.right() + 5, y - 8, scaledPx(kScalePx) - 30, 16),
                     Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("1e%1").arg(power));
  }
}

void HeatMap::paintCell(QPainter& painter) const {
  if (!cell_) return;
  const QRect map = mapRect();
  const Theme& theme = currentTheme();
  const double top = map.top() + rowPx() * static_cast<double>(cell_->row);
  const QRectF row(map.left(), top - 0.5, map.width() - 1, std::max(2.0, rowPx()));
  painter.setBrush(Qt::NoBrush);
  // Light in dark, so that it is seen on every colour.
  painter.setPen(theme.groundTruthHalo);
  painter.drawRect(row.adjusted(-1, -1, 1, 1));
  painter.setPen(theme.groundTruth);
  painter.drawRect(row);
  const QString text = readingOf(*cell_);
  const int width = painter.fontMetrics().horizontalAdvance(text) + 16;
  const int x =
      std::clamp(xOf(cell_->step) + 12, map.left(), std::max(map.left(), map.right() - width));
  const int below = static_cast<int>(top + rowPx()) + 6;
  const int y = below + 22 > height() ? static_cast<int>(top) - 28 : below;
  const QRect tip(x, std::max(0, y), width, 22);
  painter.setPen(theme.cardBorder);
  painter.setBrush(theme.field);
  painter.drawRoundedRect(tip, 4, 4);
  painter.setPen(theme.text);
  painter.drawText(tip, Qt::AlignCenter, text);
}

}  // namespace lockstep::widgets
