#pragma once

#include <QToolButton>

namespace lockstep::widgets {

/// The title of a part of a page that can be folded: with a mark that shows whether it is open.
class FoldButton : public QToolButton {
  Q_OBJECT

 public:
  explicit FoldButton(QWidget* parent = nullptr);

  void setTitle(const QString& title);
  bool isOpen() const { return isChecked(); }
  void setOpen(bool open);

 Q_SIGNALS:
  /// By a click or a key.
  void openChanged(bool open);

 private:
  void showTitle();

  QString title_;
};

}  // namespace lockstep::widgets
