#pragma once

#include <QWidget>

#include "widgets/curves/cursor_readings.h"

namespace lockstep::widgets {

/// A tooltip with the table of readings. It is a child of the window, so that it may be larger than
/// a small card, and ignores the mouse. It shows the first rows, as many as can be taken in at one
/// time; the others are counted and can be scrolled to.
class ReadingsTip : public QWidget {
  Q_OBJECT

 public:
  explicit ReadingsTip(QWidget* window);

  void setReadings(Readings readings);
  const Readings& readings() const { return readings_; }
  /// Shows it beside a point of the window, at its right if there is room. `room`: of the window,
  /// that it does not leave unless it is too small for a few rows.
  void showBeside(const QPoint& point, const QRect& room);
  /// Scrolls by `rows`. Returns false if all rows are shown.
  bool scrollBy(int rows);
  int firstRow() const { return firstRow_; }
  int shownRows() const { return shownRows_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Columns {
    int name = 0, value = 0, detail = 0;
  };
  /// Of all rows.
  Columns measureColumns() const;
  int measureWidth() const;
  /// Of a number of rows; with the line that counts the others, if there are some.
  int heightOf(int rows) const;
  int rowsIn(int heightPx, int windowPx) const;
  /// Number of lines that do not scroll: the title and the notes.
  int fixedLines() const { return 1 + static_cast<int>(readings_.notes.size()); }
  int allRows() const { return static_cast<int>(readings_.rows.size()); }
  bool overflows() const { return shownRows_ < allRows(); }
  void paintRow(QPainter& painter, const Readings::Row& row, const QRect& line) const;

  Readings readings_;
  // Measured once for each new readings: painting a row needs them too.
  Columns columns_;
  int widthPx_ = 0;
  int firstRow_ = 0, shownRows_ = 0;
};

}  // namespace lockstep::widgets
