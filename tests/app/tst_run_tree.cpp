#include <QAbstractItemModelTester>
#include <QMimeData>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/runs/list/run_list_model.h"
#include "app/runs/list/run_tree.h"
#include "engine/run_folder/run_folder.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunListModel;
using app::RunTree;
namespace fs = std::filesystem;

class TstRunTree : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    parent_ = std::make_unique<QTemporaryDir>();
    list_ = std::make_unique<RunListModel>();
    tree_ = std::make_unique<RunTree>(list_.get());
    tester_ = std::make_unique<QAbstractItemModelTester>(
        tree_.get(), QAbstractItemModelTester::FailureReportingMode::QtTest);
  }
  void cleanup() {
    tester_.reset();
    tree_.reset();
    list_.reset();
    locks_.clear();
  }

  void withoutSectionsRunsAreAtTheTop() {
    make("a", 1);
    make("b", 2);
    load();
    QCOMPARE(texts(), QStringLiteral("b a"));
    QVERIFY(!tree_->index(0, 0).parent().isValid());
    QCOMPARE(tree_->indexOf(folder("a")).row(), 1);
    QCOMPARE(tree_->folderOf(tree_->index(0, 0)), folder("b"));
    make("c", 3);
    list_->refresh();
    QTRY_COMPARE(texts(), QStringLiteral("c b a"));
    fs::remove_all(folder("b").toStdString());
    list_->forget({folder("b")});
    QTRY_COMPARE(texts(), QStringLiteral("c a"));
  }

  void columnsSort_data() {
    QTest::addColumn<QString>("column");
    QTest::addColumn<bool>("descending");
    QTest::addColumn<QString>("order");
    QTest::newRow("names as people do") << QStringLiteral("run") << false << "x2 x9 x10";
    QTest::newRow("reversed") << QStringLiteral("run") << true << "x10 x9 x2";
    QTest::newRow("numbers") << QStringLiteral("step") << false << "x10 x2 x9";
    QTest::newRow("without a value last") << QStringLiteral("step") << true << "x2 x10 x9";
    QTest::newRow("best") << QStringLiteral("best") << true << "x9 x2 x10";
    QTest::newRow("unknown") << QStringLiteral("nothing") << false << "x10 x9 x2";
  }
  void columnsSort() {
    QFETCH(QString, column);
    QFETCH(bool, descending);
    QFETCH(QString, order);
    make("x2", 1, [](auto& info) {
      info.step = 30;
      info.best = {"segm/AP", 0.2, 10};
    });
    make("x9", 2, [](auto& info) { info.best = {"segm/AP", 0.5, 10}; });
    make("x10", 3, [](auto& info) { info.step = 4; });
    load();
    tree_->sortBy(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    QCOMPARE(texts(), order);
  }

  void aFilterHidesAndGroupsDivide() {
    for (const char* name : {"lr1-0", "lr1-1", "lr2-0", "other"}) make(name, ++created_);
    load();
    tree_->setGrouping([](const QModelIndex& run) {
      return run.data(RunListModel::NameRole).toString().section(u'-', 0, 0);
    });
    QCOMPARE(texts(), QStringLiteral("lr1 (2): lr1-1 lr1-0; lr2 (1): lr2-0; other (1): other"));
    tree_->setFilter([](const QModelIndex& run) {
      return run.data(RunListModel::NameRole).toString().endsWith(u'0');
    });
    QCOMPARE(texts(), QStringLiteral("lr1 (1): lr1-0; lr2 (1): lr2-0"));
    QCOMPARE(tree_->hiddenCount(), 2);
    QVERIFY(!tree_->indexOf(folder("other")).isValid());
    tree_->setGrouping({});
    QCOMPARE(texts(), QStringLiteral("lr2-0 lr1-0"));
    tree_->setFilter({});
    QCOMPARE(tree_->hiddenCount(), 0);
  }

  /// An editor or a drag in a view holds such an index.
  void indexesStayWithTheirRuns() {
    for (const char* name : {"a", "b", "c"}) make(name, ++created_);
    load();
    const QPersistentModelIndex b = tree_->indexOf(folder("b")), c = tree_->indexOf(folder("c"));
    tree_->sortBy(QStringLiteral("run"));
    QCOMPARE(b.row(), 1);
    QCOMPARE(c.row(), 2);
    tree_->setGrouping([](const QModelIndex&) { return QStringLiteral("all"); });
    QCOMPARE(tree_->folderOf(b), folder("b"));
    QVERIFY(b.parent().isValid());
    tree_->setFilter([](const QModelIndex& run) {
      return run.data(RunListModel::NameRole).toString() != QStringLiteral("c");
    });
    QVERIFY(!c.isValid());
    QCOMPARE(tree_->folderOf(b), folder("b"));
  }

  void theQueueIsTheFirstSectionInItsOrder() {
    make("done", 1);
    makeQueued("second", 4);
    makeQueued("first", 2);
    load();
    QCOMPARE(texts(), QStringLiteral("Queue (2): first second; Runs (1): done"));
    makeQueued("second", 1);
    list_->refresh();
    QTRY_COMPARE(texts(), QStringLiteral("Queue (2): second first; Runs (1): done"));
    locks_.clear();  // the waiting processes end
    list_->refresh();
    QTRY_COMPARE(texts(), QStringLiteral("first second done"));
  }

  void aDropInTheQueueAsksForThePlaceOfAnother_data() {
    QTest::addColumn<QString>("dragged");
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("position");
    QTest::newRow("before the first") << "c" << 0 << 2;
    QTest::newRow("behind the last") << "a" << 3 << 7;
    QTest::newRow("down by one") << "a" << 2 << 5;
    QTest::newRow("up by one") << "c" << 1 << 5;
    QTest::newRow("where it is") << "b" << 1 << 0;
    QTest::newRow("behind itself") << "b" << 2 << 0;
  }
  void aDropInTheQueueAsksForThePlaceOfAnother() {
    QFETCH(QString, dragged);
    QFETCH(int, row);
    QFETCH(int, position);
    makeQueued("a", 2);  // runs of other folders wait between them
    makeQueued("b", 5);
    makeQueued("c", 7);
    make("done", 1);
    load();
    QSignalSpy moves(tree_.get(), &RunTree::queueMoveRequested);
    const QModelIndex run = tree_->indexOf(parent_->filePath(dragged)), queue = tree_->index(0, 0);
    const std::unique_ptr<QMimeData> data(tree_->mimeData({run}));
    QVERIFY(data);
    QVERIFY(tree_->canDropMimeData(data.get(), Qt::MoveAction, row, 0, queue));
    QVERIFY(!tree_->canDropMimeData(data.get(), Qt::MoveAction, row, 0, tree_->index(1, 0)));
    tree_->dropMimeData(data.get(), Qt::MoveAction, row, 0, queue);
    QCOMPARE(moves.count(), position == 0 ? 0 : 1);
    if (position == 0) return;
    QCOMPARE(moves[0][0].toString(), parent_->filePath(dragged));
    QCOMPARE(moves[0][1].toInt(), position);
    QVERIFY(!tree_->flags(tree_->indexOf(folder("done"))).testFlag(Qt::ItemIsDragEnabled));
  }

  void tableCellsShowTheirValues() {
    make("a", 1795255200, [](auto& info) {
      info.step = 30;
      info.best = {"bbox/AP", 0.25, 10};
    });
    load();
    tree_->setColumns(app::standardColumns());
    QStringList cells;
    for (int column = 0; column < tree_->columnCount(); ++column) {
      const QString title = tree_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
      if (title == QStringLiteral("Step") || title == QStringLiteral("Best"))
        cells.append(tree_->index(0, column).data().toString());
    }
    QCOMPARE(cells, (QStringList{QStringLiteral("30"), QStringLiteral("box AP 0.250")}));
  }

 private:
  void make(const char* name, double created,
            const std::function<void(run_folder::RunInfo&)>& change = {}) {
    run_folder::RunInfo info;
    info.name = name;
    info.created = created;
    info.state = protocol::RunState::Finished;
    if (change) change(info);
    const run_folder::Layout layout(folder(name).toStdString());
    fs::create_directories(layout.folder());
    run_folder::writeRunInfo(layout, info);
  }
  void makeQueued(const char* name, int position) {
    make(name, ++created_, [position](auto& info) {
      info.state = protocol::RunState::Queued;
      info.queuePosition = position;
    });
    auto lock = run_folder::RunLock::tryAcquire(run_folder::Layout(folder(name).toStdString()));
    if (lock) locks_.push_back(std::move(*lock));
  }
  void load() {
    QSignalSpy loaded(list_.get(), &RunListModel::loaded);
    list_->setParentFolders({parent_->path()});
    QVERIFY(loaded.wait());
    tree_->arrange();
  }
  QString folder(const char* name) const { return parent_->filePath(QString::fromLatin1(name)); }
  /// `b a`, or `Queue (1): b; Runs (1): a`
  QString texts() const {
    QStringList rows;
    bool hasSections = false;
    for (int row = 0; row < tree_->rowCount(); ++row) {
      const QModelIndex index = tree_->index(row, 0);
      QString text = index.data().toString();
      QStringList runs;
      for (int child = 0; child < tree_->rowCount(index); ++child)
        runs.append(tree_->index(child, 0, index).data().toString());
      hasSections = hasSections || tree_->isSection(index);
      rows.append(runs.isEmpty() ? text : text + QStringLiteral(": ") + runs.join(u' '));
    }
    return rows.join(hasSections ? QStringLiteral("; ") : QStringLiteral(" "));
  }

  std::unique_ptr<QTemporaryDir> parent_;
  std::unique_ptr<RunListModel> list_;
  std::unique_ptr<RunTree> tree_;
  std::unique_ptr<QAbstractItemModelTester> tester_;
  std::vector<run_folder::RunLock> locks_;
  double created_ = 100;
};

LOCKSTEP_TEST(TstRunTree)
#include "tst_run_tree.moc"
