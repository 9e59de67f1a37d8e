#pragma once

#include "widgets/bars/bar_chart.h"

namespace lockstep::widgets {

/// A row for each class: its name, a bar and its number. As high as its rows; put it into a scroll
/// area.
class ClassBars : public BarChart {
  Q_OBJECT

 public:
  using BarChart::BarChart;
  QRectF placeOf(int bar) const override;
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// The keyboard's cursor is at a row in this place.
  void cursorMoved(const QRect& place);

 protected:
  void handleBars() override;
  void showCursor(int bar) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  int rowPx() const;

  int nameWidthPx_ = 0, countWidthPx_ = 0;
};

}  // namespace lockstep::widgets
