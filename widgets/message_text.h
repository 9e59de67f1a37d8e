#pragma once

#include <QTextEdit>

namespace lockstep::widgets {

/// A read-only message of any length that can be copied. Long words such as paths are broken, and
/// beyond six lines, fewer in a low window, it scrolls: no message makes a window wider or taller.
class MessageText : public QTextEdit {
  Q_OBJECT

 public:
  explicit MessageText(QWidget* parent = nullptr);
  void setMessage(const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fitHeight();
};

}  // namespace lockstep::widgets
