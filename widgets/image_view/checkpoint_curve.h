#pragma once

#include <QPointF>
#include <QWidget>
#include <map>
#include <vector>

#include "widgets/spoken_value.h"

namespace lockstep::widgets {

/// Held-out loss and AP over the steps, with the shown checkpoint: a click or a drag goes to the
/// nearest one.
class CheckpointCurve : public QWidget, public SpokenValue {
  Q_OBJECT

 public:
  explicit CheckpointCurve(QWidget* parent = nullptr);

  /// Both by step; what is not finite is a gap.
  void setCurves(const std::map<qint64, double>& losses, const std::map<qint64, double>& aps);
  /// "mask AP".
  void setApName(const QString& name);
  /// Ascending.
  void setCheckpoints(const std::vector<qint64>& steps, qint64 current);
  /// A strip of the lines alone, for where height is short.
  void setCompact(bool isCompact);
  QSize sizeHint() const override;
  QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
  QString spokenValue() const override;
  /// Where a step is, in px of the widget.
  double xOf(qint64 step) const;

 Q_SIGNALS:
  void stepChosen(qint64 step);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  struct Line {
    std::map<qint64, double> values;
    double top = 1;  ///< of its axis, which begins at 0
  };
  static Line lineOf(const std::map<qint64, double>& values);
  QRectF area() const;
  std::pair<qint64, qint64> steps() const;
  void chooseAt(double x);
  void paintLine(QPainter& painter, const Line& line, const QPen& pen) const;
  void paintKey(QPainter& painter) const;
  void paintAxes(QPainter& painter) const;
  int labelPx() const;

  Line loss_, ap_;
  QString apName_;
  std::vector<qint64> steps_;
  qint64 current_ = 0;
  bool isCompact_ = false;
};

}  // namespace lockstep::widgets
