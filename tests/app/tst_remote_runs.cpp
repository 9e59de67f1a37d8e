#include <QLabel>
#include <QListView>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/controllers/remote_runs.h"
#include "app/frame/main_window.h"
#include "app/frame/opening.h"
#include "app/models/remote_run_list.h"
#include "app/models/run_list_model.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/runs_panel.h"
#include "tests/app/fake_ssh.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using app::RemotePlace;
using app::RemoteRuns;
using app::RunListModel;
using tests::FakeSsh;
using tests::optionsFor;

namespace {

QString address(const QString& folder) { return QStringLiteral("ssh://node7") + folder; }

RemotePlace place(const QString& folder) { return *RemotePlace::parse(address(folder)); }

/// What a window lists, by address or folder.
QStringList listed(const MainWindow& window) {
  const auto* model = window.findChild<RunListModel*>();
  QStringList folders;
  for (int row = 0; row < model->rowCount(); ++row)
    folders << model->index(row).data(RunListModel::FolderRole).toString();
  return folders;
}

bool shows(const MainWindow& window, const QString& text) {
  for (const auto* label : window.findChildren<QLabel*>())
    if (label->isVisible() && label->text().contains(text)) return true;
  return false;
}

}  // namespace

class TstRemoteRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    here_ = std::make_unique<QTemporaryDir>();
    there_ = std::make_unique<QTemporaryDir>();
    qputenv("LOCKSTEP_RUNS", here_->path().toUtf8());
  }
  void cleanup() { qunsetenv("LOCKSTEP_RUNS"); }

  void runsAreListedOnceTheyAreWatched() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    const QString run = tests::makeRun(there_->path(), tests::made("a", 1000));
    RemoteRuns runs(place(there_->path()));
    std::vector<app::ListedRun> found;
    connect(&runs, &RemoteRuns::listed, this, [&](const auto& all) { found = all; });
    runs.setWatched(false);
    QVERIFY(!runs.hasAnswered() && ssh.calls().isEmpty());
    runs.setWatched(true);
    QTRY_COMPARE(found.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(found[0].summary.folder.string()), address(run));
    QCOMPARE(found[0].summary.info.state.text(), std::string_view("finished"));
    QCOMPARE(found[0].summary.info.step, std::int64_t{40});
    runs.setWatched(true);  // not again before its time
    QCOMPARE(ssh.calls().count('\n'), 1);
  }

  void aRunIsFoundAsSuch() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    RemoteRuns runs(place(tests::makeRun(there_->path(), {})));
    QSignalSpy found(&runs, &RemoteRuns::foundRun);
    runs.setWatched(true);
    QTRY_COMPARE(found.count(), 1);
  }

  void faultsAreSaid_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("words");
    QTest::newRow("no host") << QByteArray("echo 'ssh: no route to host' >&2; exit 255")
                             << QStringLiteral("ssh: no route to host");
    QTest::newRow("no engine") << QByteArray("exit 127")
                               << QStringLiteral("lockstep-engine was not found on node7");
    QTest::newRow("garbage") << QByteArray("echo 'Welcome to node7'")
                             << QStringLiteral("its answer is no list of runs");
    QTest::newRow("silent") << QByteArray("exec cat >/dev/null")
                            << QStringLiteral("it does not answer");
    QTest::newRow("a prompt") << QByteArray("printf 'password: ' >&2; exec cat >/dev/null")
                              << QStringLiteral("its last words are: password:");
    QTest::newRow("endless") << QByteArray("exec cat /dev/zero")
                             << QStringLiteral("its answer has more than 16 MiB");
  }
  void faultsAreSaid() {
    QFETCH(QByteArray, script);
    QFETCH(QString, words);
    const FakeSsh ssh(script);
    RemoteRuns runs(place(QStringLiteral("/runs")));
    if (script.contains("cat >")) runs.setTimeLimit(std::chrono::milliseconds(500));
    QSignalSpy failed(&runs, &RemoteRuns::failed);
    runs.setWatched(true);
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY2(failed[0][0].toString().contains(words), qPrintable(failed[0][0].toString()));
    QVERIFY(runs.hasAnswered());
  }

  void addressesAreOpenedAsPlaces() {
    const app::Opening opening =
        app::openingOf({{address(QStringLiteral("/runs")), app::PathKind::Remote},
                        {here_->path(), app::kindOf(here_->path())}},
                       {});
    QCOMPARE(opening.remotes, QList<RemotePlace>{place(QStringLiteral("/runs"))});
    QCOMPARE(opening.runsFolders, QStringList{here_->path()});
    QCOMPARE(opening.page, app::Page::Monitor);
    QVERIFY(opening.runs.isEmpty() && !opening.isPlainStart);
  }

  void theListHasRunsHereAndThere() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    const QString own = tests::makeRun(here_->path(), tests::made("own", 1000));
    const QString older = address(tests::makeRun(there_->path(), tests::made("older", 900)));
    const QString newest = address(tests::makeRun(there_->path(), tests::made("newest", 2000)));
    widgets::ThemeSwitch theme;
    MainWindow window(&theme, optionsFor({address(there_->path())}));
    window.show();
    QTRY_COMPARE(listed(window), (QStringList{newest, own, older}));
    QTRY_COMPARE(window.runsPanel()->selectedRuns(), QStringList{newest});
    QTRY_VERIFY(window.isReady());
    const auto* model = window.findChild<RunListModel*>();
    const QModelIndex row = model->index(model->rowOf(newest));
    QCOMPARE(row.data(RunListModel::HostRole).toString(), QStringLiteral("node7"));
    QCOMPARE(row.data(RunListModel::StartTextRole).toString(), QStringLiteral("node7"));
    QVERIFY(app::RunsPanel::resumeBlockedBy(row).contains(QStringLiteral("node7")));
    QVERIFY(model->index(model->rowOf(own)).data(RunListModel::HostRole).toString().isEmpty());
    QTRY_VERIFY(shows(window, QStringLiteral("newest")));
  }

  void anAddressOfARunSelectsIt() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    tests::makeRun(here_->path(), tests::made("own", 1000));
    const QString run = address(tests::makeRun(there_->path(), tests::made("there", 900)));
    widgets::ThemeSwitch theme;
    MainWindow window(&theme, optionsFor({run}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->selectedRuns(), QStringList{run});
    const auto* model = window.findChild<RunListModel*>();
    QTRY_COMPARE(model->index(model->rowOf(run)).data(RunListModel::StateTextRole).toString(),
                 QStringLiteral("finished"));
    QTRY_VERIFY(window.isReady());
  }

  void aHostThatFailsIsSaidAndTheRestGoesOn_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("words");
    QTest::newRow("dies") << QByteArray(
                                 "echo 'ssh: connect to host node7 port 22: No route to host' >&2\n"
                                 "exit 255")
                          << QStringLiteral("ssh: connect to host node7 port 22");
    QTest::newRow("is killed") << QByteArray("kill -9 $$") << QStringLiteral("ssh was killed");
    QTest::newRow("asks") << QByteArray(
                                 "echo 'node7: Permission denied (publickey).' >&2; exit 255")
                          << QStringLiteral("log in with ssh in a terminal first");
    QTest::newRow("is not there") << QByteArray() << QStringLiteral("ssh cannot be started");
  }
  /// In the list, and over the curves of a run that is named by its address.
  void aHostThatFailsIsSaidAndTheRestGoesOn() {
    QFETCH(QByteArray, script);
    QFETCH(QString, words);
    const FakeSsh ssh(script);
    if (script.isEmpty()) qputenv("LOCKSTEP_SSH", "/nowhere/ssh");
    const QString own = tests::makeRun(here_->path(), tests::made("own", 1000));
    widgets::ThemeSwitch theme;
    MainWindow window(&theme, optionsFor({address(QStringLiteral("/runs"))}));
    window.show();
    QTRY_VERIFY(shows(window, words));
    QTRY_COMPARE(listed(window), QStringList{own});
    window.runsPanel()->selectRun(own);
    QTRY_COMPARE(window.runsPanel()->selectedRuns(), QStringList{own});
    QTRY_VERIFY(window.isReady());
    QTRY_VERIFY(window.monitorPage()->cards().front()->plot()->drawnPointCount(0) > 0);
  }

  void aHostThatIsSilentHoldsNothingUp() {
    const FakeSsh ssh("exec cat >/dev/null");
    const QString own = tests::makeRun(here_->path(), tests::made("own", 1000));
    widgets::ThemeSwitch theme;
    {
      MainWindow window(&theme, optionsFor({own, address(QStringLiteral("/runs"))}));
      window.show();
      QTRY_COMPARE(window.runsPanel()->selectedRuns(), QStringList{own});
      QTRY_VERIFY(shows(window, QStringLiteral("own")));
      QTRY_COMPARE(ssh.calls().count('\n'), 1);
    }
  }

  void runsThatAreGoneThereLeaveTheList() {
    RunListModel model;
    const RemotePlace folder = place(QStringLiteral("/runs"));
    const auto run = [&](const char* name) {
      return app::unknownRemoteRun(folder.child(QString::fromLatin1(name)));
    };
    model.setRemoteRuns(folder, {run("a"), run("b")});
    model.setRemoteRuns(place(QStringLiteral("/others")), {});
    QCOMPARE(model.rowCount(), 2);
    model.setRemoteError(folder, QStringLiteral("no route"));
    QCOMPARE(model.listingError(), QStringLiteral("node7: no route"));
    QCOMPARE(model.rowCount(), 2);
    model.setRemoteRuns(folder, {run("b")});
    QCOMPARE(model.listingError(), QString());
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.rowOf(address(QStringLiteral("/runs/b"))), 0);
  }

 private:
  std::unique_ptr<QTemporaryDir> here_, there_;
};

LOCKSTEP_TEST(TstRemoteRuns)
#include "tst_remote_runs.moc"
