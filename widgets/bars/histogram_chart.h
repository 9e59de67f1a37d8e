#pragma once

#include <utility>

#include "widgets/bars/bar_chart.h"

namespace lockstep::widgets {

/// Bins side by side, each with where it begins under it; bins without counts at both ends are left
/// out by whoever sets them.
class HistogramChart : public BarChart {
  Q_OBJECT

 public:
  explicit HistogramChart(QWidget* parent = nullptr);

  /// Where the last bin ends, as its tick.
  void setEnd(const QString& end);
  /// A line between two parts of the axis, with their names on both sides: S | M | L.
  struct Border {
    double bin = 0;  ///< 0: where the first bin begins; may be within one
    QString before, after;
  };
  void setBorders(std::vector<Border> borders);
  /// Arrows over the bins, such as of anchor sizes.
  void setMarks(std::vector<double> bins);

  QRectF placeOf(int bar) const override;
  QSize sizeHint() const override { return {240, 110}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QRectF plotRect() const;
  double xOf(double bin) const;
  void paintBars(QPainter& painter) const;
  void paintTicks(QPainter& painter) const;
  void paintBorders(QPainter& painter) const;
  void paintMarks(QPainter& painter) const;

  QString end_;
  std::vector<Border> borders_;
  std::vector<double> marks_;
};

}  // namespace lockstep::widgets
