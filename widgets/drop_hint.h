#pragma once

#include <QWidget>

namespace lockstep::widgets {

/// Lies over a widget while something is dragged over it that may be dropped there, and says what
/// the drop does.
class DropHint : public QWidget {
  Q_OBJECT

 public:
  explicit DropHint(QWidget* over);

  void showText(const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString text_;
};

}  // namespace lockstep::widgets
