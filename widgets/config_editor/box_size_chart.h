#pragma once

#include <QWidget>
#include <vector>

#include "engine/config/anchor_fit.h"

namespace lockstep::widgets {

/// A small histogram of the data's box sizes, with the sizes of the anchors as marks over it.
class BoxSizeChart : public QWidget {
  Q_OBJECT

 public:
  explicit BoxSizeChart(QWidget* parent = nullptr);

  void setSizes(const config::BoxSizes& boxes, const std::vector<double>& anchorSizes);
  QRectF plotRect() const;
  /// Of a size in px, in the plot; sizes beyond its ends are at them.
  double xOf(double sizePx) const;
  QSize sizeHint() const override { return {240, 84}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void paintBars(QPainter& painter) const;
  void paintTicks(QPainter& painter) const;
  /// What a bin holds, for its tooltip.
  QString binText(int bin) const;

  config::BoxSizes boxes_;
  std::vector<double> anchorSizes_;
  int firstBin_ = 0, endBin_ = 1;  ///< those that are shown
};

}  // namespace lockstep::widgets
