#pragma once

#include <QWidget>

#include "widgets/curves/cursor_readings.h"

namespace lockstep::widgets {

/// The table of readings beside the pointer. Lies over the window, so that a small card can tell of
/// many curves; the pointer passes through it. Rows that do not fit are counted, and scrolled to.
class ReadingsTip : public QWidget {
  Q_OBJECT

 public:
  explicit ReadingsTip(QWidget* window);

  void setReadings(Readings readings);
  const Readings& readings() const { return readings_; }
  /// Beside a point of the window, at its right where there is room.
  void showBeside(const QPoint& point);
  /// By so many rows. False when everything is shown.
  bool scrollBy(int rows);
  int firstRow() const { return firstRow_; }
  int shownRows() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Columns {
    int name = 0, value = 0, detail = 0;
  };
  Columns columns() const;
  QSize wantedSize() const;
  /// Lines that are there whatever is scrolled: the title and the notes.
  int fixedLines() const { return 1 + static_cast<int>(readings_.notes.size()); }
  bool overflows() const;
  void paintRow(QPainter& painter, const Readings::Row& row, const QRect& line) const;

  Readings readings_;
  int firstRow_ = 0;
};

}  // namespace lockstep::widgets
