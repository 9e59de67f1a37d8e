// Every text that a person reads goes through tr(): with a translator that marks all it is asked
// for, the window shows no text without the mark. Names, values, keys, tags and paths are excepted.
#include <QAbstractButton>
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

#include "app/frame/main_window.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"

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
  void initTestCase() { QVERIFY(QCoreApplication::installTranslator(&translator_)); }
  void cleanupTestCase() { QCoreApplication::removeTranslator(&translator_); }

  void everyTextOfThePagesIsMarked_data() {
    QTest::addColumn<int>("page");
    QTest::newRow("configure") << static_cast<int>(Page::Configure);
    QTest::newRow("monitor") << static_cast<int>(Page::Monitor);
    QTest::newRow("predictions") << static_cast<int>(Page::Predictions);
  }
  void everyTextOfThePagesIsMarked() {
    QFETCH(int, page);
    QTemporaryDir folder;
    const QString run = tests::makeRun(folder.path(), {});
    QFile file(folder.filePath(QStringLiteral("own.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("solver:\n  base_lr: -1\n") > 0);
    file.close();
    MainWindow window(&theme_, tests::optionsFor({run, file.fileName()}));
    window.configurePage();
    window.predictionsPage();
    window.showPage(static_cast<Page>(page));
    window.show();
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
    QTemporaryDir folder;
    MainWindow window(&theme_, tests::optionsFor({tests::makeRun(folder.path(), {})}));
    window.show();
    QTRY_VERIFY(window.isReady());
    window.findChild<QAction*>(action)->trigger();
    QWidget* dialog = nullptr;
    for (auto* each : window.findChildren<QWidget*>())
      if (each->isWindow() && each->isVisible()) dialog = each;
    if (!dialog) dialog = window.findChild<QWidget*>(QStringLiteral("commandPalette"));
    QVERIFY(dialog);
    Texts texts({QStringLiteral("made")});
    texts.walk(*dialog);
    for (const QString& text : texts.unmarked()) qWarning().noquote() << text;
    QVERIFY(texts.unmarked().isEmpty());
  }

 private:
  MarkingTranslator translator_;
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstTranslated)
#include "tst_translated.moc"
