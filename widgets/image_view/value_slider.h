#pragma once

#include <QWidget>
#include <functional>

class QLabel;

namespace lockstep::widgets {

class Slider;

/// A title, the value as text, and a slider below them.
class ValueSlider : public QWidget {
  Q_OBJECT

 public:
  /// `text`: text of a slider position.
  ValueSlider(const QString& title, std::function<QString(int)> text, QWidget* parent = nullptr);

  void setRange(int minimum, int maximum);
  /// Emits no signal.
  void setValue(int value);
  int value() const;
  /// Changes the value with a signal, like the user.
  void stepBy(int by);
  void setTitle(const QString& title);
  /// Call it when the text of the value has changed.
  void refreshText();

 Q_SIGNALS:
  void valueChosen(int value);

 private:
  std::function<QString(int)> text_;
  QLabel* title_ = nullptr;
  QLabel* valueText_ = nullptr;
  Slider* slider_ = nullptr;
};

}  // namespace lockstep::widgets
