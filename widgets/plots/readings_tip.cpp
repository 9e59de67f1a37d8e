#include "widgets/plots/readings_tip.h"

#include <QPainter>
#include <algorithm>

#include "widgets/plots/curve_layers.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPaddingPx = 10, kRowPx = 18, kSamplePx = 22, kColumnGapPx = 14, kAwayPx = 12;
constexpr int kWidestRunPx = 260;
constexpr int kBorderPx = 4;  ///< kept free at the window's edges

QFont nameFont() { return interfaceFont(12); }
QFont figureFont() { return monoFont(12); }

/// Kept whole beside a run's name that is not.
QString nameAfterRun(const Readings::Row& row) {
  return row.run.isEmpty() ? row.name : QStringLiteral(", ") + row.name;
}

}  // namespace

ReadingsTip::ReadingsTip(QWidget* window) : QWidget(window) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setObjectName(QStringLiteral("readingsTip"));
  hide();
}

void ReadingsTip::setReadings(Readings readings) {
  if (readings.rows.size() != readings_.rows.size()) firstRow_ = 0;
  readings_ = std::move(readings);
  update();
}

ReadingsTip::Columns ReadingsTip::columns() const {
  const QFontMetrics names(nameFont()), figures(figureFont());
  Columns widest;
  for (const Readings::Row& row : readings_.rows) {
    const int run = std::min(kWidestRunPx, names.horizontalAdvance(row.run));
    widest.name = std::max(widest.name, run + names.horizontalAdvance(nameAfterRun(row)));
    widest.value = std::max(widest.value, figures.horizontalAdvance(row.value));
    widest.raw = std::max(widest.raw, figures.horizontalAdvance(row.raw));
    widest.step = std::max(widest.step, figures.horizontalAdvance(row.step));
  }
  return widest;
}

void ReadingsTip::showBeside(const QPoint& point) {
  const QSize room = parentWidget()->size() - QSize(2 * kBorderPx, 2 * kBorderPx);
  const Columns widest = columns();
  int rowWidth = kSamplePx + 8 + widest.name + kColumnGapPx + widest.value;
  if (widest.raw > 0) rowWidth += kColumnGapPx + widest.raw;
  if (widest.step > 0) rowWidth += kColumnGapPx + widest.step;
  const int title = QFontMetrics(figureFont()).horizontalAdvance(readings_.title);
  const int width = std::min(room.width(), 2 * kPaddingPx + std::max(rowWidth, title));
  const auto lines = static_cast<int>(readings_.rows.size()) + 1;
  const int height = std::min(room.height(), 2 * kPaddingPx - 4 + kRowPx * lines);
  int left = point.x() + kAwayPx;
  if (left + width > kBorderPx + room.width()) left = point.x() - kAwayPx - width;
  setGeometry(std::max(left, kBorderPx),
              std::clamp(point.y(), kBorderPx, kBorderPx + room.height() - height), width, height);
  firstRow_ = std::clamp(firstRow_, 0, static_cast<int>(readings_.rows.size()) - shownRows());
  show();
  raise();
}

bool ReadingsTip::overflows() const {
  return height() < 2 * kPaddingPx - 4 + kRowPx * static_cast<int>(readings_.rows.size() + 1);
}

int ReadingsTip::shownRows() const {
  const auto all = static_cast<int>(readings_.rows.size());
  if (!overflows()) return all;
  // Of the lines that fit, the first is the title and the last counts the others.
  return std::clamp((height() - 2 * kPaddingPx + 4) / kRowPx - 2, 1, all);
}

bool ReadingsTip::scrollBy(int rows) {
  if (isHidden() || !overflows()) return false;
  firstRow_ =
      std::clamp(firstRow_ + rows, 0, static_cast<int>(readings_.rows.size()) - shownRows());
  update();
  return true;
}

void ReadingsTip::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.cardBorder, 1));
  painter.setBrush(theme.field);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);

  QRect line(kPaddingPx, kPaddingPx - 2, width() - 2 * kPaddingPx, kRowPx);
  painter.setFont(figureFont());
  painter.setPen(theme.textMuted);
  painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, readings_.title);
  const int shown = shownRows();
  for (int i = firstRow_; i < firstRow_ + shown; ++i) {
    line.translate(0, kRowPx);
    paintRow(painter, readings_.rows[static_cast<std::size_t>(i)], line);
  }
  if (!overflows()) return;
  line.translate(0, kRowPx);
  painter.setFont(nameFont());
  painter.setPen(theme.textMuted);
  painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                   tr("%1 to %2 of %3: Shift+wheel")
                       .arg(firstRow_ + 1)
                       .arg(firstRow_ + shown)
                       .arg(readings_.rows.size()));
}

void ReadingsTip::paintRow(QPainter& painter, const Readings::Row& row, const QRect& line) const {
  const Theme& theme = currentTheme();
  const Columns widest = columns();
  const double middle = line.center().y();
  paintSample(painter, row.curve, curvePen(row.curve, theme), {line.left() + 0.0, middle},
              kSamplePx, theme.field);
  int right = line.right() + 1;
  painter.setFont(figureFont());
  painter.setPen(theme.textMuted);
  const auto figure = [&](const QString& text, int width) {
    if (width == 0) return;
    painter.drawText(QRect(right - width, line.top(), width, kRowPx),
                     Qt::AlignVCenter | Qt::AlignRight, text);
    right -= width + kColumnGapPx;
  };
  figure(row.step, widest.step);
  figure(row.raw, widest.raw);
  painter.setPen(theme.text);
  figure(row.value, widest.value);
  const int left = line.left() + kSamplePx + 8;
  painter.setFont(nameFont());
  const QFontMetrics metrics = painter.fontMetrics();
  const QString name = nameAfterRun(row);
  const int runRoom = std::min(kWidestRunPx, right - left - metrics.horizontalAdvance(name));
  const QString whole = metrics.elidedText(row.run, Qt::ElideMiddle, runRoom) + name;
  painter.drawText(QRect(left, line.top(), right - left, kRowPx), Qt::AlignVCenter,
                   metrics.elidedText(whole, Qt::ElideMiddle, right - left));
}

}  // namespace lockstep::widgets
