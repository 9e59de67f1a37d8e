#pragma once

#include <QPointF>
#include <QWidget>
#include <optional>
#include <vector>

namespace lockstep::widgets {

/// The curve, with a dot where the score slider stands.
class PrecisionRecallCurve : public QWidget {
  Q_OBJECT

 public:
  explicit PrecisionRecallCurve(QWidget* parent = nullptr);

  /// points: x recall, y precision. Empty: nothing is known. present: where the score slider
  /// stands; nothing: no detection has that score, so there is no precision.
  void setCurve(std::vector<QPointF> points, std::optional<QPointF> present);
  std::optional<QPointF> present() const { return present_; }
  QSize sizeHint() const override { return {300, 110}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<QPointF> points_;
  std::optional<QPointF> present_;
};

}  // namespace lockstep::widgets
