#pragma once

#include <QObject>
#include <QPoint>
#include <QSize>

class QMainWindow;

namespace lockstep::app {

class Dock;

/// Gives a dock beside the pages back the width that a person gave it, where a narrow window or a
/// wide page had taken some of it.
class KeptWidth : public QObject {
  Q_OBJECT

 public:
  KeptWidth(Dock* dock, QMainWindow* window);

  /// px of the window, also while the dock is narrower.
  int width() const { return widthPx_; }
  void setWidth(int px);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool isBeside() const;
  bool isLine(QPoint at) const;
  void apply();

  Dock* dock_;
  QMainWindow* window_;
  int widthPx_ = 0;
  QSize windowSize_;
  bool isDragged_ = false;  ///< the line between the dock and the pages
};

}  // namespace lockstep::app
