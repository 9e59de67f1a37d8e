#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/panel/run_banner.h"
#include "engine/events/reader.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunBanner;
using app::RunController;

namespace {

void makeCheckpoint(const QString& folder, std::int64_t step) {
  const auto checkpoint = run_folder::Layout{folder.toStdString()}.checkpoint(step);
  QVERIFY(QDir().mkpath(QString::fromStdString(checkpoint.string())));
  for (const char* name : run_folder::kCheckpointFiles) {
    QFile file(QString::fromStdString((checkpoint / name).string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
  }
}

void makeUnreadable(const QString& folder) {
  QFile file(QString::fromStdString(events::findEventFile(folder.toStdString()).string()));
  QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
  file.write(QByteArray(4000, 'x'));
}

void open(RunController& run) {
  QSignalSpy loaded(&run, &RunController::loaded);
  run.refresh();
  QVERIFY(loaded.wait());
}

void readAgain(RunController& run) {
  QSignalSpy read(&run, &RunController::changed);
  run.refresh();
  QVERIFY(read.wait());
}

app::ShownRun shown(RunController& run, const char* name) {
  return {&run, QString::fromLatin1(name), 0};
}

}  // namespace

class TstRunBanner : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFailedRunShowsItsErrorAndCanBeResumed() {
    QTemporaryDir parent;
    const QString folder = tests::makeFailedRun(parent.path(), tests::made("a", 1000));
    makeCheckpoint(folder, 20);
    makeCheckpoint(folder, 30);
    RunController run(folder);
    open(run);
    RunBanner banner;
    QSignalSpy resumed(&banner, &RunBanner::resumeRequested);
    banner.showRuns({shown(run, "a")});
    QVERIFY(!banner.isHidden());
    QVERIFY(banner.detail().contains(QStringLiteral("rank 0 ran out of memory")));
    QVERIFY(banner.detail().contains(QStringLiteral("step 40 · forward")));
    QCOMPARE(banner.action(), QStringLiteral("Resume from step 30"));
    banner.show();
    for (auto* button : banner.findChildren<QPushButton*>())
      if (button->text() == banner.action()) QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(resumed.count(), 1);
    QCOMPARE(resumed[0][0].toString(), folder);
  }

  void aRunWithABadImageCanSkipIt() {
    QTemporaryDir parent;
    const QString folder = tests::makeFailedRun(parent.path(), tests::made("a", 1000));
    makeCheckpoint(folder, 20);
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    RunController run(folder);
    open(run);
    RunBanner banner;
    QSignalSpy resumed(&banner, &RunBanner::resumeRequested);
    banner.showRuns({shown(run, "a")});
    QCOMPARE(banner.otherAction(), QString());
    info.error->cause = protocol::FailureCause::BadImage;
    run_folder::writeRunInfo(layout, info);
    readAgain(run);
    banner.showRuns({shown(run, "a")});
    QCOMPARE(banner.action(), QStringLiteral("Resume from step 20"));
    QCOMPARE(banner.otherAction(), QStringLiteral("Resume and skip unreadable images"));
    Q_EMIT banner.otherActionTriggered();
    QCOMPARE(resumed.count(), 1);
    QCOMPARE(resumed[0][0].toString(), folder);
    QCOMPARE(resumed[0][1].toStringList(), QStringList{QStringLiteral("dataset.bad_images=skip")});
    info.error->cause = protocol::FailureCause::Gpu;
    run_folder::writeRunInfo(layout, info);
    readAgain(run);
    banner.showRuns({shown(run, "a")});
    QCOMPARE(banner.otherAction(), QString());
  }

  void aRunWhoseFolderCouldNotBeWrittenIsResumed_data() {
    QTest::addColumn<QString>("elsewhere");
    QTest::addColumn<QString>("action");
    const auto row = [](const char* name, const char* elsewhere, const char* action) {
      QTest::newRow(name) << QString::fromLatin1(elsewhere) << QString::fromLatin1(action);
    };
    row("newer", "/tmp/lockstep-1000/a/step-00000040", "Resume from step 40");
    row("older", "/tmp/lockstep-1000/a/step-00000010", "Resume from step 20");
    row("none", "", "Resume from step 20");
  }
  void aRunWhoseFolderCouldNotBeWrittenIsResumed() {
    QFETCH(QString, elsewhere);
    QFETCH(QString, action);
    QTemporaryDir parent;
    const QString folder = tests::makeFailedRun(parent.path(), tests::made("a", 1000));
    makeCheckpoint(folder, 20);
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.error->checkpoint = elsewhere.toStdString();
    run_folder::writeRunInfo(layout, info);
    RunController run(folder);
    open(run);
    RunBanner banner;
    banner.showRuns({shown(run, "a")});
    QCOMPARE(banner.action(), action);
  }

  void withoutACheckpointItRestartsAndWithoutAConfigNothingIsOffered() {
    QTemporaryDir parent;
    const QString folder = tests::makeFailedRun(parent.path(), tests::made("a", 1000));
    RunController run(folder);
    open(run);
    {
      RunBanner banner;
      banner.showRuns({shown(run, "a")});
      QCOMPARE(banner.action(), QStringLiteral("Restart the run"));
    }
    QVERIFY(QFile::remove(folder + QStringLiteral("/config.yaml")));
    readAgain(run);
    RunBanner banner;
    banner.showRuns({shown(run, "a")});
    QVERIFY(!banner.isHidden());
    QCOMPARE(banner.action(), QString());
  }

  void aRangeTestCannotBeResumed() {
    QTemporaryDir parent;
    const QString folder = tests::makeFailedRun(parent.path(), tests::made("a", 1000));
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.isRangeTest = true;
    run_folder::writeRunInfo(layout, info);
    RunController run(folder);
    open(run);
    RunBanner banner;
    banner.showRuns({shown(run, "a")});
    QVERIFY(!banner.isHidden());
    QCOMPARE(banner.action(), QString());
  }

  void aDismissedMessageStaysAwayUntilThereIsAnother() {
    QTemporaryDir parent;
    RunController run(tests::makeFailedRun(parent.path(), tests::made("a", 1000)));
    open(run);
    RunBanner banner;
    banner.showRuns({shown(run, "a")});
    banner.dismiss();
    banner.showRuns({shown(run, "a")});
    QVERIFY(banner.isHidden());
    makeUnreadable(run.folder());
    const run_folder::Layout layout{run.folder().toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    ++info.attempt;  // it is read again
    run_folder::writeRunInfo(layout, info);
    run.refresh();
    QTRY_VERIFY(run.accessError());
    banner.showRuns({shown(run, "a")});
    QVERIFY(!banner.isHidden());
    QCOMPARE(banner.title(), QStringLiteral("The run cannot be read"));
  }

  void theCurrentRunsMessageComesFirst() {
    QTemporaryDir parent;
    tests::MadeRun plan;
    plan.name = "b";
    const QString unreadable = tests::makeRun(parent.path(), plan);
    makeUnreadable(unreadable);
    RunController a(tests::makeFailedRun(parent.path(), tests::made("a", 1000))), b(unreadable);
    open(a);
    open(b);
    RunBanner banner;
    banner.showRuns({shown(a, "a"), shown(b, "b")});
    QCOMPARE(banner.title(), QStringLiteral("a: The run failed"));
    // The current run has no problem: the read error of the other is shown, but not its failure.
    banner.showRuns({shown(b, "b"), shown(a, "a")});
    QCOMPARE(banner.title(), QStringLiteral("b: The run cannot be read"));
    banner.showRuns({});
    QVERIFY(banner.isHidden());
  }
};

LOCKSTEP_TEST(TstRunBanner)
#include "tst_run_banner.moc"
