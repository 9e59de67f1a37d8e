#pragma once

#include <QAbstractButton>

namespace lockstep::widgets {

/// A switch with the word "on" or "off" beside it, so that colour is not the only cue.
class SwitchButton : public QAbstractButton {
  Q_OBJECT

 public:
  explicit SwitchButton(QWidget* parent = nullptr);
  /// Draws an inherited value fainter.
  void setInherited(bool inherited);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool isInherited_ = false;
};

}  // namespace lockstep::widgets
