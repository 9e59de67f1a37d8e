#include "widgets/plots/readings_tip.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kPaddingPx = 10, kSamplePx = 22, kColumnGapPx = 14, kAwayPx = 12;
constexpr int kSampleGapPx = 8;
constexpr int kWidestRunPx = 260;
constexpr int kBorderPx = 4;  ///< kept free at the window's edges
constexpr int kMostRows = 12, kLeastRows = 4;

int rowPx() { return scaledPx(18); }
QFont nameFont() { return interfaceFont(12); }
QFont numberFont() { return monoFont(12); }

/// The end of a name that is not elided when the name of the run is.
QString nameAfterRun(const Readings::Row& row) {
  return row.run.isEmpty() ? row.name : QStringLiteral(", ") + row.name;
}

/// Text after the value: the value before smoothing, and the step if it differs.
QString detailOf(const Readings::Row& row) {
  if (!row.detail.isEmpty()) return row.detail;
  QStringList texts;
  if (!row.raw.isEmpty()) texts.append(ReadingsTip::tr("raw %1").arg(row.raw));
  if (!row.step.isEmpty()) texts.append(row.step);
  return texts.join(QStringLiteral("  "));
}

/// Below the rows, where not all of them are shown.
QString overflowText(int first, int last, int all) {
  return first == 1 ? ReadingsTip::tr("and %1 more (Shift+wheel scrolls)").arg(all - last)
                    : ReadingsTip::tr("%1 to %2 of %3").arg(first).arg(last).arg(all);
}

/// Rounded up, because a text would be elided to a width rounded down.
int widthOf(const QFontMetricsF& metrics, const QString& text) {
  return static_cast<int>(std::ceil(metrics.horizontalAdvance(text)));
}
int widthOf(const QFont& font, const QString& text) { return widthOf(QFontMetricsF(font), text); }

}  // namespace

ReadingsTip::ReadingsTip(QWidget* window) : QWidget(window) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setObjectName(QStringLiteral("readingsTip"));
  hide();
}

void ReadingsTip::setReadings(Readings readings) {
  if (readings.rows.size() != readings_.rows.size()) firstRow_ = shownRows_ = 0;
  readings_ = std::move(readings);
  columns_ = measureColumns();
  widthPx_ = measureWidth();
  update();
}

ReadingsTip::Columns ReadingsTip::measureColumns() const {
  const QFontMetricsF names(nameFont()), numbers(numberFont());
  Columns widest;
  for (const Readings::Row& row : readings_.rows) {
    const int run = std::min(scaledPx(kWidestRunPx), widthOf(names, row.run));
    widest.name = std::max(widest.name, run + widthOf(names, nameAfterRun(row)));
    widest.value = std::max(widest.value, widthOf(numbers, row.value));
    widest.detail = std::max(widest.detail, widthOf(numbers, detailOf(row)));
  }
  return widest;
}

int ReadingsTip::measureWidth() const {
  int width = kSamplePx + kSampleGapPx + columns_.name + kColumnGapPx + columns_.value;
  if (columns_.detail > 0) width += kColumnGapPx + columns_.detail;
  width = std::max(width, widthOf(numberFont(), readings_.title));
  for (const QString& note : readings_.notes) width = std::max(width, widthOf(nameFont(), note));
  if (allRows() > kLeastRows)
    width = std::max(width, widthOf(nameFont(), overflowText(1, 0, allRows())));
  return 2 * kPaddingPx + width;
}

int ReadingsTip::heightOf(int rows) const {
  const int counted = rows < allRows() ? 1 : 0;
  return 2 * kPaddingPx - 4 + rowPx() * (rows + fixedLines() + counted);
}

int ReadingsTip::rowsIn(int heightPx, int windowPx) const {
  int rows = std::min(allRows(), kMostRows);
  while (rows > kLeastRows && heightOf(rows) > heightPx) --rows;
  while (rows > 1 && heightOf(rows) > windowPx) --rows;
  return rows;
}

