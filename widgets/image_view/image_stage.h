#pragma once

#include <QWidget>

class QFrame;
class QLabel;
class QPushButton;

namespace lockstep::widgets {

class EmptyState;
class ImageCanvas;

/// The canvas with two overlays: why an image cannot be shown, and a notice with one button at the
/// bottom.
class ImageStage : public QWidget {
  Q_OBJECT

 public:
  explicit ImageStage(QWidget* parent = nullptr);

  ImageCanvas* canvas() const { return canvas_; }
  /// Shown in place of the image; empty title: none.
  void setProblem(const QString& title, const QString& cause);
  QString problem() const;
  /// Shown at the bottom of the image. Empty text: none; empty action: no button. A
  /// `disabledReason` disables the button and is its tooltip.
  void setNotice(const QString& text, const QString& action = {},
                 const QString& disabledReason = {});
  QString notice() const;

 Q_SIGNALS:
  void widthChanged(int widthPx);
  void noticeActionTriggered();
  /// The button of the problem, "Try again", was clicked.
  void retryRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void placeNotice();

  ImageCanvas* canvas_ = nullptr;
  EmptyState* problem_ = nullptr;
  QFrame* notice_ = nullptr;
  QLabel* noticeText_ = nullptr;
  QPushButton* noticeAction_ = nullptr;
  bool isLow_ = false;  ///< there is little room for the problem
};

}  // namespace lockstep::widgets
