#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTest>
#include <memory>

#include "app/models/log_model.h"
#include "app/monitor/log_panel.h"
#include "tests/support/test_main.h"

using namespace lockstep::app;

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

  /// What the panel shows: filtered, while lines come and go.
  void thePanelsModelsPassQtsModelTester() {
    LogPanel panel;
    panel.show();
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    const QListView* log = nullptr;
    for (const QListView* list : panel.findChildren<QListView*>()) {
      testers.push_back(std::make_unique<QAbstractItemModelTester>(
          list->model(), QAbstractItemModelTester::FailureReportingMode::QtTest));
      if (list->accessibleName() == QStringLiteral("Log")) log = list;
    }
    QCOMPARE(testers.size(), std::size_t{2});
    auto* filter = panel.findChild<QLineEdit*>();
    panel.setLog({entry(1, "an apple"), entry(2, "b"), entry(3, "apples")});
    QTest::keyClicks(filter, QStringLiteral("APPLE"));
    QCOMPARE(log->model()->rowCount(), 2);
    panel.setLog({entry(1, "an apple"), entry(2, "b"), entry(3, "apples"), entry(4, "apple c")});
    QCOMPARE(log->model()->rowCount(), 3);
    panel.setLog({entry(1, "an apple"), entry(2, "pear")});
    QCOMPARE(log->model()->rowCount(), 1);
    filter->clear();
    QCOMPARE(log->model()->rowCount(), 2);
    panel.setAlerts({lockstep::protocol::Alert{1, 1, 1}, lockstep::protocol::Alert{2, 2, 2}});
    panel.setAlerts({lockstep::protocol::Alert{1, 1, 1}});
    panel.setLog({});
    QCOMPARE(log->model()->rowCount(), 0);
  }

 private:
  static LogEntry entry(std::int64_t seq, const char* text) {
    return {seq, seq, 1.0 * seq, LogEntry::Level::Info, text};
  }
};

LOCKSTEP_TEST(TstLogModel)
#include "tst_log_model.moc"
