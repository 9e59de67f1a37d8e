#include "app/frame/shortcut_sheet.h"

#include <QAction>
#include <QCoreApplication>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QList>

#include "widgets/named_action.h"
#include "widgets/role.h"

namespace lockstep::app {
namespace {

using widgets::ActionPlace;

QString tr(const char* text) { return QCoreApplication::translate("ShortcutSheet", text); }

QString row(const QString& keys, const QString& what) {
  return QStringLiteral("<tr><td><b>%1</b>&nbsp;</td><td>%2</td></tr>")
      .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
}

/// Keys that a widget handles itself: they are not actions and cannot be changed.
QString ownKeysOf(ActionPlace place) {
  if (place == ActionPlace::Configure) {
    return row(QStringLiteral("Ctrl+Z"), tr("Undo")) +
           row(QStringLiteral("Ctrl+Shift+Z"), tr("Redo")) +
           row(QStringLiteral("Ctrl+Space"), tr("Autocomplete")) +
           row(QStringLiteral("Alt+Return"), tr("Apply the suggested fix"));
  }
  if (place != ActionPlace::Monitor) return {};
  return row(QStringLiteral("Up"), tr("Previous run")) +
         row(QStringLiteral("Down"), tr("Next run")) +
         row({}, tr("Ctrl+wheel zooms into a curve")) + row({}, tr("Ctrl+drag selects a range")) +
         row({}, tr("A click on a legend's name hides it"));
}

QString keysOf(const QAction* action) {
  QStringList texts;
  for (const QKeySequence& keys : action->shortcuts())
    texts << keys.toString(QKeySequence::NativeText);
  return texts.join(QLatin1Char(' '));
}

QString tableOf(const QList<QAction*>& actions, const QList<ActionPlace>& places) {
  QString html = QStringLiteral("<table cellspacing='4'>");
  for (const ActionPlace place : places) {
    html += QStringLiteral("<tr><td colspan='2'><u>%1</u></td></tr>").arg(placeName(place));
    for (const QAction* action : actions) {
      if (widgets::placeOf(action) == place && !action->shortcut().isEmpty())
        html += row(keysOf(action), widgets::listedText(action));
    }
    html += ownKeysOf(place);
  }
  return html + QStringLiteral("</table>");
}

}  // namespace

void showShortcutSheet(QWidget* window) {
  const QList<QAction*> actions = widgets::namedActions(window);
  auto* sheet = new QFrame(window, Qt::Popup);
  widgets::setRole(sheet, "card");
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->setObjectName(QStringLiteral("shortcutSheet"));
  auto* columns = new QHBoxLayout(sheet);
  columns->setContentsMargins(18, 14, 18, 14);
  columns->setSpacing(24);
  const QList<QList<ActionPlace>> placesOfColumns{
      {ActionPlace::Everywhere},
      {ActionPlace::Configure, ActionPlace::Runs, ActionPlace::Monitor},
      {ActionPlace::Predictions}};
  for (const QList<ActionPlace>& places : placesOfColumns) {
    auto* text = new QLabel(tableOf(actions, places));
    text->setTextFormat(Qt::RichText);
    columns->addWidget(text, 0, Qt::AlignTop);
  }
  sheet->adjustSize();
  sheet->move(window->mapToGlobal(window->rect().center()) - sheet->rect().center());
  sheet->show();
}

}  // namespace lockstep::app
