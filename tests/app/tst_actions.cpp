// The window's actions: found by words, triggered from the keyboard, their keys changed and kept.
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>
#include <set>

#include "app/configure/configure_page.h"
#include "app/frame/keys_dialog.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/action_keywords.h"
#include "widgets/named_action.h"

using namespace lockstep;
using app::MainWindow;
using app::Page;

namespace {

QAction* actionWithId(const QWidget& window, const char* id) {
  return window.findChild<QAction*>(QString::fromLatin1(id));
}

/// The palette's parts, while it is open.
struct Palette {
  QWidget* popup = nullptr;
  QLineEdit* words = nullptr;
  QTreeWidget* list = nullptr;

  explicit Palette(MainWindow& window) {
    QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
    for (QWidget* each : window.findChildren<QWidget*>(QStringLiteral("commandPalette")))
      if (each->isVisible()) popup = each;
    if (!popup) return;
    words = popup->findChild<QLineEdit*>();
    list = popup->findChild<QTreeWidget*>();
  }
  void type(const QString& text) const { QTest::keyClicks(words, text); }
  QString current() const { return list->currentItem() ? list->currentItem()->text(0) : QString(); }
  QStringList shown() const {
    QStringList texts;
    for (int i = 0; i < list->topLevelItemCount(); ++i)
      if (!list->topLevelItem(i)->isHidden()) texts << list->topLevelItem(i)->text(0);
    return texts;
  }
};

}  // namespace

