#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTreeWidget>
#include <limits>

#include "tests/support/test_main.h"
#include "widgets/comparison/classes_view.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

/// Ten classes of 1 … 10 objects, whose AP falls by 0.1 … 1.
std::vector<ComparedClass> tenClasses() {
  std::vector<ComparedClass> classes;
  for (int i = 1; i <= 10; ++i)
    classes.push_back({CategoryId{i * 3},
                       {QStringLiteral("class %1").arg(i), 1, 1 - i * 0.1},
                       static_cast<std::size_t>(i)});
  return classes;
}

QStringList shownIn(const ClassesView& view) {
  QStringList names;
  for (int row = 0; row < view.table()->topLevelItemCount(); ++row)
    if (!view.table()->topLevelItem(row)->isHidden())
      names << view.table()->topLevelItem(row)->text(0);
  return names;
}

}  // namespace

class TstClassesView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theChosenClassStays() {
    ClassesView view;
    std::vector<ComparedClass> classes = tenClasses();
    view.setClasses(classes);
    view.table()->setCurrentItem(
        view.table()->findItems(QStringLiteral("class 3"), Qt::MatchExactly).value(0));
    classes[2].ap.second = 1;  // which is another order
    view.setClasses(classes);
    QVERIFY(view.table()->currentItem());
    QCOMPARE(view.table()->currentItem()->text(0), QStringLiteral("class 3"));
  }

  void aClassIsChosenByAClickAndByReturn() {
    ClassesView view;
    view.setClasses(tenClasses());
    view.resize(500, 500);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QSignalSpy chosen(&view, &ClassesView::classChosen);
    QTreeWidgetItem* item = view.table()->topLevelItem(1);
    QCOMPARE(item->text(0), QStringLiteral("class 9"));  // it falls most but one
    QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, {},
                      view.table()->visualItemRect(item).center());
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.last().first().value<CategoryId>().value, 27);
    view.table()->setFocus();
    QTest::keyClick(view.table(), Qt::Key_Down);
    QTest::keyClick(view.table(), Qt::Key_Return);
    QCOMPARE(chosen.count(), 2);
    QCOMPARE(chosen.last().first().value<CategoryId>().value, 24);
  }

  void classesAreSearchedAndThoseOfFewObjectsLeftOut() {
    ClassesView view;
    view.setClasses(tenClasses());
    view.show();
    auto* search = view.findChild<QLineEdit*>();
    view.focusSearch();
    QTest::keyClicks(search, QStringLiteral(" CLASS 1"));
    QCOMPARE(shownIn(view), (QStringList{QStringLiteral("class 10"), QStringLiteral("class 1")}));
    view.findChild<QSpinBox*>()->setValue(2);
    QCOMPARE(shownIn(view), QStringList{QStringLiteral("class 10")});
    search->clear();
    QCOMPARE(shownIn(view).size(), 9);
  }

  void objectsAreSortedAsNumbersAndTheOrderIsKept() {
    ClassesView view;
    view.setClasses(tenClasses());
    view.table()->sortByColumn(1, Qt::DescendingOrder);
    QCOMPARE(shownIn(view).first(), QStringLiteral("class 10"));
    QCOMPARE(shownIn(view)[1], QStringLiteral("class 9"));
    view.findChild<QSpinBox*>()->setValue(4);
    ClassesView next;
    next.restoreViewState(view.viewState());
    next.setClasses(tenClasses());
    QCOMPARE(shownIn(next), shownIn(view));
    QCOMPARE(shownIn(next).size(), 7);
  }

  void whatHasNoFigureIsLastInBothOrders() {
    constexpr int kFirstAp = 2;
    ClassesView view;
    std::vector<ComparedClass> classes = tenClasses();
    for (std::size_t i = 0; i < classes.size(); ++i)
      classes[i].ap.first = 0.1 * static_cast<double>(i);
    classes[3].ap.first = std::numeric_limits<double>::quiet_NaN();
    view.setClasses(classes);
    view.table()->sortByColumn(kFirstAp, Qt::AscendingOrder);
    QCOMPARE(shownIn(view).first(), QStringLiteral("class 1"));
    QCOMPARE(shownIn(view).last(), QStringLiteral("class 4"));
    view.table()->sortByColumn(kFirstAp, Qt::DescendingOrder);
    QCOMPARE(shownIn(view).first(), QStringLiteral("class 10"));
    QCOMPARE(shownIn(view).last(), QStringLiteral("class 4"));
  }
};

LOCKSTEP_TEST(TstClassesView)
#include "tst_classes_view.moc"
