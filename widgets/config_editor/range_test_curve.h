#pragma once

#include <QWidget>
#include <vector>

#include "engine/config/lr_range_test.h"

namespace lockstep::widgets {

/// The loss of a learning-rate range test over the learning rate, with what it suggests.
class RangeTestCurve : public QWidget {
  Q_OBJECT

 public:
  explicit RangeTestCurve(QWidget* parent = nullptr);

  void setSteps(std::vector<config::RangeTestStep> steps);
  /// Area of the curve, without the axis labels.
  QRectF plotRect() const;
  /// x of a learning rate.
  double xOf(double learningRate) const;
  QSize sizeHint() const override { return {560, 280}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double yOf(double loss) const;
  void paintAxes(QPainter& painter) const;
  void paintLosses(QPainter& painter) const;
  void paintSuggestion(QPainter& painter) const;

  std::vector<config::RangeTestStep> steps_;
  std::optional<config::LearningRateSuggestion> suggestion_;
  double lowRate_ = 1e-6, highRate_ = 10;
  double highLoss_ = 1;  ///< at the top; 0 is at the bottom
};

}  // namespace lockstep::widgets