class TstActions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    settings_ = std::make_unique<QTemporaryDir>();
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_->path());
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    widgets::setChosenKeys({});
  }
  void cleanup() {
    widgets::setChosenKeys({});
    for (QAction* action : widgets::namedActions(&window_.window())) {
      QList<QKeySequence> keys = widgets::defaultKeysOf(action);
      keys.removeAll(QKeySequence());
      action->setShortcuts(keys);
    }
  }

  void everyActionHasAnIdATextAndKeysOfItsOwn() {
    MainWindow& window = withAllPages();
    const QList<QAction*> actions = widgets::namedActions(&window);
    QVERIFY(actions.size() > 45);
    std::set<QString> ids, texts;
    for (const QAction* action : actions) {
      QVERIFY2(ids.insert(action->objectName()).second, qPrintable(action->objectName()));
      const QString place = widgets::placeName(widgets::placeOf(action));
      QVERIFY2(texts.insert(place + widgets::listedText(action)).second,
               qPrintable(widgets::listedText(action)));
      QVERIFY(!widgets::listedText(action).isEmpty());
      for (const QAction* other : actions) {
        if (other == action ||
            !widgets::shareKeys(widgets::placeOf(action), widgets::placeOf(other)))
          continue;
        for (const QKeySequence& keys : action->shortcuts())
          QVERIFY2(!other->shortcuts().contains(keys), qPrintable(keys.toString()));
      }
    }
  }

  /// Every action can be reached without a mouse, whether it has keys or not.
  void everyActionIsInThePalette() {
    MainWindow& window = window_.show({});
    Palette palette(window);
    QVERIFY(palette.popup);
    const QStringList shown = palette.shown();
    for (const QAction* action : widgets::namedActions(&window)) {
      if (!action->isVisible()) continue;  // a recent file that there is not
      if (action->objectName() == QStringLiteral("window.palette") ||
          action->objectName() == QStringLiteral("window.escape")) {
        QVERIFY2(!action->shortcuts().isEmpty(), qPrintable(action->objectName()));
        continue;
      }
      const QString text = widgets::listedText(action);
      QVERIFY2(std::ranges::any_of(shown, [&](const QString& row) { return row.endsWith(text); }),
               qPrintable(text));
    }
    QTest::keyClick(palette.words, Qt::Key_Escape);
    QTRY_VERIFY(!window.findChild<QWidget*>(QStringLiteral("commandPalette")));
  }

  void thePaletteGoesToARun() {
    QTemporaryDir parent;
    const QString first = tests::makeRun(parent.path(), tests::made("first one", 1000));
    const QString second = tests::makeRun(parent.path(), tests::made("second one", 2000));
    MainWindow& window = window_.show({parent.path(), first});
    QCOMPARE(window.runsPanel()->currentRun(), first);
    const Palette palette(window);
    QVERIFY(palette.popup);
    QVERIFY(!palette.shown().join(u'\n').contains(QStringLiteral("Go to run")));
    palette.type(QStringLiteral("second go to"));
    QCOMPARE(palette.shown(), QStringList{QStringLiteral("Go to run: second one")});
    QTest::keyClick(palette.words, Qt::Key_Return);
    QTRY_COMPARE(window.runsPanel()->currentRun(), second);
  }

  /// What its menu in the list has, and no named action.
  void thePaletteHasTheActionsOfTheSelectedRun() {
    QTemporaryDir parent;
    const QString run = tests::makeRun(parent.path(), tests::MadeRun());
    MainWindow& window = window_.show({run});
    const Palette palette(window);
    const QString prefix = QStringLiteral("Selected run: ");
    const QStringList shown = palette.shown();
    for (const char* text : {"Copy path", "Archive", "Pin to the top", "Note"})
      QVERIFY2(shown.contains(prefix + QLatin1String(text)), text);
    QVERIFY(!shown.contains(prefix + QStringLiteral("Rename")));  // a named one
    palette.type(QStringLiteral("selected copy path"));
    QTest::keyClick(palette.words, Qt::Key_Return);
    QCOMPARE(QGuiApplication::clipboard()->text(), run);
  }

  void wordsFindAnActionAndReturnTriggersIt() {
    QTemporaryDir parent;
    const QString run = tests::makeRun(parent.path(), tests::MadeRun());
    MainWindow& window = window_.show({run});
    window.showPage(Page::Configure);
    const Palette palette(window);
    QVERIFY(palette.popup);
    palette.type(QStringLiteral("log y scale"));
    QCOMPARE(palette.shown(), QStringList{QStringLiteral("Monitor: Log-scale Y")});
    bool triggered = false;
    connect(actionWithId(window, "monitor.log_y"), &QAction::triggered, this,
            [&] { triggered = true; });
    QTest::keyClick(palette.words, Qt::Key_Return);
    QVERIFY(triggered);
    QCOMPARE(window.page(), Page::Monitor);
    // What was used is listed first.
    const Palette again(window);
    QCOMPARE(again.shown().first(), QStringLiteral("Monitor: Log-scale Y"));
    QTest::keyClick(again.words, Qt::Key_Escape);
  }

  /// What a person calls them, whatever their names are.
  void everyUsualWordFindsAnAction_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("first");
    const auto row = [](const char* words, const char* first) {
      QTest::newRow(words) << QString::fromLatin1(words) << QString::fromLatin1(first);
    };
    row("sort", "Runs, sort by: Newest first, pinned on top");
    row("sort duration", "Runs, sort by: Duration");
    row("group", "Columns, order and groups of the runs");
    row("group state", "Runs, group by: State");
    row("seeds", "Monitor: Groups of runs as mean and deviation, or each run");
    row("smooth", "Monitor: Smoothing on or off");
    row("moving average", "Monitor: Smoothing on or off");
    row("export", "Monitor: Export");
    row("save picture", "Monitor: Export");
    row("zoom", "Monitor: Reset zoom");
    row("fit all", "Monitor: Reset zoom");
    row("dark", "Theme: Dark");
    row("night", "Theme: Dark");
    row("quit", "Close the window (runs keep training)");
    row("shortcuts", "Keyboard shortcuts");
    row("warnings", "Show the alerts");
    row("search log", "Filter the log");
  }
  void everyUsualWordFindsAnAction() {
    QFETCH(QString, words);
    QFETCH(QString, first);
    MainWindow& window = window_.show({});
    const Palette palette(window);
    QVERIFY(palette.popup);
    palette.type(words);
    QCOMPARE(palette.current(), first);
    palette.popup->close();
  }

  void keywordsAreOfActions() {
    MainWindow& window = withAllPages();
    for (const QString& id : widgets::actionsWithKeywords())
      QVERIFY2(window.findChild<QAction*>(id), qPrintable(id));
  }

  void theNameOfADockShowsIt() {
    MainWindow& window = window_.show({});
    const Palette palette(window);
    QVERIFY(palette.popup);
    for (const char* name : {"Inspector", "Devices"}) {
      palette.words->clear();
      palette.type(QString::fromLatin1(name).toLower());
      QCOMPARE(palette.current(), QStringLiteral("%1: show or hide").arg(QLatin1String(name)));
    }
    palette.popup->close();
  }

  void arrowsPassOverWhatCannotBeDone() {
    MainWindow& window = window_.show({});
    const Palette palette(window);
    QVERIFY(palette.popup);
    std::set<QString> passed{palette.current()};
    for (int i = 0; i < 60; ++i) {
      QTest::keyClick(palette.words, Qt::Key_Down);
      passed.insert(palette.current());
      QVERIFY(!palette.list->currentItem()->isDisabled());
    }
    QVERIFY(passed.size() > 20);
    QVERIFY(!passed.count(QStringLiteral("Save experiment")));  // none is open
    QVERIFY(!actionWithId(window, "experiment.check")->isEnabled());
    palette.type(QStringLiteral("save experiment as"));
    QVERIFY(palette.current().isEmpty());
    QTest::keyClick(palette.words, Qt::Key_Return);
    QVERIFY(palette.popup->isVisible());
    palette.popup->close();
  }

  void whatBecomesImpossibleWhileThePaletteIsOpenIsNotTriggered() {
    MainWindow& window = window_.show({});
    QAction* action = actionWithId(window, "page.compare");
    const auto restore = qScopeGuard([action] { action->setEnabled(true); });
    const Palette palette(window);
    palette.type(QStringLiteral("Show Compare"));
    QCOMPARE(palette.current(), QStringLiteral("Show Compare"));
    action->setEnabled(false);
    QTest::keyClick(palette.words, Qt::Key_Return);
    QVERIFY(palette.popup->isVisible());
    QVERIFY(palette.list->currentItem()->isDisabled());
    palette.popup->close();
  }

  void changedKeysWorkAtOnceAndInTheNextWindow() {
    widgets::ThemeSwitch theme;
    const auto open = [&theme] { return tests::openWindow(theme, tests::keepingOptionsFor({})); };
    {
      const auto window = open();
      app::KeysDialog dialog(window.get(), true);
      dialog.show();
      choose(dialog, QStringLiteral("Full screen"));
      dialog.findChild<QKeySequenceEdit*>()->setKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F);
      QTest::mouseClick(buttonOf(dialog, "Set keys"), Qt::LeftButton);
      QCOMPARE(actionWithId(*window, "window.full_screen")->shortcut(),
               QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F));
    }
    {
      const auto window = open();
      QCOMPARE(actionWithId(*window, "window.full_screen")->shortcut(),
               QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F));
      app::KeysDialog dialog(window.get(), true);
      choose(dialog, QStringLiteral("Full screen"));
      QTest::mouseClick(buttonOf(dialog, "Reset to the default"), Qt::LeftButton);
    }
    QCOMPARE(actionWithId(*open(), "window.full_screen")->shortcut(), QKeySequence(Qt::Key_F11));
  }

  void keysOfAnotherActionAreTakenFromItAfterAWarning() {
    MainWindow& window = window_.show({});
    app::KeysDialog dialog(&window, false);
    dialog.show();
    choose(dialog, QStringLiteral("Full screen"));
    auto* note = dialog.findChild<QLabel*>(QStringLiteral("keysNote"));
    dialog.findChild<QKeySequenceEdit*>()->setKeySequence(Qt::Key_L);  // of Monitor
    QVERIFY2(note->text().contains(QStringLiteral("Log-scale Y")), qPrintable(note->text()));
    QTest::mouseClick(buttonOf(dialog, "Set keys"), Qt::LeftButton);
    QVERIFY(actionWithId(window, "monitor.log_y")->shortcuts().isEmpty());
    QCOMPARE(actionWithId(window, "window.full_screen")->shortcut(), QKeySequence(Qt::Key_L));
  }

  /// One key may mean two actions, on two pages; and a default may be another's by now.
  void allOthersLoseTheKeys() {
    MainWindow& window = withAllPages();
    app::KeysDialog dialog(&window, false);
    dialog.show();
    auto* edit = dialog.findChild<QKeySequenceEdit*>();
    choose(dialog, QStringLiteral("Menu"));
    edit->setKeySequence(Qt::Key_F);
    auto* note = dialog.findChild<QLabel*>(QStringLiteral("keysNote"));
    QVERIFY(note->text().contains(QStringLiteral("Maximize a card")) &&
            note->text().contains(QStringLiteral("Maximize the image")));
    QTest::mouseClick(buttonOf(dialog, "Set keys"), Qt::LeftButton);
    QVERIFY(actionWithId(window, "monitor.maximize")->shortcuts().isEmpty());
    QVERIFY(actionWithId(window, "predictions.maximize")->shortcuts().isEmpty());
    choose(dialog, QStringLiteral("Full screen"));
    edit->setKeySequence(Qt::Key_F10);
    QTest::mouseClick(buttonOf(dialog, "Set keys"), Qt::LeftButton);
    edit->setKeySequence(Qt::Key_F10);
    choose(dialog, QStringLiteral("Menu"));
    QTest::mouseClick(buttonOf(dialog, "Reset to the default"), Qt::LeftButton);
    QCOMPARE(actionWithId(window, "window.menu")->shortcut(), QKeySequence(Qt::Key_F10));
    QVERIFY(actionWithId(window, "window.full_screen")->shortcuts().isEmpty());
    // Keys that are set again as they are keep the second one.
    choose(dialog, QStringLiteral("Keyboard shortcuts"));
    QTest::mouseClick(buttonOf(dialog, "Set keys"), Qt::LeftButton);
    QCOMPARE(actionWithId(window, "window.keys")->shortcuts().size(), 2);
  }

  void theKeysOfTheRowThatIsSeenAreSet() {
    MainWindow& window = window_.show({});
    app::KeysDialog dialog(&window, false);
    dialog.show();
    QTest::keyClicks(dialog.findChild<QLineEdit*>(), QStringLiteral("theme: dark"));
    dialog.findChild<QKeySequenceEdit*>()->setKeySequence(Qt::CTRL | Qt::Key_F9);
    QTest::mouseClick(buttonOf(dialog, "Set keys"), Qt::LeftButton);
    QCOMPARE(actionWithId(window, "window.theme_dark")->shortcut(),
             QKeySequence(Qt::CTRL | Qt::Key_F9));
    dialog.findChild<QLineEdit*>()->setText(QStringLiteral("no such action"));
    QVERIFY(!buttonOf(dialog, "Set keys")->isEnabled());
  }

  void keysOfTheWindowAreNotThoseOfAPanel() {
    using enum widgets::ActionPlace;
    QVERIFY(widgets::shareKeys(Inspector, Monitor) && widgets::shareKeys(Monitor, Inspector));
    QVERIFY(widgets::shareKeys(Runs, Monitor));
    QVERIFY(!widgets::shareKeys(Inspector, Runs) && !widgets::shareKeys(Inspector, Configure));
  }

  void aTooltipNamesTheKeysAsTheyAreNow() {
    MainWindow& window = window_.show({});
    auto* stop = window.findChild<QPushButton*>(QStringLiteral("stopButton"));
    QVERIFY(widgets::toolTipWithKeys(stop).endsWith(QStringLiteral("(Ctrl+.)")));
    actionWithId(window, "run.stop")->setShortcut(Qt::CTRL | Qt::Key_F12);
    QVERIFY(widgets::toolTipWithKeys(stop).endsWith(QStringLiteral("(Ctrl+F12)")));
    actionWithId(window, "run.stop")->setShortcuts(QList<QKeySequence>());
    QCOMPARE(widgets::toolTipWithKeys(stop), stop->toolTip());
  }

 private:
  MainWindow& withAllPages() {
    MainWindow& window = window_.show({});
    window.configurePage();
    window.predictionsPage();
    window.dataPage();
    window.comparePage();
    return window;
  }
  static void choose(app::KeysDialog& dialog, const QString& name) {
    auto* list = dialog.findChild<QTreeWidget*>();
    list->setCurrentItem(list->findItems(name, Qt::MatchExactly, 1).first());
  }
  static QPushButton* buttonOf(app::KeysDialog& dialog, const char* text) {
    for (auto* button : dialog.findChildren<QPushButton*>())
      if (button->text() == QString::fromLatin1(text)) return button;
    return nullptr;
  }

  tests::SharedWindow window_;
  std::unique_ptr<QTemporaryDir> settings_;
};

LOCKSTEP_TEST(TstActions)
#include "tst_actions.moc"
