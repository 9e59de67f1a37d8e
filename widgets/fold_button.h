#pragma once

#include <QToolButton>

namespace lockstep::widgets {

/// The title of a part of a page that can be folded: with a mark that shows whether it is open. A
/// title without room is elided, and shown whole in the tool tip.
class FoldButton : public QToolButton {
  Q_OBJECT

 public:
  explicit FoldButton(QWidget* parent = nullptr);

  void setTitle(const QString& title);
  bool isOpen() const { return isChecked(); }
  void setOpen(bool open);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// By a click or a key.
  void openChanged(bool open);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void showTitle();
  QSize sizeOf(const QString& text) const;

  QString title_;
};

}  // namespace lockstep::widgets
