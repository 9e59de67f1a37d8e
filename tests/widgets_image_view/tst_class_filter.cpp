#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

#include "tests/support/test_main.h"
#include "widgets/image_view/class_filter.h"

using namespace lockstep;
using namespace lockstep::widgets;

class TstClassFilter : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<ClassFilter> filter_;

  QTreeWidget* list() { return filter_->menu()->findChild<QTreeWidget*>(); }
  void press(const char* name) {
    for (auto* button : filter_->menu()->findChildren<QPushButton*>())
      if (button->text() == QString::fromUtf8(name)) button->click();
  }
  int rowsShown() {
    int rows = 0;
    for (int row = 0; row < list()->topLevelItemCount(); ++row)
      rows += !list()->topLevelItem(row)->isHidden();
    return rows;
  }
  QString cell(int row, int column) { return list()->topLevelItem(row)->text(column); }

 private Q_SLOTS:
  /// As many as COCO has.
  void init() {
    filter_ = std::make_unique<ClassFilter>();
    std::vector<coco::Category> classes;
    for (int id = 1; id <= 80; ++id)
      classes.push_back({CategoryId{id}, "class number " + std::to_string(id)});
    filter_->setClasses(classes);
    filter_->show();
  }

  void aLongListScrollsAndItsColumnsFit() {
    std::vector<std::optional<coco::Counts>> counts(80, coco::Counts{10000, 20000, 30000});
    filter_->setCounts(counts);
    filter_->menu()->popup({0, 0});
    QCOMPARE(list()->topLevelItemCount(), 80);
    QCOMPARE(list()->header()->length(), list()->viewport()->width());
    QVERIFY(filter_->menu()->height() < filter_->screen()->availableSize().height());
    QVERIFY(list()->verticalScrollBar()->maximum() > 0);
    list()->scrollToBottom();
    const QRect last = list()->visualItemRect(list()->topLevelItem(79));
    QVERIFY(list()->viewport()->rect().contains(last));
    for (int column = 1; column < 4; ++column) {
      const QString text = cell(0, column);
      QVERIFY(list()->fontMetrics().horizontalAdvance(text) < list()->columnWidth(column));
    }
    filter_->menu()->close();
  }

  void theColumnTitlesFit() {
    filter_->menu()->popup({0, 0});
    const QStringList titles{verdictName(Verdict::TruePositive),
                             verdictName(Verdict::FalsePositive), verdictName(Verdict::Missed)};
    for (int column = 1; column < 4; ++column) {
      QCOMPARE(list()->headerItem()->text(column), titles[column - 1]);
      QVERIFY(list()->columnWidth(column) >= list()->header()->sectionSizeHint(column));
    }
    QVERIFY(list()->header()->length() <= list()->viewport()->width());
    filter_->menu()->close();
  }

  void hiddenClassesStayHiddenInTheNextRun() {
    QSignalSpy changed(filter_.get(), &ClassFilter::hiddenChanged);
    list()->topLevelItem(2)->setCheckState(0, Qt::Unchecked);
    QCOMPARE(changed.count(), 1);
    filter_->setClasses({});
    QVERIFY(filter_->hidden().empty());
    filter_->setClasses({{CategoryId{7}, "class number 3"}, {CategoryId{3}, "another"}});
    QCOMPARE(filter_->hidden(), std::set<CategoryId>{CategoryId{7}});
    QCOMPARE(list()->topLevelItem(0)->checkState(0), Qt::Unchecked);
    QVERIFY(filter_->text().startsWith(QStringLiteral("1 of 2")));
  }

  void hiddenClassesAreRestoredByTheirNames() {
    press("None");
    const QStringList names = filter_->unchecked();
    QCOMPARE(names.size(), 80);
    filter_->uncheck({QStringLiteral("class number 7"), QStringLiteral("of other data")});
    QCOMPARE(filter_->hidden(), (std::set<CategoryId>{{7}}));
    QCOMPARE(list()->topLevelItem(6)->checkState(0), Qt::Unchecked);
    QCOMPARE(list()->topLevelItem(7)->checkState(0), Qt::Checked);
    QCOMPARE(filter_->unchecked().size(), 2);
  }

  void countsAreBesideTheirClass() {
    std::vector<std::optional<coco::Counts>> counts(80);
    counts[2] = coco::Counts{5, 6, 7};
    filter_->setCounts(counts);
    QCOMPARE(cell(2, 0), QStringLiteral("class number 3"));
    QCOMPARE(cell(2, 1) + cell(2, 2) + cell(2, 3), QStringLiteral("567"));
    QCOMPARE(cell(3, 1), QString());
    list()->sortByColumn(3, Qt::DescendingOrder);
    QCOMPARE(cell(0, 0), QStringLiteral("class number 3"));
    counts[9] = coco::Counts{0, 0, 11};  // sorted as numbers, also when counts change
    filter_->setCounts(counts);
    QCOMPARE(cell(0, 0), QStringLiteral("class number 10"));
  }

  void allAndNoneApplyToTheListedClasses() {
    QSignalSpy changed(filter_.get(), &ClassFilter::hiddenChanged);
    filter_->menu()->findChild<QLineEdit*>()->setText(QStringLiteral("NUMBER 7"));
    QCOMPARE(rowsShown(), 11);
    press("None");
    QCOMPARE(changed.count(), 1);
    QCOMPARE(filter_->hidden().size(), std::size_t{11});
    QVERIFY(filter_->hidden().count(CategoryId{70}));
    QVERIFY(filter_->text().startsWith(QStringLiteral("69 of 80 classes")));
    filter_->menu()->findChild<QLineEdit*>()->clear();
    QCOMPARE(rowsShown(), 80);
    press("All");
    QVERIFY(filter_->hidden().empty());
  }
};

LOCKSTEP_TEST(TstClassFilter)
#include "tst_class_filter.moc"
