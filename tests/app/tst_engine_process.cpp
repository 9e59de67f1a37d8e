#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/engines/engine_process.h"
#include "tests/support/file_content.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using lockstep::app::EngineProcess;
using lockstep::tests::program;

class TstEngineProcess : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { qunsetenv("FAKE_ENGINE"); }

  void theRunFolderIsReadFromStandardOutput_data() {
    QTest::addColumn<bool>("isQueued");
    QTest::addColumn<QByteArray>("option");
    QTest::newRow("now") << false << QByteArray("--detach");
    QTest::newRow("queued") << true << QByteArray("--queue");
  }
  void theRunFolderIsReadFromStandardOutput() {
    QFETCH(bool, isQueued);
    QFETCH(QByteArray, option);
    QTemporaryDir folder;
    const QString arguments = folder.filePath(QStringLiteral("arguments"));
    qputenv("FAKE_ENGINE",
            "--stdout|" + folder.path().toUtf8() + "|--arguments|" + arguments.toUtf8());
    EngineProcess process(program("fake_engine"));
    QSignalSpy started(&process, &EngineProcess::started), failed(&process, &EngineProcess::failed);
    process.startTraining(QStringLiteral("/data/a b.yaml"), folder.path(),
                          isQueued ? EngineProcess::When::Queued : EngineProcess::When::Now);
    QVERIFY(process.isStarting());
    QVERIFY(started.wait());
    QCOMPARE(started[0][0].toString(), folder.path());
    QCOMPARE(failed.count(), 0);
    QVERIFY(!process.isStarting());
    QFile file(arguments);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), "train\n/data/a b.yaml\n" + option);
  }

  void aRangeTestAndAForkAreRunsOfTheirOwn() {
    QTemporaryDir folder;
    const QString arguments = folder.filePath(QStringLiteral("arguments"));
    qputenv("FAKE_ENGINE",
            "--stdout|" + folder.path().toUtf8() + "|--arguments|" + arguments.toUtf8());
    EngineProcess process(program("fake_engine"));
    QSignalSpy started(&process, &EngineProcess::started);
    process.startRangeTest(QStringLiteral("/data/a.yaml"), folder.path());
    QVERIFY(started.wait());
    QCOMPARE(lockstep::tests::contentOf(arguments),
             QByteArray("train\n/data/a.yaml\n--find-lr\n--detach"));
    process.forkRun(QStringLiteral("/runs/a"), 20, {QStringLiteral("solver.base_lr=0.01")});
    QVERIFY(started.wait());
    QCOMPARE(lockstep::tests::contentOf(arguments),
             QByteArray("train\n/runs/a\n--from\n20\n--detach\n--set\nsolver.base_lr=0.01"));
  }

  void resumingNamesTheRun() {
    QTemporaryDir folder;
    const QString arguments = folder.filePath(QStringLiteral("arguments"));
    qputenv("FAKE_ENGINE",
            "--stdout|" + folder.path().toUtf8() + "|--arguments|" + arguments.toUtf8());
    EngineProcess process(program("fake_engine"));
    QSignalSpy started(&process, &EngineProcess::started);
    process.resumeRun(folder.path());
    QVERIFY(started.wait());
    QFile file(arguments);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(),
             QByteArray("train\n" + folder.path().toUtf8() + "\n--resume\n--detach"));
  }

  void resumingMayChangeValues() {
    QTemporaryDir folder;
    const QString arguments = folder.filePath(QStringLiteral("arguments"));
    qputenv("FAKE_ENGINE",
            "--stdout|" + folder.path().toUtf8() + "|--arguments|" + arguments.toUtf8());
    EngineProcess process(program("fake_engine"));
    QSignalSpy started(&process, &EngineProcess::started);
    process.resumeRun(folder.path(), {QStringLiteral("dataset.bad_images=skip")});
    QVERIFY(started.wait());
    QFile file(arguments);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("train\n" + folder.path().toUtf8() +
                                        "\n--resume\n--detach\n--set\ndataset.bad_images=skip"));
  }

  void otherDataAreAcceptedOnRequest() {
    QTemporaryDir folder;
    const QString arguments = folder.filePath(QStringLiteral("arguments"));
    qputenv("FAKE_ENGINE", "--stderr|run: other annotations; add --accept-data|--exit-code|2");
    EngineProcess process(program("fake_engine"));
    QSignalSpy started(&process, &EngineProcess::started), failed(&process, &EngineProcess::failed);
    process.resumeRun(folder.path());
    QVERIFY(failed.wait());
    QVERIFY(process.canAcceptData());
    qputenv("FAKE_ENGINE",
            "--stdout|" + folder.path().toUtf8() + "|--arguments|" + arguments.toUtf8());
    process.acceptData();
    QVERIFY(!process.canAcceptData());
    QVERIFY(started.wait());
    QCOMPARE(
        lockstep::tests::contentOf(arguments),
        QByteArray("train\n" + folder.path().toUtf8() + "\n--resume\n--detach\n--accept-data"));
  }

  void aFailureHasTextAndExitStatus() {
    qputenv("FAKE_ENGINE", "--stderr|a.yaml:3:1: solver.base_lr: -1: must be > 0|--exit-code|2");
    EngineProcess process(program("fake_engine"));
    QSignalSpy failed(&process, &EngineProcess::failed);
    process.startTraining(QStringLiteral("a.yaml"), {});
    QVERIFY(failed.wait());
    QCOMPARE(failed[0][0].toString(),
             QStringLiteral("a.yaml:3:1: solver.base_lr: -1: must be > 0"));
    QCOMPARE(failed[0][1].toInt(), 2);
    QVERIFY(!process.isStarting());
  }

  void aFailureHasAtMostFiftyLines() {
    QByteArray lines;
    for (int i = 0; i < 80; ++i) lines += "line " + QByteArray::number(i) + "\n";
    qputenv("FAKE_ENGINE", "--stderr|" + lines + "|--exit-code|1");
    EngineProcess process(program("fake_engine"));
    QSignalSpy failed(&process, &EngineProcess::failed);
    process.startTraining(QStringLiteral("a.yaml"), {});
    QVERIFY(failed.wait());
    const QStringList kept = failed[0][0].toString().split(QLatin1Char('\n'));
    QCOMPARE(kept.size(), 50);
    QCOMPARE(kept.last(), QStringLiteral("line 79"));
  }

  void aMissingProgramIsReported() {
    EngineProcess process(QStringLiteral("/nowhere/lockstep-engine"));
    QSignalSpy failed(&process, &EngineProcess::failed);
    process.startTraining(QStringLiteral("a.yaml"), {});
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("/nowhere/lockstep-engine")));
    QCOMPARE(failed[0][1].toInt(), -1);
  }

  void successWithoutARunFolderIsAFailure() {
    qputenv("FAKE_ENGINE", "--exit-code|0");
    EngineProcess process(program("fake_engine"));
    QSignalSpy failed(&process, &EngineProcess::failed);
    process.startTraining(QStringLiteral("a.yaml"), {});
    QVERIFY(failed.wait());
  }

  void aSecondStartIsRefused() {
    qputenv("FAKE_ENGINE", "--hang");
    auto process = std::make_unique<EngineProcess>(program("fake_engine"));
    QSignalSpy failed(process.get(), &EngineProcess::failed);
    process->startTraining(QStringLiteral("a.yaml"), {});
    process->startTraining(QStringLiteral("b.yaml"), {});
    QCOMPARE(failed.count(), 1);
    QProcess* child = process->findChild<QProcess*>();
    QVERIFY(child && child->waitForStarted());
    child->kill();
    QTRY_COMPARE(failed.count(), 2);
    QCOMPARE(failed[1][1].toInt(), -1);
  }
};

LOCKSTEP_TEST(TstEngineProcess)
#include "tst_engine_process.moc"
