// A run has one name and one state wherever the window shows them.
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include "app/data/data_page.h"
#include "app/frame/main_window.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/runs_panel.h"
#include "app/runs/panel/state_pill.h"
#include "engine/run_folder/run_notes.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::MainWindow;

class TstRunNames : public QObject {
  Q_OBJECT

 private:
  widgets::ThemeSwitch theme_;

  static QStringList sourcesOf(MainWindow& window) {
    QStringList names;
    for (const auto* box : window.dataPage()->findChildren<QComboBox*>())
      for (int i = 0; i < box->count(); ++i) names << box->itemText(i);
    return names;
  }

 private Q_SLOTS:
  void theUsersNameReplacesThatOfTheExperimentEverywhere() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), tests::made("droplets", 1795255200));
    MainWindow window(&theme_, tests::optionsFor({parent.path()}, app::Page::Data));
    window.show();
    QTRY_VERIFY(window.isReady());
    const auto* shown = window.findChild<QLabel*>(QStringLiteral("runName"));
    const auto* list = window.findChild<app::RunListModel*>();
    const auto isEverywhere = [&](const QString& name) {
      return shown->text() == name && list->nameOf(folder) == name &&
             window.windowTitle().startsWith(name) &&
             sourcesOf(window).contains(QStringLiteral("Training set of run %1").arg(name));
    };
    QTRY_VERIFY2(isEverywhere(QStringLiteral("droplets")),
                 qPrintable(shown->text() + window.windowTitle() + sourcesOf(window).join(u'|')));
    QVERIFY2(shown->toolTip().contains(folder), qPrintable(shown->toolTip()));
    run_folder::RunNotes notes;
    notes.name = "the good one";
    run_folder::writeRunNotes(run_folder::Layout(folder.toStdString()), notes);
    window.findChild<app::RunListModel*>()->refresh();
    QTRY_VERIFY(isEverywhere(QStringLiteral("the good one")));
    QCOMPARE(list->namesOf({folder}), QStringList{QStringLiteral("the good one")});
  }

  /// Its own state before it was read is that of a new one.
  void aRunThatIsNotReadYetHasTheStateOfTheList() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), {});
    MainWindow window(&theme_, tests::optionsFor({folder}, app::Page::Configure));
    const auto* pill = window.findChild<app::StatePill*>();
    QStringList states;
    QObject::connect(&window, &MainWindow::readyChanged, &window,
                     [&] { states << pill->accessibleName(); });
    window.show();
    states << pill->accessibleName();
    QTRY_VERIFY(window.isReady() && pill->accessibleName() == QStringLiteral("finished"));
    states.removeAll(QString());
    states.removeDuplicates();
    QCOMPARE(states, QStringList{QStringLiteral("finished")});
  }
};

LOCKSTEP_TEST(TstRunNames)
#include "tst_run_names.moc"
