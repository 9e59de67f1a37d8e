#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "app/monitor/log_model.h"
#include "tests/support/test_main.h"

using lockstep::app::LogEntry;
using lockstep::app::LogModel;

class TstLogModel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void newLinesAreInsertedAndTheOldStay() {
    LogModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setEntries({entry(1, "a"), entry(2, "b")});
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted),
        removed(&model, &QAbstractItemModel::rowsRemoved),
        reset(&model, &QAbstractItemModel::modelReset);
    model.setEntries({entry(1, "a"), entry(2, "b"), entry(3, "c")});
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(inserted[0][1].toInt(), 2);
    QCOMPARE(removed.count() + reset.count(), 0);
    QCOMPARE(model.index(2).data(LogModel::TextRole).toString(), QStringLiteral("c"));
    QCOMPARE(model.index(2).data(LogModel::LevelRole).value<LogEntry::Level>(),
             LogEntry::Level::Info);
  }

  void cutLinesAreRemovedAndAnotherRunReplacesAll() {
    LogModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setEntries({entry(1, "a"), entry(2, "b"), entry(3, "c")});
    model.setEntries({entry(1, "a"), entry(2, "other")});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(1).data(LogModel::TextRole).toString(), QStringLiteral("other"));
    model.setEntries({entry(1, "another run"), entry(2, "other")});
    QCOMPARE(model.index(0).data(LogModel::TextRole).toString(), QStringLiteral("another run"));
    model.setEntries({});
    QCOMPARE(model.rowCount(), 0);
  }

 private:
  static LogEntry entry(std::int64_t seq, const char* text) {
    return {seq, seq, 1.0 * seq, LogEntry::Level::Info, text};
  }
};

LOCKSTEP_TEST(TstLogModel)
#include "tst_log_model.moc"
