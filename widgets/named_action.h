#pragma once

#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QString>
#include <functional>

class QAction;
class QWidget;

namespace lockstep::widgets {

/// Where an action's keys work; elsewhere the same keys may mean another one.
enum class ActionPlace {
  Everywhere,
  Configure,
  Runs,
  Monitor,
  Predictions,
  Data,
  Compare,
  Inspector
};

/// A property of an action: its name in lists, where the text of its menu entry does not say
/// enough.
inline constexpr const char* kListedText = "listedText";
QString listedText(const QAction* action);

/// Name of the place for a person.
QString placeName(ActionPlace place);

/// Adds an action that the window lists: in the command palette, among the keyboard shortcuts and
/// where these are changed. Its keys work while `scope` or a widget in it has the focus; for
/// ActionPlace::Everywhere and Monitor, `scope` is the window. `id` ("monitor.log_y") stays the
/// same in later versions: changed keys are kept under it.
QAction* addNamedAction(QWidget* scope, ActionPlace place, const char* id, const QString& text,
                        const QList<QKeySequence>& keys, const std::function<void()>& act);

/// Makes a menu's action a named one, with its text and keys.
void nameAction(QAction* action, ActionPlace place, const char* id);

/// Those of a window and its pages, as far as they exist, in the order of their places.
QList<QAction*> namedActions(const QWidget* window);

/// Keys that a person chose, by action; for actions that are added from now on.
void setChosenKeys(const QHash<QString, QList<QKeySequence>>& chosen);
/// The widget's window; of one in a dock that floats, the window that the dock belongs to.
const QWidget* windowOf(const QWidget* widget);
/// The keys of an action of the widget's window, "Ctrl+."; empty: none.
QString keysText(const QWidget* widget, const QString& id);
/// A text of a menu with the keys of the action that it stands for.
QString withKeysOf(const QWidget* widget, const char* id, const QString& text);
/// The widget's tooltip ends with the keys of this action.
void showKeysOf(QWidget* widget, const char* id);
/// With the keys of showKeysOf(), which may have been changed since.
QString toolTipWithKeys(const QWidget* widget);

ActionPlace placeOf(const QAction* action);
QList<QKeySequence> defaultKeysOf(const QAction* action);
/// Whether keys of both can be meant at one time.
bool shareKeys(ActionPlace first, ActionPlace second);

}  // namespace lockstep::widgets
