#include <QLabel>
#include <QListView>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/frame/opening.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/list/remote_run_list.h"
#include "app/runs/list/remote_runs.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/runs_panel.h"
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

namespace {

RemotePlace place(const QString& folder) { return *RemotePlace::parse(FakeSsh::address(folder)); }

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
    QCOMPARE(QString::fromStdString(found[0].summary.folder.string()), FakeSsh::address(run));
    QCOMPARE(found[0].summary.info.state.text(), std::string_view("finished"));
    QCOMPARE(found[0].summary.info.step, std::int64_t{40});
    runs.setWatched(true);  // not again before its time
    QCOMPARE(ssh.calls().count('\n'), 1);
  }

  void aRunIsFoundAsSuch() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    RemoteRuns runs(place(tests::makeRun(there_->path(), {})));
    std::vector<app::ListedRun> found;
    connect(&runs, &RemoteRuns::listed, this, [&](const auto& all) { found = all; });
    runs.setWatched(true);
    QTRY_COMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].summary.info.state.text(), std::string_view("connecting"));
  }

  void faultsAreSaid_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("words");
    QTest::newRow("no host") << QByteArray("echo 'ssh: no route to host' >&2; exit 255")
                             << QStringLiteral("ssh: no route to host");
    QTest::newRow("is killed") << QByteArray("kill -9 $$") << QStringLiteral("ssh was killed");
    QTest::newRow("asks") << QByteArray(
                                 "echo 'node7: Permission denied (publickey).' >&2; exit 255")
                          << QStringLiteral("log in with ssh in a terminal first");
    QTest::newRow("is not there") << QByteArray() << QStringLiteral("ssh cannot be started");
    QTest::newRow("no engine") << QByteArray("exit 127")
                               << QStringLiteral("lockstep-engine was not found on node7");
    QTest::newRow("no shell") << QByteArray("echo 'Account not available'; exit 1")
                              << QStringLiteral("it says “Account not available”");
    QTest::newRow("an older engine")
        << QByteArray("echo 'lockstep-engine runs: unknown option --format' >&2; exit 2")
        << QStringLiteral(
               "The engine on node7 is of another version: lockstep-engine runs: unknown");
    QTest::newRow("garbage") << QByteArray("echo 'Welcome to node7'")
                             << QStringLiteral("its answer is not a list of runs");
    QTest::newRow("silent") << QByteArray("exec cat >/dev/null")
                            << QStringLiteral("it does not answer");
    QTest::newRow("a prompt") << QByteArray("printf 'password: ' >&2; exec cat >/dev/null")
                              << QStringLiteral("its last output is: password:");
    QTest::newRow("endless") << QByteArray("exec cat /dev/zero")
                             << QStringLiteral("its answer has more than 16 MiB");
  }
  void faultsAreSaid() {
    QFETCH(QByteArray, script);
    QFETCH(QString, words);
    const FakeSsh ssh(script);
    if (script.isEmpty()) qputenv("LOCKSTEP_SSH", "/nowhere/ssh");
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
        app::openingOf({{FakeSsh::address(QStringLiteral("/runs")), app::PathKind::Remote},
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
    const QString older =
        FakeSsh::address(tests::makeRun(there_->path(), tests::made("older", 900)));
    const QString newest =
        FakeSsh::address(tests::makeRun(there_->path(), tests::made("newest", 2000)));
    const auto window = open({FakeSsh::address(there_->path())});
    QTRY_COMPARE(listed(*window), (QStringList{newest, own, older}));
    QTRY_COMPARE(window->runsPanel()->selectedRuns(), QStringList{newest});
    QTRY_VERIFY(window->isReady());
    const auto* model = window->findChild<RunListModel*>();
    const QModelIndex row = model->index(model->rowOf(newest));
    QCOMPARE(row.data(RunListModel::HostRole).toString(), QStringLiteral("node7"));
    QCOMPARE(row.data(RunListModel::StartTextRole).toString(), QStringLiteral("node7"));
    QVERIFY(app::RunsPanel::resumeBlockedBy(row).contains(QStringLiteral("node7")));
    QVERIFY(model->index(model->rowOf(own)).data(RunListModel::HostRole).toString().isEmpty());
    QTRY_VERIFY(shows(*window, QStringLiteral("newest")));
  }

  void anAddressOfARunSelectsIt() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    tests::makeRun(here_->path(), tests::made("own", 1000));
    const QString run = FakeSsh::address(tests::makeRun(there_->path(), tests::made("there", 900)));
    const auto window = open({run});
    QTRY_COMPARE(window->runsPanel()->selectedRuns(), QStringList{run});
    const auto* model = window->findChild<RunListModel*>();
    QTRY_COMPARE(model->index(model->rowOf(run)).data(RunListModel::StateTextRole).toString(),
                 QStringLiteral("finished"));
    QTRY_VERIFY(window->isReady());
  }

  /// In the list, and over the curves of a run that is named by its address.
  void aHostThatFailsIsSaidAndTheRestGoesOn() {
    const FakeSsh ssh(
        "echo 'ssh: connect to host node7 port 22: No route to host' >&2\n"
        "exit 255");
    const QString own = tests::makeRun(here_->path(), tests::made("own", 1000));
    const auto window = open({FakeSsh::address(QStringLiteral("/runs"))});
    QTRY_VERIFY(shows(*window, QStringLiteral("ssh: connect to host node7 port 22")));
    QTRY_COMPARE(listed(*window), QStringList{own});
    window->runsPanel()->selectRun(own);
    QTRY_COMPARE(window->runsPanel()->selectedRuns(), QStringList{own});
    QTRY_VERIFY(window->isReady());
    QTRY_VERIFY(window->monitorPage()->cards().front()->plot()->drawnPointCount(0) > 0);
  }

  void aHostThatIsSilentHoldsNothingUp() {
    const FakeSsh ssh("exec cat >/dev/null");
    const QString own = tests::makeRun(here_->path(), tests::made("own", 1000));
    {
      const auto window = open({own, FakeSsh::address(QStringLiteral("/runs"))});
      QTRY_COMPARE(window->runsPanel()->selectedRuns(), QStringList{own});
      QTRY_VERIFY(shows(*window, QStringLiteral("own")));
      QTRY_COMPARE(ssh.calls().count('\n'), 1);
    }
  }

  void runsOfOtherProgramsAreListed() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    for (const char* run : {"", "d2/lr 0.1"}) {
      const QString folder = there_->filePath(QString::fromLatin1(run));
      QVERIFY(QDir().mkpath(folder));
      QFile file(folder + QStringLiteral("/metrics.json"));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("{\"iteration\": 20, \"total_loss\": 1.5}\n");
    }
    const auto window = open({FakeSsh::address(there_->path())});
    const QString below = FakeSsh::address(there_->filePath(QStringLiteral("d2/lr 0.1")));
    QTRY_COMPARE(listed(*window).size(), qsizetype{2});
    const auto* model = window->findChild<RunListModel*>();
    QVERIFY(model->rowOf(FakeSsh::address(there_->path())) >= 0);
    const QModelIndex run = model->index(model->rowOf(below));
    QCOMPARE(run.data(RunListModel::NameRole).toString(), QStringLiteral("d2/lr 0.1"));
    QCOMPARE(run.data(RunListModel::ProgramRole).toString(), QStringLiteral("detectron2"));
    QCOMPARE(run.data(RunListModel::StateTextRole).toString(), QStringLiteral("detectron2"));
    QCOMPARE(run.data(RunListModel::StepRole).toInt(), 20);
    window->runsPanel()->selectRun(below);
    QTRY_VERIFY(window->isReady());
    QTRY_VERIFY(shows(*window, QStringLiteral("detectron2")));
  }

  /// Into the user's own file: the run's folder there is not written.
  void aRunIsRenamedAndTagged() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    qputenv("XDG_CONFIG_HOME", ssh.path(QStringLiteral("config")).toUtf8());
    const QString folder = tests::makeRun(there_->path(), tests::made("a", 1000));
    const run_folder::Layout layout(folder.toStdString());
    run_folder::writeRunNotes(layout, {"theirs", {"x"}, "why", false, false});
    const auto given = run_folder::readRunNotes(layout);
    for (const char* name : {"mine", "mine", "theirs"}) {
      const auto window = open({FakeSsh::address(there_->path())});
      const auto* model = window->findChild<RunListModel*>();
      QTRY_COMPARE(model->rowCount(), 1);
      const auto nameIs = [&](const char* text) {
        return model->index(0).data(RunListModel::NameRole).toString() == QLatin1String(text);
      };
      Q_EMIT window->runsPanel()->notesChangeRequested(
          listed(*window), [name](run_folder::RunNotes& notes) { notes.name = name; });
      QTRY_VERIFY(nameIs(name));
      QCOMPARE(model->index(0).data(RunListModel::TagsRole).toStringList(),
               QStringList{QStringLiteral("x")});
      QVERIFY(run_folder::readRunNotes(layout) == given);
      QCOMPARE(run_folder::NotesByFolder::read(run_folder::NotesByFolder::defaultFile()).isEmpty(),
               QByteArray(name) == "theirs");
    }
    qunsetenv("XDG_CONFIG_HOME");
  }

  void aFolderWithoutRunsIsNamed() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    const QString address = FakeSsh::address(there_->path());
    const auto window = open({address});
    QTRY_VERIFY(shows(*window, address));
  }

  /// A listing comes every few seconds, and a row may know more by then, from the run itself.
  void runsThatAreListedAsBeforeStayAsTheyAre() {
    RunListModel model;
    const RemotePlace folder = place(QStringLiteral("/runs"));
    std::vector<app::ListedRun> runs;
    for (const char* name : {"b", "a"}) {
      runs.push_back(app::unknownRemoteRun(folder.child(QString::fromLatin1(name))));
      runs.back().summary.info.state = protocol::RunState::Running;
    }
    QSignalSpy changed(&model, &RunListModel::runChanged);
    model.setRemoteRuns(folder, runs);
    QCOMPARE(changed.count(), 2);
    QCOMPARE(model.index(0).data(RunListModel::NameRole).toString(), QStringLiteral("b"));
    const QString run = FakeSsh::address(QStringLiteral("/runs/a"));
    model.setLive(run, protocol::RunState::Paused, 7);
    model.setRemoteRuns(folder, runs);
    QCOMPARE(changed.count(), 2);
    QCOMPARE(model.index(1).data(RunListModel::StepRole).toInt(), 7);
    runs.back().summary.info.step = 9;
    model.setRemoteRuns(folder, runs);
    QCOMPARE(changed.count(), 3);
    QCOMPARE(model.index(1).data(RunListModel::StepRole).toInt(), 9);
  }

  /// From steps of the list and live ones, by the clock here.
  void aListedRunHasItsTimeLeft() {
    const RemotePlace folder = place(QStringLiteral("/runs"));
    const auto listedAt = [&](int step) {
      return app::parseRemoteRuns(R"([{"run":"a","state":"running","max_steps":1000,"step":)" +
                                      QByteArray::number(step) + "}]",
                                  folder)
          .runs;
    };
    RunListModel model;
    model.setRemoteRuns(folder, listedAt(1));
    model.setRemoteRuns(folder, listedAt(2));
    model.setLive(FakeSsh::address(QStringLiteral("/runs/a")), protocol::RunState::Running, 500);
    const QVariant eta = model.index(0).data(RunListModel::EtaRole);
    QVERIFY(eta.isValid() && eta.toDouble() < 3600);
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
    QCOMPARE(model.listingError(),
             QStringLiteral("ssh://node7/runs: no route. It is tried again."));
    QCOMPARE(model.rowCount(), 2);
    model.setRemoteRuns(folder, {run("b")}, 5);
    QCOMPARE(model.listingError(),
             QStringLiteral("ssh://node7/runs: only the newest 1 of 6 runs are listed. Open a "
                            "smaller folder."));
    model.setRemoteRuns(folder, {run("b")});
    QCOMPARE(model.listingError(), QString());
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.rowOf(FakeSsh::address(QStringLiteral("/runs/b"))), 0);
  }

 private:
  std::unique_ptr<MainWindow> open(const QStringList& paths) {
    return tests::openWindow(theme_, tests::optionsFor(paths));
  }

  std::unique_ptr<QTemporaryDir> here_, there_;
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstRemoteRuns)
#include "tst_remote_runs.moc"
