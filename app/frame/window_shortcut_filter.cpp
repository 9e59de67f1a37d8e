#include "app/frame/window_shortcut_filter.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMainWindow>
#include <QMenu>
#include <QToolTip>

#include "widgets/named_action.h"

namespace lockstep::app {
namespace {

/// A combo box's, in which keys search and move.
bool isListOpen() {
  const QWidget* popup = QApplication::activePopupWidget();
  return popup && !qobject_cast<const QMenu*>(popup);
}

/// Qt takes the choice of an open list from the question whether a key is a shortcut.
bool choosesInList(int key) {
  return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Select ||
         key == Qt::Key_F4;
}

bool movesOrChooses(int key) {
  switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
    case Qt::Key_Space:
      return true;
    default:
      return choosesInList(key);
  }
}

bool isOfCommand(Qt::KeyboardModifiers modifiers) {
  return modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
}

}  // namespace

WindowShortcutFilter::WindowShortcutFilter(QMainWindow* window) : QObject(window), window_(window) {
  qApp->installEventFilter(this);
}

/// Whether the keys are a shortcut of the window and do not type text. Escape is left to the
/// focused widget.
bool WindowShortcutFilter::isWindowShortcut(QKeyCombination keys) const {
  const bool typesText =
      !(keys.keyboardModifiers() & ~Qt::ShiftModifier) && keys.key() < Qt::Key_Escape;
  if (typesText || keys.key() == Qt::Key_Escape) return false;
  const QKeySequence sequence(keys);
  for (const QAction* action : window_->actions())
    if (action->shortcuts().contains(sequence)) return true;
  return false;
}

/// Triggers the action of the shown page that has this key, if a list in a dock got it.
bool WindowShortcutFilter::triggerOnPage(const QWidget* widget, const QKeyEvent& event) const {
  const QWidget* page = window_->centralWidget();
  if (!qobject_cast<const QAbstractItemView*>(widget) || widgets::windowOf(widget) != window_ ||
      !page || page->isAncestorOf(widget))
    return false;
  if (movesOrChooses(event.key()) || isOfCommand(event.modifiers())) return false;
  const QKeySequence keys(event.keyCombination());
  for (QAction* action : widgets::namedActions(page)) {
    const auto* scope = qobject_cast<const QWidget*>(action->parent());
    if (!scope || !scope->isVisible() || !action->isEnabled() ||
        !action->shortcuts().contains(keys))
      continue;
    action->trigger();
    return true;
  }
  return false;
}

/// A tooltip that names the keys of its action, as they are now.
bool WindowShortcutFilter::showTip(QWidget* widget, QEvent* event) {
  if (!widget || widgets::windowOf(widget) != window_) return false;
  const QString text = widgets::toolTipWithKeys(widget);
  if (text == widget->toolTip()) return false;
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text, widget);
  return true;
}

bool WindowShortcutFilter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ToolTip) return showTip(qobject_cast<QWidget*>(watched), event);
  if (event->type() == QEvent::KeyPress)
    return triggerOnPage(qobject_cast<QWidget*>(watched), *static_cast<QKeyEvent*>(event));
  if (event->type() != QEvent::ShortcutOverride) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  if (isListOpen() && !isOfCommand(key->modifiers())) {
    if (choosesInList(key->key())) return false;
    event->accept();
    return true;
  }
  const auto* widget = qobject_cast<QWidget*>(watched);
  if (!widget || widgets::windowOf(widget) != window_ || !isWindowShortcut(key->keyCombination()))
    return false;
  event->ignore();
  return true;
}

}  // namespace lockstep::app
