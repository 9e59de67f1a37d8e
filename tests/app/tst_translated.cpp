// Every text that a person reads goes through tr(): with a translator that marks all it is asked
// for, the window shows no text without the mark. Names, values, keys, tags and paths are excepted.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <algorithm>
#include <cmath>

#include "app/configure/range_test_dialog.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/fork_dialog.h"
#include "app/runs/panel/run_menu.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using app::Page;

namespace {

constexpr char16_t kMark = u'\u29D6';

class MarkingTranslator : public QTranslator {
 public:
  QString translate(const char*, const char* source, const char*, int) const override {
    return kMark + QString::fromUtf8(source);
  }
  bool isEmpty() const override { return false; }
};

/// A key, tag, path, address, number or file name, or the program's own name.
bool isNameOrValue(const QString& text) {
  static const QRegularExpression name(
      QStringLiteral("^[\\w./:\\-+*#%,()\\[\\]{}=~]*[._/0-9=~][\\w./:\\-+*#%,()\\[\\]{}=~]*$"));
  static const QRegularExpression letters(QStringLiteral("[A-Za-z]{2}"));
  return !text.contains(letters) || name.match(text).hasMatch() ||
         text == QLatin1String("Lockstep");
}

class Texts {
 public:
  /// `excepted`: names that a person gave.
  explicit Texts(QStringList excepted) : excepted_(std::move(excepted)) {}

  void walk(const QWidget& window) {
    for (const auto* widget : window.findChildren<QWidget*>())
      if (widget->isVisibleTo(&window)) addOf(*widget);
    for (const auto* action : window.findChildren<QAction*>()) {
      if (action->parent() && action->parent()->inherits("QLineEdit")) continue;  // Qt's own
      add(*action, "text", action->text());
      add(*action, "tooltip", action->toolTip());
    }
    for (const auto* menu : window.findChildren<QMenu*>()) add(*menu, "title", menu->title());
    add(window, "title", window.windowTitle());
  }
  /// Each once.
  QStringList unmarked() const { return unmarked_; }

 private:
  void addOf(const QWidget& widget) {
    add(widget, "tooltip", widget.toolTip());
    add(widget, "accessible name", widget.accessibleName());
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) {
      // Faults of a value are the engine's words, as on its command line.
      const QString role = label->property("role").toString();
      if (role != QLatin1String("mono") && role != QLatin1String("error"))
        add(widget, "text", label->text());
    } else if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) {
      add(widget, "text", button->text());
    } else if (const auto* edit = qobject_cast<const QLineEdit*>(&widget)) {
      add(widget, "placeholder", edit->placeholderText());
    } else if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
      for (int i = 0; i < tabs->count(); ++i) add(widget, "tab", tabs->tabText(i));
    } else if (const auto* dock = qobject_cast<const QDockWidget*>(&widget)) {
      add(widget, "title", dock->windowTitle());
    }
    if (const auto* view = qobject_cast<const QHeaderView*>(&widget))
      for (int i = 0; view->model() && i < view->count(); ++i)
        add(widget, "header", view->model()->headerData(i, view->orientation()).toString());
  }
  void add(const QObject& object, const char* what, const QString& text) {
    if (text.contains(kMark) || isNameOrValue(text.trimmed()) || excepted_.contains(text)) return;
    for (const QString& line : text.split(u'\n'))
      if (!isNameOrValue(line.trimmed()))
        unmarked_.append(QStringLiteral("%1 %2, %3: %4")
                             .arg(QLatin1String(object.metaObject()->className()),
                                  object.objectName(), QLatin1String(what), line));
  }

  QStringList excepted_, unmarked_;
};

}  // namespace

