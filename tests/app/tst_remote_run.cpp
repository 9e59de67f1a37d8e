#include <QImage>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/configure/configure_page.h"
#include "app/engines/engine_link.h"
#include "app/engines/remote_files.h"
#include "app/frame/main_window.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/open/run_controller.h"
#include "app/runs/open/run_message.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/fake_ssh.h"
#include "tests/app/losses_of.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/file_content.h"
#include "tests/support/test_main.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"

using namespace lockstep;
using app::EngineLink;
using app::RunController;
using tests::contentOf;
using tests::EngineBench;
using tests::FakeSsh;
using tests::lossCount;
using tests::lossSteps;

namespace {

/// A run with a held-out image that has predictions at steps 10, 20, 30 and 40.
struct WatchedRun {
  WatchedRun() {
    QFile file(parent.filePath(QStringLiteral("val.json")));
    if (file.open(QIODevice::WriteOnly))
      file.write(R"({"images": [{"id": 3, "file_name": "a.png", "width": 8, "height": 8}],
                     "categories": [{"id": 1, "name": "thing"}], "annotations": []})");
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    picture.save(image());
    tests::MadeRun made;
    made.valImages = parent.path().toStdString();
    made.valAnnotations = file.fileName().toStdString();
    made.watchedImages = {3};
    folder = tests::makeRun(parent.path(), made);
  }
  QString image() const { return parent.filePath(QStringLiteral("a.png")); }

  QTemporaryDir parent;
  QString folder;
};

/// Brings a file; returns where it lies, and the error in `error`.
QString bring(RunController& run, const QString& path, QString* error = nullptr) {
  const app::RunFileAccess files = run.files();
  const QString local = path.startsWith(QLatin1Char('/')) ? files.localPath(path)
                                                          : files.folder + QLatin1Char('/') + path;
  bool isDone = false;
  files.bring(local, [&](const QString& text) {
    isDone = true;
    if (error) *error = text;
  });
  return QTest::qWaitFor([&] { return isDone; }) ? local : QString();
}

/// A step of detectron2.
QByteArray lineOf(int step, double loss) {
  return "{\"iteration\": " + QByteArray::number(step) +
         ", \"total_loss\": " + QByteArray::number(loss) + "}\n";
}

QPushButton* predictButton(const QWidget& page) {
  for (auto* button : page.findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Predict this image")) return button;
  return nullptr;
}

}  // namespace

class TstRemoteRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFinishedRunSendsEveryPoint() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    QTemporaryDir parent;
    RunController run(QStringLiteral("ssh://ada@node7") + tests::makeRun(parent.path(), {}));
    QSignalSpy loaded(&run, &RunController::loaded);
    run.refresh();
    QVERIFY(loaded.wait());
    QCOMPARE(lossCount(run), std::size_t{40});
    for (std::int64_t step = 1; step <= 40; ++step)
      QCOMPARE(run.history().metrics().series("train/loss_total")->value(step - 1),
               tests::madeLoss({}, step));
    QCOMPARE(run.linkState(), EngineLink::State::Connected);
    QCOMPARE(run.info().state.text(), std::string_view("finished"));
    QCOMPARE(run.info().maxSteps, std::int64_t{40});
    QCOMPARE(run.info().name, std::string("made"));
    QCOMPARE(run.info().stepsPerEpoch, std::optional(8.0));
    QVERIFY(!run.isAlive() && !run.canResume() && !run.accessError());
    QVERIFY2(ssh.calls().contains("BatchMode=yes") && ssh.calls().contains("ada@node7"),
             ssh.calls().constData());
  }

  /// Its log ends with "running".
  void aRunWhoseProcessWasKilledHasFailed() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    QTemporaryDir parent;
    tests::MadeRun made;
    made.state = "running";
    const QString folder = tests::makeRun(parent.path(), made);
    RunController run(FakeSsh::address(folder));
    run.refresh();
    QTRY_VERIFY(run.isLoaded() && lossCount(run) == 40);
    QCOMPARE(run.info().state.text(), std::string_view("failed"));
    QVERIFY(!run.isAlive());
    QVERIFY(run.info().error.has_value());
    QCOMPARE(run.info().error->message,
             run_folder::summarise(folder.toStdString()).info.error->message);
    const auto message = app::runMessage({&run, QStringLiteral("made"), 0}, true, true);
    QVERIFY2(message && message->detail.contains(QStringLiteral("the engine exited unexpectedly")),
             "the banner says why");
  }

  /// Its last record is one for TensorBoard alone, which is not sent.
  void aRunThatTheEngineHasFinishedIsLoaded() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 3\ncheckpoint 3 last\nfinish 3\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "runs/one"}).status, 0);
    const FakeSsh ssh(FakeSsh::kRunsHere);
    RunController run(FakeSsh::address(QString::fromStdString(bench.onlyRun().folder().string())));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    QCOMPARE(lossSteps(run), (std::vector<std::int64_t>{1, 2, 3}));
    QCOMPARE(run.checkpointSteps(), std::vector<std::int64_t>{3});
    QVERIFY(run.info().stepsPerEpoch.has_value());
  }

  void aLiveRunPredictsOnRequest() {
    EngineBench bench;
    for (const char* image : {"val/val1.png", "val/val2.png"})
      QVERIFY(QImage(64, 64, QImage::Format_RGB32)
                  .save(QString::fromStdString((bench.folder() / image).string())));
    bench.script(
        "state running 0\nscalars 1 2\ncheckpoint 2\nserve\ncheckpoint 7 last\n"
        "finish 7 stopped\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--output", "runs/one"});
    QVERIFY(bench.waitForState("running"));
    const FakeSsh ssh(FakeSsh::kRunsHere);
    RunController run(FakeSsh::address(QString::fromStdString(bench.onlyRun().folder().string())));
    run.refresh();
    QTRY_COMPARE(run.checkpointSteps(), std::vector<std::int64_t>{2});
    app::PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    page.show();
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 2);
    const auto* stage = page.findChild<widgets::ImageStage*>();
    auto* button = predictButton(page);
    QVERIFY(stage->notice().contains(QStringLiteral("was not predicted")));
    QVERIFY(button && button->isEnabled() && button->toolTip().isEmpty());
    button->click();
    QTRY_COMPARE(stage->notice(), QString());
    run.stop();
    QTRY_VERIFY(!run.isAlive());
    QCOMPARE(EngineBench::finish(*engine).status, 75);
    page.view()->setCurrentCheckpoint(7);
    QTRY_VERIFY(stage->notice().contains(QStringLiteral("was not predicted")));
    QTRY_VERIFY(!button->isEnabled());
    QVERIFY2(button->toolTip().contains(QStringLiteral("The run has ended on node7")),
             qPrintable(button->toolTip()));
  }

  void aRunOfAnotherProgramShowsItsCurvesAndFollowsThem() {
    QTemporaryDir parent;
    const QString file = parent.filePath(QStringLiteral("metrics.json"));
    const auto append = [&](const QByteArray& lines) {
      QFile out(file);
      QVERIFY(out.open(QIODevice::Append));
      out.write(lines);
    };
    for (int step = 10; step <= 40; step += 10) append(lineOf(step, step));
    append(lineOf(20, 2));  // resumed from step 10
    const FakeSsh ssh(FakeSsh::kRunsHere);
    RunController run(FakeSsh::address(parent.path()));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    QVERIFY(run.program() == foreign_runs::Source::Detectron2);
    QCOMPARE(run.info().state.text(), std::string_view("detectron2"));
    QVERIFY(!run.isAlive() && !run.accessError());
    QCOMPARE(lossSteps(run), (std::vector<std::int64_t>{10, 20}));
    QCOMPARE(run.history().metrics().series("train/loss_total")->value(1), 2.F);
    QString error;
    bring(run, QStringLiteral("metrics.json"), &error);
    QVERIFY2(error.contains(QStringLiteral("a run of detectron2: only its curves")),
             qPrintable(error));
    append(lineOf(30, 3));
    QTRY_COMPARE_WITH_TIMEOUT(lossSteps(run), (std::vector<std::int64_t>{10, 20, 30}), 10000);
    append(lineOf(20, 5));  // resumed again
    QTRY_COMPARE_WITH_TIMEOUT(lossSteps(run), (std::vector<std::int64_t>{10, 20}), 10000);
    QCOMPARE(run.history().metrics().series("train/loss_total")->value(1), 5.F);
    QCOMPARE(ssh.calls().count('\n'), 1);
  }

  void aConnectionThatDiesMidwayIsMadeAgain() {
    FakeSsh ssh(
        "if mkdir once 2>/dev/null; then eval \"$command\" | stdbuf -o0 head -c 6000\n"
        "echo 'client_loop: send disconnect: Broken pipe' >&2; exit 255; fi\n" +
        QByteArray(FakeSsh::kRunsHere));
    QTemporaryDir parent;
    RunController run(FakeSsh::address(tests::makeRun(parent.path(), {})));
    QStringList errors;
    connect(&run, &RunController::linkChanged, this, [&] { errors << run.linkError(); });
    run.refresh();
    QTRY_COMPARE(lossCount(run), std::size_t{40});
    QVERIFY2(errors.contains(QStringLiteral("client_loop: send disconnect: Broken pipe")),
             qPrintable(errors.join(u'|')));
    QCOMPARE(run.history().metrics().series("train/loss_total")->value(39),
             tests::madeLoss({}, 40));
    QCOMPARE(ssh.calls().count('\n'), 2);
    QCOMPARE(run.linkError(), QString());
  }

  void whatTheWireDoesIsSaid_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("words");
    QTest::addColumn<bool>("isTriedAgain");
    QTest::newRow("asks for a password")
        << QByteArray(
               "echo banner >&2; echo 'ada@node7: Permission denied (publickey).' >&2\n"
               "exit 255")
        << QStringLiteral("ada@node7: Permission denied (publickey).") << false;
    QTest::newRow("asks about the host's key")
        << QByteArray("printf 'Host key verification failed.\\r\\n' >&2; exit 255")
        << QStringLiteral("Host key verification failed.") << false;
    QTest::newRow("does not find the host")
        << QByteArray("echo 'ssh: Could not resolve hostname node7' >&2; exit 255")
        << QStringLiteral("Could not resolve hostname") << true;
    QTest::newRow("says nothing") << QByteArray("exit 255")
                                  << QStringLiteral("ssh failed without saying why") << true;
    QTest::newRow("no engine there")
        << QByteArray("echo 'sh: lockstep-engine: not found' >&2; exit 127")
        << QStringLiteral("lockstep-engine was not found on ada@node7") << true;
    QTest::newRow("no such run") << QByteArray(FakeSsh::kRunsHere)
                                 << QStringLiteral("/nowhere: no such run folder") << true;
    QTest::newRow("no run folder")
        << QByteArray("command=\"${command/nowhere/proc}\"\n") + FakeSsh::kRunsHere
        << QStringLiteral("/proc: is not a run folder") << true;
    QTest::newRow("an older engine")
        << QByteArray("echo \"lockstep-engine: unknown command 'attach'\" >&2; exit 2")
        << QStringLiteral("The engine on ada@node7 is of another version") << true;
    QTest::newRow("ends at once") << QByteArray("exit 0")
                                  << QStringLiteral("the connection has ended") << true;
    QTest::newRow("is killed") << QByteArray("kill -9 $$") << QStringLiteral("ssh was killed")
                               << true;
  }
  void whatTheWireDoesIsSaid() {
    QFETCH(QByteArray, script);
    QFETCH(QString, words);
    QFETCH(bool, isTriedAgain);
    const FakeSsh ssh(script);
    RunController run(QStringLiteral("ssh://ada@node7/nowhere"));
    run.refresh();
    QTRY_VERIFY(run.accessError().has_value());
    QVERIFY2(run.accessError()->detail.contains(words), qPrintable(run.accessError()->detail));
    QVERIFY(run.accessError()->title.contains(QStringLiteral("ada@node7")));
    QVERIFY2(run.isLoaded(), "nothing waits for it");
    QCOMPARE(run.linkState(),
             isTriedAgain ? EngineLink::State::Connecting : EngineLink::State::Off);
    if (isTriedAgain) QTRY_VERIFY(ssh.calls().count('\n') > 1);
  }

  void aMissingSshIsSaid() {
    const FakeSsh ssh("");
    qputenv("LOCKSTEP_SSH", "/nowhere/ssh -4");
    RunController run(QStringLiteral("ssh://node7/run"));
    run.refresh();
    QTRY_VERIFY(run.accessError().has_value());
    QVERIFY2(run.accessError()->detail.contains(QStringLiteral("/nowhere/ssh cannot be started")),
             qPrintable(run.accessError()->detail));
    QCOMPARE(run.linkState(), EngineLink::State::Off);
  }

  void silenceAndGarbageAreSaid_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("words");
    QTest::newRow("silent") << QByteArray("exec cat >/dev/null")
                            << QStringLiteral("does not respond");
    QTest::newRow("a prompt") << QByteArray("printf 'password: ' >&2; exec cat >/dev/null")
                              << QStringLiteral("its last output is: password:");
    QTest::newRow("garbage") << QByteArray("echo 'Welcome to node7!'; exec cat >/dev/null")
                             << QStringLiteral("it sends “Welcome to node7!”");
    QTest::newRow("an endless line") << QByteArray("head -c 3000000 /dev/zero; exec cat >/dev/null")
                                     << QStringLiteral("it sends “a line of more than 1 MiB”");
  }
  void silenceAndGarbageAreSaid() {
    QFETCH(QByteArray, script);
    QFETCH(QString, words);
    const FakeSsh ssh(script);
    EngineLink link;
    link.setWelcomeTimeout(std::chrono::milliseconds(1000));
    link.connectToEngine(QStringLiteral("ssh://node7/run"));
    QTRY_VERIFY2(link.lastError().contains(words), qPrintable(link.lastError()));
    QCOMPARE(link.state(), EngineLink::State::Connecting);
  }

  void garbageBeforeAndLongLinesBetweenAreSkipped() {
    const FakeSsh ssh("echo 'Last login: today'; head -c 1200000 /dev/zero | tr '\\0' x; echo\n" +
                      QByteArray(FakeSsh::kRunsHere));
    QTemporaryDir parent;
    RunController run(FakeSsh::address(tests::makeRun(parent.path(), {})));
    run.refresh();
    QTRY_COMPARE(lossCount(run), std::size_t{40});
    QVERIFY(!run.accessError());
  }

  /// More records than are handled in one turn of the event loop.
  void aLongRunComesInTurns() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    QTemporaryDir parent;
    tests::MadeRun made;
    made.steps = made.maxSteps = 3000;
    made.evaluateEvery = 1000;
    RunController run(FakeSsh::address(tests::makeRun(parent.path(), made)));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    QCOMPARE(lossCount(run), std::size_t{3000});
  }

  void filesAreFetchedAndOnlyTheRuns() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    const WatchedRun made;
    RunController run(FakeSsh::address(made.folder));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    const QString step = QStringLiteral("predictions/step-00000010.json");
    QCOMPARE(contentOf(bring(run, step)), contentOf(made.folder + QLatin1Char('/') + step));
    const QString image = bring(run, made.image());
    QCOMPARE(contentOf(image), contentOf(made.image()));
    QVERIFY2(image.startsWith(ssh.path(QStringLiteral("cache"))), qPrintable(image));
    QString error;
    const QString refused = bring(run, QStringLiteral("run.json"), &error);
    QVERIFY2(error.contains(QStringLiteral("is not sent")), qPrintable(error));
    QVERIFY(!QFile::exists(refused));
  }

  void aFileThatHasNotChangedIsNotSentAgain() {
    FakeSsh ssh(FakeSsh::kRunsHereAndNotes);
    const WatchedRun made;
    const QByteArray end =
        "a.png\",\"offset\":" + QByteArray::number(QFileInfo(made.image()).size());
    for (int i = 0; i < 2; ++i) {
      RunController run(FakeSsh::address(made.folder));
      run.refresh();
      QTRY_VERIFY(run.isLoaded());
      QCOMPARE(contentOf(bring(run, made.image())), contentOf(made.image()));
      bring(run, made.image());  // known to be fresh
    }
    const QList<QByteArray> lines = ssh.sent().split('\n');
    const auto asks = std::count_if(lines.begin(), lines.end(),
                                    [](const QByteArray& line) { return line.contains("a.png"); });
    QCOMPARE(asks, 2);
    QVERIFY(ssh.sent().contains("a.png\",\"offset\":0"));
    QVERIFY(ssh.sent().contains(end));
    // A picture of the same size but another time.
    QFile file(made.image());
    QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(file.size() - 1) && file.putChar('x'));
    QVERIFY(file.setFileTime(QDateTime::currentDateTime().addSecs(100),
                             QFileDevice::FileModificationTime));
    file.close();
    RunController run(FakeSsh::address(made.folder));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    QCOMPARE(contentOf(bring(run, made.image())), contentOf(made.image()));
  }

  void aLargeFileComesWholeAlsoOverTwoConnections() {
    const WatchedRun made;
    QByteArray content;
    while (content.size() < 3'000'000) content += QByteArray::number(content.size());
    QFile file(made.folder + QStringLiteral("/predictions/step-00000020.json"));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(content);
    file.close();
    const FakeSsh ssh(
        "if mkdir once 2>/dev/null; then eval \"$command\" | stdbuf -o0 head -c 1500000\n"
        "exit 255; fi\n" +
        QByteArray(FakeSsh::kRunsHere));
    RunController run(FakeSsh::address(made.folder));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    QCOMPARE(contentOf(bring(run, QStringLiteral("predictions/step-00000020.json"))), content);
    QVERIFY(ssh.calls().count('\n') > 1);
  }

  void theCacheIsLimited() {
    QTemporaryDir folder;
    for (const char* name : {"a", "b", "c"}) {
      QDir(folder.path()).mkpath(QString::fromLatin1(name));
      QFile file(folder.filePath(QString::fromLatin1(name) + QStringLiteral("/file")));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QByteArray(100, 'x'));
    }
    app::limitFolder(folder.path(), 300);
    QVERIFY(QFile::exists(folder.filePath(QStringLiteral("a/file"))));
    app::limitFolder(folder.path(), 250);
    QCOMPARE(QFile::exists(folder.filePath(QStringLiteral("a/file"))) +
                 QFile::exists(folder.filePath(QStringLiteral("b/file"))) +
                 QFile::exists(folder.filePath(QStringLiteral("c/file"))),
             2);
  }

  void thePredictionsPageShowsItsPictures() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    const WatchedRun made;
    RunController run(FakeSsh::address(made.folder));
    run.refresh();
    app::PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    page.show();
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 40);
    QCOMPARE(page.view()->currentImage(), ImageId{3});
    auto* stage = page.findChild<widgets::ImageStage*>();
    QCOMPARE(stage->problem(), QString());
    QCOMPARE(stage->notice(), QString());  // it is predicted at this step
    page.view()->setCurrentCheckpoint(10);
    QTRY_VERIFY(page.isReady());
    QCOMPARE(stage->notice(), QString());
    QVERIFY(QFile::exists(run.files().localPath(made.image())));
  }

  void itsConfigurationIsCopied() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    QTemporaryDir parent;
    const QString address = FakeSsh::address(tests::makeRun(parent.path(), {}));
    widgets::ThemeSwitch theme;
    app::MainWindow window(&theme, tests::optionsFor({address}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->currentRun(), address);
    Q_EMIT window.runsPanel()->copyConfigRequested(address);
    QTRY_VERIFY(window.configurePage()->hasDocument());
    QCOMPARE(window.configurePage()->documentName(), QStringLiteral("made.yaml"));
    QVERIFY(window.configurePage()->editor()->text().startsWith(QStringLiteral("name: made\n")));
  }

  void aPictureThatIsGoneIsSaid() {
    const FakeSsh ssh(FakeSsh::kRunsHere);
    const WatchedRun made;
    QVERIFY(QFile::remove(made.image()));
    RunController run(FakeSsh::address(made.folder));
    run.refresh();
    app::PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    page.show();
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 40);
    QVERIFY(!page.findChild<widgets::ImageStage*>()->problem().isEmpty());
  }

  /// The window can close at any time; the process that was started is gone then, and no other.
  void closingDoesNotWaitForSsh() {
    const FakeSsh ssh("echo $$ >pid; trap '' TERM HUP INT; while :; do read -t 1000 x; done");
    int pid = 0;
    {
      RunController run(QStringLiteral("ssh://node7/run"));
      run.refresh();
      QTRY_VERIFY((pid = ssh.content(QStringLiteral("pid")).toInt()) > 0);
    }
    QTRY_VERIFY(!QFile::exists(QStringLiteral("/proc/%1").arg(pid)));
  }
};

LOCKSTEP_TEST(TstRemoteRun)
#include "tst_remote_run.moc"
