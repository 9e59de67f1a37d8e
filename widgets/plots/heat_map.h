#pragma once

#include <QImage>
#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/curves/heat_image.h"

namespace lockstep::widgets {

/// Rows of values over the steps, in logarithmic colours, with a scale. The pointer or the arrow
/// keys read a value; a click or Return chooses its row.
class HeatMap : public QWidget {
  Q_OBJECT

 public:
  struct Cell {
    std::size_t row = 0;
    std::int64_t step = 0;
    bool operator==(const Cell&) const = default;
  };

  explicit HeatMap(QWidget* parent = nullptr);

  /// `range`: the steps from the left end to the right end.
  void setRows(std::vector<HeatRow> rows, std::pair<std::int64_t, std::int64_t> range);
  const std::vector<HeatRow>& rows() const { return rows_; }
  const HeatScale& scale() const { return scale_; }
  /// The cell that is read; nothing: none.
  std::optional<Cell> cell() const { return cell_; }
  /// "backbone.body.conv1.weight, step 120: 0.0032"
  QString readingOf(const Cell& cell) const;
  QRect mapRect() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// A row was clicked; `adds`: with Ctrl, to be shown beside others.
  void rowChosen(const QString& name, qint64 step, bool adds);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  std::optional<Cell> cellAt(const QPoint& position) const;
  void read(std::optional<Cell> cell);
  void paintNames(QPainter& painter) const;
  void paintSteps(QPainter& painter) const;
  void paintScale(QPainter& painter) const;
  void paintCell(QPainter& painter) const;
  double rowPx() const;
  int xOf(std::int64_t step) const;

  std::vector<HeatRow> rows_;
  std::pair<std::int64_t, std::int64_t> range_{0, 1};
  HeatScale scale_;
  std::optional<Cell> cell_;
  mutable QImage image_;  ///< null: to be made
};

}  // namespace lockstep::widgets
