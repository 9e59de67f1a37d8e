// What was open and shown is there again at the next start.
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QSettings>
#include <QSplitter>
#include <QTemporaryDir>
#include <QTest>

#include "app/configure/configure_page.h"
#include "app/frame/session.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using app::Page;
using app::Session;

class TstSession : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    organization_ = QCoreApplication::organizationName();
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, path("settings"));
    QSettings().clear();
    a_ = tests::makeRun(folder_->path(), tests::made("a", 1000));
    b_ = tests::makeRun(folder_->path(), tests::made("b", 2000));
    c_ = tests::makeRun(folder_->path(), tests::made("c", 3000));
  }
  void cleanup() {
    QSettings().clear();
    QCoreApplication::setOrganizationName(organization_);
  }

  void runsAxesZoomAndSearchAreShownAgain() {
    {
      auto window = open({folder_->path(), a_, b_});
      app::MonitorPage* page = window->monitorPage();
      auto* axis = comboOf(*window);
      QTest::keyClick(axis, Qt::Key_Down);  // epochs
      QTest::keyClick(window.get(), Qt::Key_X);
      QTRY_VERIFY(page->cards().front()->plot()->isLogX());
      page->cards()[3]->plot()->setLogY(true);
      page->cards().front()->plot()->setXView(2, 4);
      window->findChild<QLineEdit*>(QStringLiteral("cardSearch"))->setText(QStringLiteral("loss"));
      QVERIFY(window->close());
    }
    auto window = open({});
    QTRY_COMPARE(window->runsPanel()->selectedRuns(), (QStringList{a_, b_}));
    app::MonitorPage* page = window->monitorPage();
    QCOMPARE(comboOf(*window)->currentText(), QStringLiteral("x: epoch"));
    QTRY_VERIFY(!page->cards().empty() && page->cards().front()->plot()->isZoomed());
    QVERIFY(page->cards().front()->plot()->isLogX());
    QVERIFY(page->cards()[3]->plot()->isLogY() && !page->cards()[4]->plot()->isLogY());
    QCOMPARE(page->cards().front()->plot()->zoom().x, std::optional(std::pair(2.0, 4.0)));
    QCOMPARE(window->findChild<QLineEdit*>(QStringLiteral("cardSearch"))->text(),
             QStringLiteral("loss"));
  }

  void openExperimentsAndThePageAreShownAgain() {
    const QString first = experiment("first.yaml"), second = experiment("second.yaml");
    {
      auto window = open({first, second});
      QTRY_COMPARE(window->configurePage()->document()->documents().size(), 2);
      window->configurePage()->showNext();
      QCOMPARE(window->configurePage()->documentName(), QStringLiteral("first.yaml"));
      QVERIFY(window->close());
    }
    auto window = open({});
    QVERIFY(window->page() == Page::Configure);
    QTRY_COMPARE(window->configurePage()->document()->documents().size(), 2);
    QCOMPARE(window->configurePage()->documentName(), QStringLiteral("first.yaml"));
  }

  void splittersStandWhereTheyStood() {
    const QString file = experiment("first.yaml");
    QList<int> sizes;
    {
      auto window = open({file});
      QTRY_VERIFY(window->configurePage()->hasDocument());
      auto* split = splitOf(*window);
      QTest::mousePress(split->handle(1), Qt::LeftButton);
      QTest::mouseMove(split->handle(1), {-90, 10});
      QTest::mouseRelease(split->handle(1), Qt::LeftButton, {}, {-90, 10});
      sizes = split->sizes();
      QVERIFY(window->close());
    }
    auto window = open({file});  // whatever is opened
    QTRY_COMPARE(splitOf(*window)->sizes(), sizes);
  }

  void aCommandLineOverrides() {
    closeWith({folder_->path(), a_});
    auto window = open({b_});
    QTRY_COMPARE(window->runsPanel()->selectedRuns(), QStringList{b_});
    QVERIFY(!tests::visibleBanner(*window, QStringLiteral("session"), {}));
  }

  /// Of other runs there is nothing to keep.
  void theViewOfTheSameRunsIsKeptWhateverTheyAreGivenBy() {
    const auto searched = [](const MainWindow& window) {
      return window.findChild<QLineEdit*>(QStringLiteral("cardSearch"))->text();
    };
    const auto closeSearching = [&] {
      auto window = open({a_, b_});
      window->findChild<QLineEdit*>(QStringLiteral("cardSearch"))->setText(QStringLiteral("loss"));
      QVERIFY(window->close());
    };
    for (const QString& given : {a_, folder_->path()}) {
      closeSearching();
      QCOMPARE(searched(*open({given})), QStringLiteral("loss"));
    }
    closeSearching();
    QCOMPARE(searched(*open({c_})), QString());
  }

  void whatIsGoneIsNamedInOneLine() {
    const QString file = experiment("gone.yaml");
    {
      auto window = open({folder_->path(), a_, b_, file});
      QTRY_VERIFY(window->configurePage()->hasDocument());
      QVERIFY(window->close());
    }
    QVERIFY(QFile::remove(file));
    QVERIFY(QDir(a_).removeRecursively());
    auto window = open({});
    QTRY_COMPARE(window->runsPanel()->selectedRuns(), QStringList{b_});
    QTRY_VERIFY(tests::visibleBanner(*window, QStringLiteral("not fully restored"),
                                     QStringLiteral("No longer there: %1, %2").arg(a_, file)));
  }

  void itCanBeSwitchedOff() {
    {
      auto window = open({folder_->path(), a_});
      QTest::keyClick(comboOf(*window), Qt::Key_Down);
      auto* action = window->findChild<QAction*>(QStringLiteral("window.restore_session"));
      QVERIFY(action && action->isChecked());
      action->trigger();
      QVERIFY(window->close());
    }
    auto window = open({});
    QCOMPARE(window->runsPanel()->selectedRuns(), QStringList());
    QCOMPARE(comboOf(*window)->currentText(), QStringLiteral("x: step"));
    QVERIFY(!window->findChild<QAction*>(QStringLiteral("window.restore_session"))->isChecked());
  }

  void anotherVersionIsNotRead() {
    Session session;
    session.runs = {a_};
    QCOMPARE(Session::fromVariant(session.toVariant()), std::optional(session));
    QVariantMap later = session.toVariant();
    later[QStringLiteral("version")] = 99;
    QVERIFY(!Session::fromVariant(later));
    QVERIFY(!Session::fromVariant({}));
  }

 private:
  QString path(const char* name) const { return folder_->filePath(QString::fromLatin1(name)); }
  QString experiment(const char* name) const {
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("name: made\n");
    return file.fileName();
  }
  std::unique_ptr<MainWindow> open(const QStringList& paths) {
    auto window = tests::openWindow(theme_, tests::keepingOptionsFor(paths));
    return QTest::qWaitFor([&] { return window->isReady(); }, 30000) ? std::move(window) : nullptr;
  }
  void closeWith(const QStringList& paths) {
    auto window = open(paths);
    QVERIFY(window->close());
  }
  static QComboBox* comboOf(MainWindow& window) {
    for (auto* combo : window.findChildren<QComboBox*>())
      if (combo->accessibleName() == QStringLiteral("X axis")) return combo;
    return nullptr;
  }
  static QSplitter* splitOf(MainWindow& window) {
    return window.findChild<QSplitter*>(QStringLiteral("editorTextSplit"));
  }

  widgets::ThemeSwitch theme_;
  QString organization_, a_, b_, c_;
  std::unique_ptr<QTemporaryDir> folder_;
};

LOCKSTEP_TEST(TstSession)
#include "tst_session.moc"
