#include <QAbstractItemModelTester>
#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/run_list_model.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunListModel;

namespace {

tests::MadeRun made(const char* name, double created) {
  tests::MadeRun run;
  run.name = name;
  run.created = created;
  return run;
}

}  // namespace

class TstRunListModel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void listsRunsNewestFirst() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), made("older", 1000));
    tests::makeRun(parent.path(), made("newer", 2000));
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    load(model, parent.path());
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0).data(RunListModel::NameRole).toString(), QStringLiteral("newer"));
    QCOMPARE(model.index(1).data(RunListModel::NameRole).toString(), QStringLiteral("older"));
    QCOMPARE(model.index(0).data(RunListModel::StateRole).toString(), QStringLiteral("finished"));
    QCOMPARE(model.index(0).data(RunListModel::StepRole).toLongLong(), 40);
    QVERIFY(model.index(0).data(RunListModel::BestValueRole).toDouble() > 0.4);
    QVERIFY(model.index(0).data(RunListModel::StyleIndexRole) !=
            model.index(1).data(RunListModel::StyleIndexRole));
  }

  void rowsComeAndGoWithoutAReset() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), made("first", 1000));
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    load(model, parent.path());
    const int style = model.index(0).data(RunListModel::StyleIndexRole).toInt();
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted),
        removed(&model, &QAbstractItemModel::rowsRemoved),
        reset(&model, &QAbstractItemModel::modelReset);
    tests::makeRun(parent.path(), made("second", 2000));
    model.refresh();
    QTRY_COMPARE(inserted.count(), 1);
    QCOMPARE(model.index(1).data(RunListModel::StyleIndexRole).toInt(), style);
    QVERIFY(QDir(parent.filePath(QStringLiteral("second"))).removeRecursively());
    model.refresh();
    QTRY_COMPARE(removed.count(), 1);
    QCOMPARE(reset.count(), 0);
    QCOMPARE(model.rowCount(), 1);
  }

  void aChangedRunIsToldOnce() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("run", 1000));
    RunListModel model;
    load(model, parent.path());
    QSignalSpy changed(&model, &RunListModel::runChanged);
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.step = 41;
    run_folder::writeRunInfo(layout, info);
    model.refresh();
    QTRY_COMPARE(model.index(0).data(RunListModel::StepRole).toLongLong(), 41);
    QCOMPARE(changed.count(), 1);
  }

  void aFolderThatIsNotThereYetHasNoRuns() {
    QTemporaryDir parent;
    const QString later = parent.filePath(QStringLiteral("runs"));
    RunListModel model;
    load(model, later);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(QDir().mkpath(later));
    tests::makeRun(later, made("late", 1000));
    model.refresh();
    QTRY_COMPARE(model.rowCount(), 1);
  }

  void aSingleRunIsListedOnceWhereverItLies() {
    QTemporaryDir parent, elsewhere;
    tests::makeRun(parent.path(), made("here", 1000));
    const QString single = tests::makeRun(elsewhere.path(), made("there", 500));
    RunListModel model;
    load(model, parent.path());
    model.addRun(single);
    model.addRun(single);
    model.addRun(parent.filePath(QStringLiteral("here")));
    QTRY_COMPARE(model.rowCount(), 2);
    QCOMPARE(model.rowOf(single), 1);
  }

  void liveStateShowsBeforeRunJsonSaysIt() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), made("run", 1000));
    RunListModel model;
    load(model, parent.path());
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setLive(folder, QStringLiteral("evaluating"), 99);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(model.index(0).data(RunListModel::StateRole).toString(), QStringLiteral("evaluating"));
    QCOMPARE(model.index(0).data(RunListModel::StepRole).toLongLong(), 99);
  }

 private:
  static void load(RunListModel& model, const QString& folder) {
    QSignalSpy loaded(&model, &RunListModel::loaded);
    model.setParentFolder(folder);
    QVERIFY(loaded.wait());
  }
};

LOCKSTEP_TEST(TstRunListModel)
#include "tst_run_list_model.moc"