class TstTranslated : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(QCoreApplication::installTranslator(&translator_));
    run_ = tests::makeRun(folder_.path(), {});
    experiment_ = folder_.filePath(QStringLiteral("own.yaml"));
    QFile file(experiment_);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("solver:\n  base_lr: -1\n") > 0);
  }
  void cleanupTestCase() { QCoreApplication::removeTranslator(&translator_); }

  void everyTextOfThePagesIsMarked_data() {
    QTest::addColumn<int>("page");
    QTest::newRow("configure") << static_cast<int>(Page::Configure);
    QTest::newRow("monitor") << static_cast<int>(Page::Monitor);
    QTest::newRow("predictions") << static_cast<int>(Page::Predictions);
    QTest::newRow("data") << static_cast<int>(Page::Data);
    QTest::newRow("compare") << static_cast<int>(Page::Compare);
  }
  void everyTextOfThePagesIsMarked() {
    QFETCH(int, page);
    MainWindow& window = window_.show({run_, experiment_}, static_cast<Page>(page));
    window.configurePage();
    window.predictionsPage();
    window.dataPage();
    window.comparePage();
    QTRY_VERIFY(window.isReady());
    // The state is the word of run.json, which filters are typed with.
    // Beside it, keys and default values of the form.
    Texts texts({QStringLiteral("made"), QStringLiteral("finished"), QStringLiteral("name"),
                 QStringLiteral("base"), QStringLiteral("auto"), QStringLiteral("none"),
                 QStringLiteral("4 GiB")});
    texts.walk(window);
    for (const QString& text : texts.unmarked()) qWarning().noquote() << text;
    QVERIFY(texts.unmarked().isEmpty());
  }

  void everyTextOfTheDialogsIsMarked_data() {
    QTest::addColumn<QString>("action");
    for (const char* action : {"monitor.export", "window.palette", "window.keys", "experiment.new"})
      QTest::newRow(action) << QString::fromLatin1(action);
  }
  void everyTextOfTheDialogsIsMarked() {
    QFETCH(QString, action);
    const MainWindow& window = window_.show({run_});
    window.findChild<QAction*>(action)->trigger();
    QWidget* dialog = nullptr;
    for (auto* each : window.findChildren<QWidget*>())
      if (each->isWindow() && each->isVisible()) dialog = each;
    if (!dialog) dialog = window.findChild<QWidget*>(QStringLiteral("commandPalette"));
    QVERIFY(dialog);
    check(*dialog);
    dialog->close();
  }

  void everyTextOfAFork() {
    app::ForkDialog dialog(
        QStringLiteral("made"), {{40, true}, {20, false}},
        [](qint64, const QStringList&) { return QString(); }, nullptr);
    dialog.show();
    check(dialog);
  }

  void everyTextOfARangeTest_data() {
    QTest::addColumn<bool>("found");
    QTest::addColumn<QString>("experiment");
    QTest::newRow("a learning rate") << true << QStringLiteral("a.yaml");
    QTest::newRow("no experiment") << true << QString();
    QTest::newRow("none") << false << QStringLiteral("a.yaml");
  }
  void everyTextOfARangeTest() {
    QFETCH(bool, found);
    QFETCH(QString, experiment);
    std::vector<config::RangeTestStep> steps;
    for (int i = 0; found && i < 140; ++i) {
      const float at = static_cast<float>(i);
      const float loss = 4 - 3 / (1 + std::exp((60 - at) / 8)) + std::max(0.F, at - 110);
      steps.push_back({1e-6F * std::pow(10.F, at / 20), loss, loss});
    }
    app::RangeTestDialog dialog(QStringLiteral("made"), steps, experiment, nullptr);
    dialog.show();
    check(dialog);
  }

  void everyTextOfTheMenusOfRuns_data() {
    QTest::addColumn<int>("runs");
    QTest::newRow("one") << 1;
    QTest::newRow("two") << 2;
  }
  void everyTextOfTheMenusOfRuns() {
    QFETCH(int, runs);
    QTemporaryDir folder;
    for (int i = 0; i < runs; ++i) {
      tests::MadeRun run;
      run.keptCheckpoints = {40};
      run.name += i == 0 ? "" : "2";
      tests::makeRun(folder.path(), run);
    }
    const MainWindow& window = window_.show({folder.path()});
    auto* list = window.runsPanel()->findChild<QAbstractItemView*>(QStringLiteral("runList"));
    QCOMPARE(window.findChild<app::RunListModel*>()->rowCount(), runs);
    QStringList chosen;
    for (int row = 0; row < runs; ++row)
      chosen << list->model()->index(row, 0).data(app::RunListModel::FolderRole).toString();
    QVERIFY(!chosen.contains(QString()));
    app::RunMenu menu(window.runsPanel(), chosen);
    menu.popup({});
    check(menu);
  }

  void everyTextOfTheMenuOfACard() {
    const MainWindow& window = window_.show({run_});
    widgets::CurveCard* card = window.monitorPage()->cards().front();
    Q_EMIT card->plot()->menuRequested(card->mapToGlobal(card->rect().center()));
    auto* menu = card->findChild<QMenu*>();
    QVERIFY(menu && menu->actions().size() > 5);
    check(*menu);
    menu->close();
  }

 private:
  static void check(const QWidget& window) {
    Texts texts({QStringLiteral("made")});
    texts.walk(window);
    for (const QString& text : texts.unmarked()) qWarning().noquote() << text;
    QVERIFY(texts.unmarked().isEmpty());
  }

  MarkingTranslator translator_;
  QTemporaryDir folder_;
  QString run_, experiment_;
  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstTranslated)
#include "tst_translated.moc"
