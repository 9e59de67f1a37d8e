#pragma once

#include <QTextEdit>

namespace lockstep::widgets {

/// A message of any length to be read and copied. Words as long as a path are broken where they
/// must be, and past six lines it is scrolled: no message makes a window wider or higher.
class MessageText : public QTextEdit {
  Q_OBJECT

 public:
  explicit MessageText(QWidget* parent = nullptr);
  void setMessage(const QString& text);

 private:
  void fitHeight(double wantedPx);
};

}  // namespace lockstep::widgets
