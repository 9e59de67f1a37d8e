#include "widgets/dataset_view/class_pair_map.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/theme.h"

namespace lockstep::widgets {

void ClassPairMap::setPairs(const QStringList& names,
                            const std::vector<std::vector<std::int64_t>>& counts) {
  classes_ = static_cast<int>(names.size());
  std::vector<Bar> cells;
  for (int i = 0; i < classes_; ++i) {
    for (int j = 0; j < classes_; ++j) {
      const std::int64_t count = counts[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      const QString tip =
          i == j ? tr("%1: in %Ln image(s)", "", static_cast<int>(count)).arg(names[i])
                 : tr("%1 and %2: together in %Ln image(s)", "", static_cast<int>(count))
                       .arg(names[i], names[j]);
      cells.push_back({{}, count, tip});
    }
  }
  setBars(std::move(cells));
}

double ClassPairMap::cellPx() const {
  return std::min(width(), height()) / std::max(1.0, static_cast<double>(classes_));
}

QRectF ClassPairMap::placeOf(int bar) const {
  const double cell = cellPx();
  return {bar % classes_ * cell, bar / classes_ * cell, cell, cell};
}

/// Log scale: pairs are rarer than the most frequent class by orders of magnitude.
void ClassPairMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = currentTheme();
  const double most = std::log1p(static_cast<double>(mostCount()));
  const double gap = cellPx() >= 6 ? 1 : 0;
  for (int i = 0; i < static_cast<int>(bars().size()); ++i) {
    const double share =
        std::log1p(static_cast<double>(bars()[static_cast<std::size_t>(i)].count)) / most;
    painter.fillRect(placeOf(i).adjusted(0, 0, -gap, -gap),
                     blend(theme.field, theme.accent, share));
  }
  if (chosen() >= 0) {
    painter.setPen(QPen(theme.text, 2));
    painter.drawRect(placeOf(chosen()));
  }
  paintCursor(painter);
}

/// Up and down go by rows.
void ClassPairMap::keyPressEvent(QKeyEvent* event) {
  const int rows = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
  if (rows == 0) return BarChart::keyPressEvent(event);
  const int cell = cursorBar() + rows * classes_;
  if (cell >= 0 && cell < static_cast<int>(bars().size())) moveCursor(cell);
}

}  // namespace lockstep::widgets
