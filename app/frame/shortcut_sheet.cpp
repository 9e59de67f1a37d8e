#include "app/frame/shortcut_sheet.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QList>

namespace lockstep::app {
namespace {

struct Keys {
  const char* keys;  ///< of one action, separated by spaces
  const char* what;
};
struct Group {
  const char* title;
  QList<Keys> rows;
};

const char* const kContext = "ShortcutSheet";

QList<Group> everywhere() {
  return {{QT_TRANSLATE_NOOP("ShortcutSheet", "Everywhere"),
           {{"Ctrl+1", "Configure"},
            {"Ctrl+2", "Monitor"},
            {"Ctrl+3", "Predictions"},
            {"Ctrl+O", "Open an experiment"},
            {"Ctrl+S", "Save the experiment"},
            {"Ctrl+Shift+S", "Save the experiment as"},
            {"Ctrl+Shift+O", "Open a folder of runs"},
            {"Ctrl+Return", "Train"},
            {"Ctrl+Shift+Return", "Add to the queue"},
            {"Ctrl+Shift+P", "Pause or resume"},
            {"Ctrl+.", "Save a checkpoint and stop"},
            {"Ctrl+D", "Duplicate configuration"},
            {"/", "Filter runs"},
            {"Esc", "Clear the filter, dismiss a message"},
            {"F1 ?", "Keyboard shortcuts"},
            {"F10", "Menu"},
            {"F11", "Full screen"},
            {"Ctrl+Q", "Close the window; runs keep training"}}}};
}

QList<Group> configureAndMonitor() {
  return {{QT_TRANSLATE_NOOP("ShortcutSheet", "Configure"),
           {{"Ctrl+F", "Search keys"},
            {"Ctrl+Z", "Undo"},
            {"Ctrl+Shift+Z", "Redo"},
            {"Ctrl+Space", "Autocomplete"},
            {"Alt+Return", "Apply the suggested fix"}}},
          {QT_TRANSLATE_NOOP("ShortcutSheet", "Runs"),
           {{"F2", "Rename"},
            {"Ctrl+T", "Tags"},
            {"Del", "Move to trash"},
            {"Alt+Up", "Earlier in the queue"},
            {"Alt+Down", "Later in the queue"}}},
          {QT_TRANSLATE_NOOP("ShortcutSheet", "Monitor"),
           {{"Up", "Previous run"},
            {"Down", "Next run"},
            {"L", "Log-scale Y"},
            {"X", "Log-scale X"},
            {"S", "Smoothing"},
            {"O", "Ignore outliers"},
            {"R", "Reset zoom"},
            {"F", "Maximize a card"},
            {"", "Ctrl+wheel zooms into a curve"}}}};
}

QList<Group> predictions() {
  return {{QT_TRANSLATE_NOOP("ShortcutSheet", "Predictions"),
           {{"A Left", "Previous image"},
            {"D Right", "Next image"},
            {"N", "Next error"},
            {"Shift+N", "Previous error"},
            {"Up", "Previous object"},
            {"Down", "Next object"},
            {"P", "Select what is under the pointer"},
            {",", "Earlier checkpoint"},
            {".", "Later checkpoint"},
            {"Shift+Up", "Higher score threshold"},
            {"Shift+Down", "Lower score threshold"},
            {"G", "Ground truth"},
            {"M", "Masks"},
            {"B", "Boxes"},
            {"T", "Labels"},
            {"0 R", "Fit image"},
            {"1", "Actual size"},
            {"+ =", "Zoom in"},
            {"-", "Zoom out"},
            {"F", "Maximize the image"}}}};
}

QString tableOf(const QList<Group>& groups) {
  QString html = QStringLiteral("<table cellspacing='4'>");
  for (const Group& group : groups) {
    html += QStringLiteral("<tr><td colspan='2'><u>%1</u></td></tr>")
                .arg(QCoreApplication::translate(kContext, group.title));
    for (const Keys& row : group.rows)
      html +=
          QStringLiteral("<tr><td><b>%1</b>&nbsp;</td><td>%2</td></tr>")
              .arg(QString::fromLatin1(row.keys), QCoreApplication::translate(kContext, row.what));
  }
  return html + QStringLiteral("</table>");
}

}  // namespace

void showShortcutSheet(QWidget* window) {
  auto* sheet = new QWidget(window, Qt::Popup);
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->setObjectName(QStringLiteral("shortcutSheet"));
  auto* columns = new QHBoxLayout(sheet);
  columns->setContentsMargins(18, 14, 18, 14);
  columns->setSpacing(24);
  for (const QList<Group>& groups : {everywhere(), configureAndMonitor(), predictions()}) {
    auto* text = new QLabel(tableOf(groups));
    text->setTextFormat(Qt::RichText);
    columns->addWidget(text, 0, Qt::AlignTop);
  }
  sheet->adjustSize();
  sheet->move(window->mapToGlobal(window->rect().center()) - sheet->rect().center());
  sheet->show();
}

}  // namespace lockstep::app
