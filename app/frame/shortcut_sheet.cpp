#include "app/frame/shortcut_sheet.h"

#include <QAction>
#include <QCoreApplication>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QList>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

#include "widgets/named_action.h"
#include "widgets/role.h"

namespace lockstep::app {
namespace {

using widgets::ActionPlace;

constexpr int kMostColumns = 3, kMarginPx = 24, kBorderPx = 1;

struct ShortcutSheetText {
  Q_DECLARE_TR_FUNCTIONS(ShortcutSheet)
};

QString row(const QString& keys, const QString& what) {
  return QStringLiteral("<tr><td><b>%1</b>&nbsp;</td><td>%2</td></tr>")
      .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
}

/// Keys that a widget handles itself: they are not actions and cannot be changed.
QString ownKeysOf(ActionPlace place) {
  if (place == ActionPlace::Configure) {
    return row(QStringLiteral("Ctrl+Space"), ShortcutSheetText::tr("Autocomplete")) +
           row(QStringLiteral("Alt+Return"), ShortcutSheetText::tr("Apply the suggested fix"));
  }
  if (place != ActionPlace::Monitor) return {};
  return row(QStringLiteral("Up"), ShortcutSheetText::tr("Previous run")) +
         row(QStringLiteral("Down"), ShortcutSheetText::tr("Next run")) +
         row({}, ShortcutSheetText::tr("Ctrl+wheel zooms into a curve")) +
         row({}, ShortcutSheetText::tr("Ctrl+drag selects a range")) +
         row({}, ShortcutSheetText::tr("A click on a legend's name hides it"));
}

QString keysTextOf(const QAction* action) {
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
        html += row(keysTextOf(action), widgets::listedText(action));
    }
    html += ownKeysOf(place);
  }
  return html + QStringLiteral("</table>");
}

QList<QList<ActionPlace>> placesIn(int columns) {
  using enum ActionPlace;
  if (columns == 3)
    return {{Everywhere}, {Configure, Runs, Monitor}, {Predictions, Data, Compare, Inspector}};
  if (columns == 2)
    return {{Everywhere}, {Configure, Runs, Monitor, Predictions, Data, Compare, Inspector}};
  return {{Everywhere, Configure, Runs, Monitor, Predictions, Data, Compare, Inspector}};
}

QWidget* makeColumns(const QList<QAction*>& actions, int count) {
  auto* content = new QWidget;
  auto* columns = new QHBoxLayout(content);
  columns->setContentsMargins(18, 14, 18, 14);
  columns->setSpacing(24);
  for (const QList<ActionPlace>& places : placesIn(count)) {
    auto* text = new QLabel(tableOf(actions, places));
    text->setTextFormat(Qt::RichText);
    columns->addWidget(text, 0, Qt::AlignTop);
  }
  return content;
}

/// In as many columns as fit into this width.
QWidget* makeContent(const QList<QAction*>& actions, int widthPx) {
  for (int count = kMostColumns; count > 1; --count) {
    QWidget* content = makeColumns(actions, count);
    if (content->sizeHint().width() <= widthPx) return content;
    delete content;
  }
  return makeColumns(actions, 1);
}

}  // namespace

void showShortcutSheet(QWidget* window) {
  auto* sheet = new QFrame(window, Qt::Popup);
  widgets::setRole(sheet, "card");
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->setObjectName(QStringLiteral("shortcutSheet"));
  const QSize room = window->size() - QSize(kMarginPx, kMarginPx);
  auto* scroll = new QScrollArea;
  const int framePx = 2 * (sheet->frameWidth() + kBorderPx);
  const int besidePx = framePx + sheet->style()->pixelMetric(QStyle::PM_ScrollBarExtent);
  QWidget* content = makeContent(widgets::namedActions(window), room.width() - besidePx);
  scroll->setWidget(content);
  scroll->setAccessibleName(ShortcutSheetText::tr("Keyboard shortcuts"));
  auto* column = new QVBoxLayout(sheet);
  column->setContentsMargins(kBorderPx, kBorderPx, kBorderPx, kBorderPx);
  column->addWidget(scroll);
  const QSize whole = content->sizeHint() + QSize(besidePx, framePx);
  sheet->resize(whole.boundedTo(room));
  sheet->move(window->mapToGlobal(window->rect().center()) - sheet->rect().center());
  sheet->show();
  scroll->setFocus();  // the arrow keys scroll
}

}  // namespace lockstep::app
