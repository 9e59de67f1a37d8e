#include "app/frame/shortcut_sheet.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QList>

namespace lockstep::app {
namespace {

struct Keys {
  const char* keys;  ///< separated by spaces
  const char* what;
};
struct Group {
  const char* title;
  QList<Keys> rows;
};

const char* const kContext = "ShortcutSheet";

QList<Group> everywhereAndConfigure() {
  return {{QT_TRANSLATE_NOOP("ShortcutSheet", "Everywhere"),
           {{"Ctrl+1 Ctrl+2 Ctrl+3", "Configure, Monitor, Predictions"},
            {"Ctrl+O", "Open an experiment"},
            {"Ctrl+S Ctrl+Shift+S", "Save the experiment, save it as"},
            {"Ctrl+Shift+O", "Open a folder of runs"},
            {"Ctrl+Return", "Train"},
            {"Ctrl+Shift+P", "Pause, resume"},
            {"Ctrl+.", "Save a checkpoint and stop"},
            {"Ctrl+D", "Edit a copy of the run's configuration"},
            {"/ Esc", "Filter runs; clear, dismiss"},
            {"F1 ?", "Keyboard shortcuts"},
            {"F10 F11", "Menu, full screen"},
            {"Ctrl+Q", "Close the window; runs keep training"}}},
          {QT_TRANSLATE_NOOP("ShortcutSheet", "Configure"),
           {{"Ctrl+F", "Search keys"},
            {"Ctrl+Z Ctrl+Shift+Z", "Undo, redo"},
            {"Ctrl+Space", "Autocomplete"},
            {"Alt+Return", "Apply the suggested fix"}}}};
}

QList<Group> monitorAndPredictions() {
  return {{QT_TRANSLATE_NOOP("ShortcutSheet", "Monitor"),
           {{"Up Down", "Previous, next run"},
            {"L X S O", "Log Y, log X, smoothing, outliers"},
            {"R F", "Reset zoom, maximize a card"},
            {"", "Ctrl+wheel zooms into a curve"}}},
          {QT_TRANSLATE_NOOP("ShortcutSheet", "Predictions"),
           {{"A D Left Right", "Previous, next image"},
            {"N Shift+N", "Next, previous error"},
            {"Up Down", "Previous, next object"},
            {"P", "Select what is under the pointer"},
            {", .", "Earlier, later checkpoint"},
            {"Shift+Up Shift+Down", "Higher, lower score threshold"},
            {"G M B T", "Ground truth, masks, boxes, labels"},
            {"0 R 1", "Fit image, actual size"},
            {"+ = -", "Zoom in, out"},
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
  for (const QList<Group>& groups : {everywhereAndConfigure(), monitorAndPredictions()}) {
    auto* text = new QLabel(tableOf(groups));
    text->setTextFormat(Qt::RichText);
    columns->addWidget(text, 0, Qt::AlignTop);
  }
  sheet->adjustSize();
  sheet->move(window->mapToGlobal(window->rect().center()) - sheet->rect().center());
  sheet->show();
}

}  // namespace lockstep::app
