#pragma once

#include <QWidget>

class QFrame;
class QLabel;
class QPushButton;

namespace lockstep::widgets {

class EmptyState;
class ImageCanvas;

/// The canvas with what may stand over it: why an image cannot be shown, and a line with one action
/// at its foot.
class ImageStage : public QWidget {
  Q_OBJECT

 public:
  explicit ImageStage(QWidget* parent = nullptr);

  ImageCanvas* canvas() const { return canvas_; }
  /// In place of the image; empty title: none.
  void setProblem(const QString& title, const QString& cause);
  QString problem() const;
  /// At the foot of the image; empty text: none, empty action: no button. A reason switches the
  /// button off.
  void setNotice(const QString& text, const QString& action = {}, const QString& offReason = {});
  QString notice() const;

 Q_SIGNALS:
  void widthChanged(int widthPx);
  void noticeActionTriggered();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void placeNotice();

  ImageCanvas* canvas_ = nullptr;
  EmptyState* problem_ = nullptr;
  QFrame* notice_ = nullptr;
  QLabel* noticeText_ = nullptr;
  QPushButton* noticeAction_ = nullptr;
};

}  // namespace lockstep::widgets
