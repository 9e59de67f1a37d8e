#pragma once

#include <QWidget>
#include <functional>

class QLabel;

namespace lockstep::widgets {

class Slider;

/// A title, the value in figures, and the slider below them.
class ValueSlider : public QWidget {
  Q_OBJECT

 public:
  /// Whole positions from `minimum` to `maximum`; `text` shows one of them.
  ValueSlider(const QString& title, std::function<QString(int)> text, QWidget* parent = nullptr);

  void setRange(int minimum, int maximum);
  /// Without a signal.
  void setValue(int value);
  int value() const;
  /// Changes the value as the user does, with a signal.
  void stepBy(int by);
  void setTitle(const QString& title);
  /// Shows the text of the value again.
  void refreshText();

 Q_SIGNALS:
  void valueChosen(int value);

 private:
  std::function<QString(int)> text_;
  QLabel* title_ = nullptr;
  QLabel* figure_ = nullptr;
  Slider* slider_ = nullptr;
};

}  // namespace lockstep::widgets