void ReadingsTip::showBeside(const QPoint& point, const QRect& room) {
  const QRect window =
      parentWidget()->rect().adjusted(kBorderPx, kBorderPx, -kBorderPx, -kBorderPx);
  shownRows_ = rowsIn(room.height(), window.height());
  QRect place(0, 0, std::min(widthPx_, window.width()),
              std::min(heightOf(shownRows_), window.height()));
  const auto isIn = [&place](const QRect& area) {
    return place.left() >= area.left() && place.right() <= area.right();
  };
  const QRect inside = room.intersected(window);
  place.moveLeft(point.x() + kAwayPx);
  if (!isIn(inside)) {
    place.moveRight(point.x() - kAwayPx);
    // In a narrow card it is over neither side of the cursor.
    if (!isIn(inside)) place.moveLeft(point.x() + kAwayPx);
    if (!isIn(window)) place.moveRight(point.x() - kAwayPx);
  }
  place.moveTop(point.y());
  for (const QRect& area : {inside, window}) {
    if (area.height() >= place.height())
      place.moveTop(std::clamp(place.top(), area.top(), area.bottom() + 1 - place.height()));
  }
  place.moveLeft(std::max(place.left(), window.left()));
  setGeometry(place);
  firstRow_ = std::clamp(firstRow_, 0, allRows() - shownRows_);
  show();
  raise();
}

bool ReadingsTip::scrollBy(int rows) {
  if (isHidden() || !overflows()) return false;
  firstRow_ = std::clamp(firstRow_ + rows, 0, allRows() - shownRows_);
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

  QRect line(kPaddingPx, kPaddingPx - 2, width() - 2 * kPaddingPx, rowPx());
  painter.setFont(numberFont());
  painter.setPen(theme.textMuted);
  painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, readings_.title);
  for (int i = firstRow_; i < firstRow_ + shownRows_; ++i) {
    line.translate(0, rowPx());
    paintRow(painter, readings_.rows[static_cast<std::size_t>(i)], line);
  }
  QStringList foot = readings_.notes;
  if (overflows()) foot.prepend(overflowText(firstRow_ + 1, firstRow_ + shownRows_, allRows()));
  painter.setFont(nameFont());
  painter.setPen(theme.textMuted);
  for (const QString& text : foot) {
    line.translate(0, rowPx());
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, text);
  }
}

void ReadingsTip::paintRow(QPainter& painter, const Readings::Row& row, const QRect& line) const {
  const Theme& theme = currentTheme();
  const double middle = line.center().y();
  paintSample(painter, row.curve, curvePen(row.curve, theme), {line.left() + 0.0, middle},
              kSamplePx, theme.field);
  int right = line.right() + 1;
  painter.setFont(numberFont());
  if (columns_.detail > 0) {
    painter.setPen(theme.textMuted);
    painter.drawText(QRect(right - columns_.detail, line.top(), columns_.detail, rowPx()),
                     Qt::AlignVCenter, detailOf(row));
    right -= columns_.detail + kColumnGapPx;
  }
  painter.setPen(theme.text);
  painter.drawText(QRect(right - columns_.value, line.top(), columns_.value, rowPx()),
                   Qt::AlignVCenter | Qt::AlignRight, row.value);
  right -= columns_.value + kColumnGapPx;
  const int left = line.left() + kSamplePx + kSampleGapPx;
  painter.setFont(nameFont());
  const QFontMetrics metrics = painter.fontMetrics();
  const QString name = nameAfterRun(row);
  const int runRoom = std::min(scaledPx(kWidestRunPx), right - left - widthOf(nameFont(), name));
  const QString whole = metrics.elidedText(row.run, Qt::ElideMiddle, runRoom) + name;
  painter.drawText(QRect(left, line.top(), right - left, rowPx()), Qt::AlignVCenter,
                   metrics.elidedText(whole, Qt::ElideMiddle, right - left));
}

}  // namespace lockstep::widgets
