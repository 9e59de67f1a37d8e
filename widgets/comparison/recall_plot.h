#pragma once

#include <QWidget>
#include <array>
#include <vector>

#include "engine/coco/analysis/precision_recall.h"
#include "widgets/spoken_value.h"

namespace lockstep::widgets {

/// The precision-recall curves of A (solid) and B (dashed). A click or the arrow keys choose a
/// point: Left and Right go along a curve, Up and Down to the other one; Return opens it.
class RecallPlot : public QWidget, public SpokenValue {
  Q_OBJECT

 public:
  using Points = std::vector<coco::CurvePoint>;

  explicit RecallPlot(QWidget* parent = nullptr);

  /// A dot is where the score threshold lies on each.
  void setCurves(std::array<Points, 2> curves, double scoreThreshold);
  /// Of the curve of A (0) or B (1); nullptr: none is chosen.
  const coco::CurvePoint* chosen() const;
  int chosenSide() const { return side_; }
  QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
  QString spokenValue() const override;
  QSize sizeHint() const override { return {320, 240}; }

 Q_SIGNALS:
  /// To be opened.
  void pointChosen(int side, double score);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void choose(int side, std::size_t point);
  void paintCurve(QPainter& painter, const QRectF& area, std::size_t side) const;
  std::size_t nearestIn(std::size_t side, QPointF place) const;
  double distanceTo(std::size_t side, std::size_t point, QPointF place) const;

  std::array<Points, 2> curves_;
  double scoreThreshold_ = 0;
  int side_ = 0;
  int point_ = -1;  ///< in the curve of side_; -1: none
};

}  // namespace lockstep::widgets
