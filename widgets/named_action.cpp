#include "widgets/named_action.h"

#include <QAction>
#include <QCoreApplication>
#include <QDockWidget>
#include <QVariant>
#include <QWidget>
#include <algorithm>

namespace lockstep::widgets {
namespace {

struct ActionPlaceText {
  Q_DECLARE_TR_FUNCTIONS(ActionPlace)
};

constexpr const char* kPlace = "actionPlace";
constexpr const char* kKeysOf = "keysOf";
constexpr const char* kDefaultKeys = "defaultKeys";

QHash<QString, QList<QKeySequence>>& chosenKeys() {
  static QHash<QString, QList<QKeySequence>> chosen;
  return chosen;
}

}  // namespace

QString placeName(ActionPlace place) {
  switch (place) {
    case ActionPlace::Configure:
      return ActionPlaceText::tr("Configure");
    case ActionPlace::Runs:
      return ActionPlaceText::tr("Runs");
    case ActionPlace::Monitor:
      return ActionPlaceText::tr("Monitor");
    case ActionPlace::Predictions:
      return ActionPlaceText::tr("Predictions");
    case ActionPlace::Data:
      return ActionPlaceText::tr("Data");
    case ActionPlace::Compare:
      return ActionPlaceText::tr("Compare");
    case ActionPlace::Inspector:
      return ActionPlaceText::tr("Inspector");
    case ActionPlace::Everywhere:
      break;
  }
  return ActionPlaceText::tr("Everywhere");
}

void nameAction(QAction* action, ActionPlace place, const char* id) {
  action->setObjectName(QString::fromLatin1(id));
  action->setProperty(kPlace, static_cast<int>(place));
  action->setProperty(kDefaultKeys, QKeySequence::listToString(action->shortcuts()));
  const auto chosen = chosenKeys().constFind(action->objectName());
  if (chosen != chosenKeys().cend()) action->setShortcuts(*chosen);
}

QAction* addNamedAction(QWidget* scope, ActionPlace place, const char* id, const QString& text,
                        const QList<QKeySequence>& keys, const std::function<void()>& act) {
  auto* action = new QAction(text, scope);
  action->setShortcuts(keys);
  const bool isOfWindow = place == ActionPlace::Everywhere || place == ActionPlace::Monitor;
  action->setShortcutContext(isOfWindow                   ? Qt::WindowShortcut
                             : place == ActionPlace::Runs ? Qt::WidgetShortcut
                                                          : Qt::WidgetWithChildrenShortcut);
  nameAction(action, place, id);
  scope->addAction(action);
  QObject::connect(action, &QAction::triggered, scope, act);
  return action;
}

QList<QAction*> namedActions(const QWidget* window) {
  QList<QAction*> actions = window->findChildren<QAction*>();
  actions.removeIf([](const QAction* action) { return !action->property(kPlace).isValid(); });
  std::ranges::stable_sort(actions, {}, placeOf);
  return actions;
}

void setChosenKeys(const QHash<QString, QList<QKeySequence>>& chosen) { chosenKeys() = chosen; }

const QWidget* windowOf(const QWidget* widget) {
  const QWidget* own = widget->window();
  const bool floats = qobject_cast<const QDockWidget*>(own) && own->parentWidget();
  return floats ? own->parentWidget()->window() : own;
}

QString keysText(const QWidget* widget, const QString& id) {
  const auto* action = windowOf(widget)->findChild<QAction*>(id);
  return action ? action->shortcut().toString(QKeySequence::NativeText) : QString();
}

QString withKeysOf(const QWidget* widget, const char* id, const QString& text) {
  const QString keys = keysText(widget, QString::fromLatin1(id));
  return keys.isEmpty() ? text : text + QLatin1Char('\t') + keys;
}

void showKeysOf(QWidget* widget, const char* id) {
  widget->setProperty(kKeysOf, QString::fromLatin1(id));
}

QString toolTipWithKeys(const QWidget* widget) {
  const QString id = widget->property(kKeysOf).toString();
  const QString keys = id.isEmpty() ? QString() : keysText(widget, id);
  const QString text = widget->toolTip();
  return keys.isEmpty() || text.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, keys);
}

QString listedText(const QAction* action) {
  const QString own = action->property(kListedText).toString();
  QString text = own.isEmpty() ? action->text() : own;
  return text.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

ActionPlace placeOf(const QAction* action) {
  return static_cast<ActionPlace>(action->property(kPlace).toInt());
}

QList<QKeySequence> defaultKeysOf(const QAction* action) {
  return QKeySequence::listFromString(action->property(kDefaultKeys).toString());
}

bool shareKeys(ActionPlace first, ActionPlace second) {
  if (first == second || first == ActionPlace::Everywhere || second == ActionPlace::Everywhere)
    return true;
  const auto isEither = [&](ActionPlace place) { return first == place || second == place; };
  // Monitor's are the window's: they work beside those of a panel.
  return isEither(ActionPlace::Monitor) &&
         (isEither(ActionPlace::Runs) || isEither(ActionPlace::Inspector));
}

}  // namespace lockstep::widgets
