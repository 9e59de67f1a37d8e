#include "app/frame/own_keys.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QMainWindow>
#include <QShortcut>

namespace lockstep::app {

OwnKeys::OwnKeys(QMainWindow* window) : QObject(window), window_(window) {
  qApp->installEventFilter(this);
}

/// Whether the window does something on these keys that write nothing. Escape is left to those who
/// have something to close.
bool OwnKeys::isOwn(QKeyCombination keys) const {
  const bool writes =
      !(keys.keyboardModifiers() & ~Qt::ShiftModifier) && keys.key() < Qt::Key_Escape;
  if (writes || keys.key() == Qt::Key_Escape) return false;
  const QKeySequence wanted(keys);
  for (const QAction* action : window_->actions())
    if (action->shortcuts().contains(wanted)) return true;
  for (const QShortcut* shortcut : window_->findChildren<QShortcut*>(Qt::FindDirectChildrenOnly))
    if (shortcut->key() == wanted) return true;
  return false;
}

bool OwnKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return false;
  const auto* widget = qobject_cast<QWidget*>(watched);
  if (!widget || widget->window() != window_ ||
      !isOwn(static_cast<QKeyEvent*>(event)->keyCombination()))
    return false;
  event->ignore();
  return true;
}

}  // namespace lockstep::app
