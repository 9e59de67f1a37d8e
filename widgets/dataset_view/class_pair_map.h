#pragma once

#include <QStringList>
#include <cstdint>
#include <vector>

#include "widgets/bars/bar_chart.h"

namespace lockstep::widgets {

/// In how many images each two classes are together, as a field of cells that can be chosen;
/// brighter is more. Its bars are the cells, row by row.
class ClassPairMap : public BarChart {
  Q_OBJECT

 public:
  using BarChart::BarChart;
  /// counts[i][j] of names[i] and names[j].
  void setPairs(const QStringList& names, const std::vector<std::vector<std::int64_t>>& counts);
  int classCount() const { return classes_; }
  QRectF placeOf(int bar) const override;
  QSize sizeHint() const override { return {240, 240}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return width; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  double cellPx() const;

  int classes_ = 0;
};

}  // namespace lockstep::widgets
