#pragma once

#include <QKeyCombination>
#include <QObject>

class QKeyEvent;
class QMainWindow;

namespace lockstep::app {

/// Event filter that gives the window's shortcuts priority over those of its text editors, such as
/// Ctrl+D, which duplicates a line in an editor, and to a list that is open priority over those of
/// the page behind it: there a letter searches. A list in a dock keeps the keys that move and
/// choose in it and gives other keys to the shown page. Ends tooltips with the keys of their
/// action.
class WindowShortcutFilter : public QObject {
  Q_OBJECT

 public:
  explicit WindowShortcutFilter(QMainWindow* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool isWindowShortcut(QKeyCombination keys) const;
  bool triggerOnPage(const QWidget* widget, const QKeyEvent& event) const;
  bool showTip(QWidget* widget, QEvent* event);

  QMainWindow* window_;
};

}  // namespace lockstep::app
