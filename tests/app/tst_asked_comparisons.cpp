#include <QDoubleSpinBox>

#include "tests/app/compare_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::ComparePage;
using tests::kOfFirst;
using tests::kOfSecond;

/// What a person asks for, also where something else was chosen before.
class TstAskedComparisons : public tests::CompareBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { makePage(); }
  void cleanup() { clearPage(); }

  void filtersThatLeaveNoObjectAreSaid() {
    showTwo();
    page_->tables()->objectsView()->findChild<QDoubleSpinBox*>()->setValue(0.95);
    const QVariantMap state = page_->viewState();
    page_ = std::make_unique<ComparePage>();
    page_->restoreViewState(state);
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QTRY_COMPARE(emptyTitle(), QStringLiteral("No object to show"));
    QVERIFY(says(QStringLiteral("All 4 objects are filtered out")));
    for (auto* one : page_->findChild<widgets::EmptyState*>()->findChildren<QPushButton*>())
      if (one->text() == QStringLiteral("Show all")) QTest::mouseClick(one, Qt::LeftButton);
    QTRY_COMPARE(emptyTitle(), QString());
    QCOMPARE(page_->tables()->objects()->rowCount(), 4);
  }

  void runsThatAreAskedForTakeThePlaceOfResults() {
    showTwo();
    const auto sides = [this]() -> QString {
      return boxOf("Run of A")->currentText() + u' ' + boxOf("Run of B")->currentText();
    };
    page_->compareShown();
    QCOMPARE(sides(), QStringLiteral("one other"));
    page_->openResultsAt(0, {write("a.json", kOfFirst)});
    page_->openResultsAt(1, {write("b.json", kOfSecond)});
    QCOMPARE(sides(), QStringLiteral("a.json b.json"));
    page_->compareShown();
    QCOMPARE(sides(), QStringLiteral("one other"));
    QTRY_VERIFY(page_->results() && page_->isReady());
    QTRY_COMPARE(emptyTitle(), QString());
  }
};

LOCKSTEP_TEST(TstAskedComparisons)
#include "tst_asked_comparisons.moc"
