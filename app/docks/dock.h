#pragma once

#include <QDockWidget>
#include <QPoint>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace lockstep::app {

/// A part of the window beside the pages. Its title moves it, floats it (button, double click) and
/// closes it.
class Dock : public QDockWidget {
  Q_OBJECT

 public:
  /// `id`: its name in the saved layout. It owns the panel.
  Dock(const char* id, const QString& title, QWidget* panel, QWidget* parent = nullptr);

  /// At the right of the title.
  void addTool(QWidget* tool);
  /// In the place of the title's text.
  void setHead(QWidget* head);
  /// Leaves its title alone, below or above the pages; elsewhere it is never folded. The panel
  /// hides what could have the focus.
  void setFolded(bool isFolded);
  bool isFolded() const { return isFolded_; }
  bool canFold() const;
  /// Its height, or the one that it will have when it is unfolded.
  int openHeight() const { return isFolded_ ? openPx_ : height(); }
  /// As it was at an earlier start.
  void restoreFolded(int openHeight);
  /// Shows it before those that share its place.
  void bringUp();
  void setVisible(bool isShown) override;

 Q_SIGNALS:
  /// In the window, where it takes room from what is there.
  void aboutToTakeRoom();
  void foldedChanged(bool isFolded);

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void buildTitle();
  QToolButton* addButton(const QString& name);
  void updateButtons();
  void stepAside();

  QHBoxLayout* row_ = nullptr;  ///< of the title: text, tools, buttons
  QLabel* text_ = nullptr;
  QToolButton* float_ = nullptr;
  QToolButton* close_ = nullptr;
  bool isFolded_ = false;
  int openPx_ = 0;   ///< its height before it was folded
  QPoint dockedAt_;  ///< on the screen, when it was last in the window
};

}  // namespace lockstep::app
