#pragma once

#include <QPointF>
#include <QWidget>
#include <vector>

#include "widgets/experiment/derived_facts.h"

namespace lockstep::widgets {

/// A small plot of the planned learning rate over the steps.
class LearningRateCurve : public QWidget {
  Q_OBJECT

 public:
  explicit LearningRateCurve(QWidget* parent = nullptr);

  void setPlan(const StepPlan& plan);
  void clear();
  /// x: steps, y: learning rate.
  const std::vector<QPointF>& points() const { return points_; }
  /// Area of the curve, without the axis labels.
  QRectF plotRect() const;
  QSize sizeHint() const override { return {240, 120}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  QString stepText(double step) const;
  /// `fraction`: of the top of the axis.
  QString rateText(double fraction) const;
  void paintAxes(QPainter& painter, const QRectF& plot);
  void paintReadout(QPainter& painter, const QRectF& plot);

  std::vector<QPointF> points_;
  double maxSteps_ = 1, maxRate_ = 1;
  bool inEpochs_ = false;
  double pointer_ = -1;  ///< 0 … 1 along the x axis; < 0: the pointer is outside
};

}  // namespace lockstep::widgets
