#pragma once

#include <QTimer>

#include "widgets/config_editor/field_editor.h"

class QLabel;
class QLineEdit;

namespace lockstep::widgets {

class Slider;

/// A line of text, committed when typing pauses or the line loses the focus; with arrows if the
/// value is a number. A value that cannot be written is marked while it is typed, and stays. Only
/// the begin of a very long one is shown, and it is edited in the text.
class LineEditor : public FieldEditor {
  Q_OBJECT

 public:
  LineEditor(const config::Field& field, QWidget* parent);

  void showValue(const ShownValue& value) override;
  void finishTyping() override;
  void forgetTyping() override;

 protected:
  const config::Field& field() const { return field_; }
  QLineEdit* line() const { return line_; }
  /// The line's own text or, if it is empty, the inherited value.
  QString effectiveText() const;
  /// Shows a text as if it had been typed.
  void type(const QString& text);
  void commit();
  bool isTooLong() const { return isTooLong_; }
  /// While it is held, a pause does not commit.
  virtual bool isHeld() const { return false; }
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildUi();
  void connectSignals();
  void showUnit();
  void showWhetherTooLong(bool isTooLong);
  void noteTyping();

  const config::Field& field_;
  QWidget* input_ = nullptr;  ///< the line, or the box with its arrows
  QLineEdit* line_ = nullptr;
  QLabel* unit_ = nullptr;
  QTimer pause_;
  QString shown_;      ///< the document's value
  QString inherited_;  ///< what applies without one
  bool hasError_ = false;
  bool isTooLong_ = false;
  bool isUnwritable_ = false;  ///< what was typed stays here, because the text cannot have it
};

/// A share between 0 and 1: a line and a slider.
class FractionEditor : public LineEditor {
  Q_OBJECT

 public:
  FractionEditor(const config::Field& field, QWidget* parent);

  void showValue(const ShownValue& value) override;

 protected:
  bool isHeld() const override;

 private:
  void showAtSlider();

  Slider* slider_ = nullptr;
};

}  // namespace lockstep::widgets
