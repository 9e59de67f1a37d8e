#pragma once

#include <QPointF>
#include <QWidget>
#include <optional>
#include <vector>

namespace lockstep::widgets {

/// The precision-recall curve, with a dot at the current score threshold.
class PrecisionRecallCurve : public QWidget {
  Q_OBJECT

 public:
  explicit PrecisionRecallCurve(QWidget* parent = nullptr);

  /// `points`: x recall, y precision; empty: not known. `current`: at the score threshold;
  /// std::nullopt: no detection reaches it, so there is no precision.
  void setCurve(std::vector<QPointF> points, std::optional<QPointF> current);
  std::optional<QPointF> current() const { return current_; }
  QSize sizeHint() const override { return {300, 110}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<QPointF> points_;
  std::optional<QPointF> current_;
};

}  // namespace lockstep::widgets
