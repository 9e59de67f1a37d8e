#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/list/run_endings.h"
#include "app/runs/list/run_list_model.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstRunEndings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theEndOfATrainingRunIsNoticed_data() {
    QTest::addColumn<QByteArray>("state");
    QTest::addColumn<QString>("title");
    QTest::newRow("finished") << QByteArray("finished") << QStringLiteral("made finished");
    QTest::newRow("failed") << QByteArray("failed") << QStringLiteral("made failed");
    QTest::newRow("stopped by somebody") << QByteArray("stopped") << QString();
  }
  void theEndOfATrainingRunIsNoticed() {
    QFETCH(QByteArray, state);
    QFETCH(QString, title);
    QTemporaryDir parent;
    tests::MadeRun plan;
    plan.state = "running";
    const QString folder = tests::makeRun(parent.path(), plan);
    const run_folder::Layout layout(folder.toStdString());
    auto lock = run_folder::RunLock::tryAcquire(layout);
    app::RunListModel model;
    const QAbstractItemModelTester tester(&model);
    const app::RunEndings endings(&model);
    QSignalSpy ended(&endings, &app::RunEndings::ended);
    model.setParentFolders({parent.path()});
    QTRY_COMPARE(model.rowCount(), 1);
    QVERIFY(model.index(0).data(app::RunListModel::AliveRole).toBool());
    auto info = run_folder::readRunInfo(layout);
    info.state = base::parseEnum<protocol::RunState>(state.toStdString()).value();
    if (state == "failed") info.error.emplace().message = "no space left\nmore";
    run_folder::writeRunInfo(layout, info);
    lock.reset();
    model.refresh();
    QTRY_VERIFY(!model.index(0).data(app::RunListModel::AliveRole).toBool());
    QCOMPARE(ended.count(), title.isEmpty() ? 0 : 1);
    if (title.isEmpty()) return;
    QCOMPARE(ended[0][0].toString(), folder);
    QCOMPARE(ended[0][1].toString(), title);
    if (state == "failed") QCOMPARE(ended[0][2].toString(), QStringLiteral("no space left"));
    model.refresh();  // once
    QCOMPARE(ended.count(), 1);
  }

  void aRunThatHadEndedBeforeIsNone() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), {});
    app::RunListModel model;
    const app::RunEndings endings(&model);
    QSignalSpy ended(&endings, &app::RunEndings::ended);
    model.setParentFolders({parent.path()});
    QTRY_VERIFY(model.isLoaded());
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(ended.count(), 0);
  }
};

LOCKSTEP_TEST(TstRunEndings)
#include "tst_run_endings.moc"
