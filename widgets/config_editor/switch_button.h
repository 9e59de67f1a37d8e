#pragma once

#include <QAbstractButton>

namespace lockstep::widgets {

/// On or off, with the word beside it so that colour is not alone.
class SwitchButton : public QAbstractButton {
  Q_OBJECT

 public:
  explicit SwitchButton(QWidget* parent = nullptr);
  /// Draws a value that is not the document's own fainter.
  void setInherited(bool inherited);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool isInherited_ = false;
};

}  // namespace lockstep::widgets
