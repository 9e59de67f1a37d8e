#pragma once

#include <QString>
#include <QWidget>
#include <cstdint>
#include <vector>

#include "widgets/spoken_value.h"

namespace lockstep::widgets {

/// Counts as bars, which the pointer and the arrow keys tell. They can be chosen: with a click, or
/// with Return. The chosen one stays marked; choosing it again ends the choice.
class BarChart : public QWidget, public SpokenValue {
  Q_OBJECT

 public:
  struct Bar {
    QString name;  ///< of a class, or where a bin begins
    std::int64_t count = 0;
    QString tip;  ///< what it counts, in words
  };

  explicit BarChart(QWidget* parent = nullptr);

  void setBars(std::vector<Bar> bars);
  const std::vector<Bar>& bars() const { return bars_; }
  /// They can, unless it is false.
  void setChoosable(bool isChoosable) { isChoosable_ = isChoosable; }
  /// -1: none.
  void setChosen(int bar);
  int chosen() const { return chosen_; }
  /// Where a bar can be clicked, px.
  virtual QRectF placeOf(int bar) const = 0;

  QAccessible::Role spokenRole() const override { return QAccessible::List; }
  /// What the bar under the keyboard's cursor counts.
  QString spokenValue() const override;

 Q_SIGNALS:
  /// A person chose it; -1: none any more.
  void barChosen(int bar);

 protected:
  std::int64_t mostCount() const { return most_; }
  QColor colorOf(int bar) const;
  /// A frame around the bar under the keyboard's cursor, if the chart has the focus.
  void paintCursor(QPainter& painter) const;
  /// The bar under the keyboard's cursor.
  int cursorBar() const { return cursor_; }
  /// To the nearest that there is.
  void moveCursor(int bar);
  /// The bars are others.
  virtual void handleBars() {}
  /// The keyboard's cursor is at another bar.
  virtual void showCursor(int /*bar*/) {}

  bool event(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  int barAt(QPointF position) const;
  void choose(int bar);

  std::vector<Bar> bars_;
  std::int64_t most_ = 1;
  bool isChoosable_ = true;
  int chosen_ = -1, hovered_ = -1, cursor_ = 0;
};

}  // namespace lockstep::widgets
