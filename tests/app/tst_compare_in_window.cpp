// From an object on Compare to its pixels on Predictions, and back.
#include <QTreeView>

#include "app/frame/main_window.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/compare_bench.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/predictions_view.h"

using namespace lockstep;
using app::MainWindow;
using app::Page;

class TstCompareInWindow : public tests::CompareBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { makePage(); }
  void cleanup() { clearPage(); }

  void anObjectLeadsToItsPixelsAndBothRunsStaySelected() {
    const QString annotations = write("val.json", tests::kDataset);
    addRun("one", tests::kOfFirst, annotations);
    addRun("other", tests::kOfSecond, annotations);
    const QStringList folders{runs_[0]->folder(), runs_[1]->folder()};
    MainWindow window(&theme_, tests::optionsFor(folders, Page::Compare));
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    app::ComparePage* compare = window.comparePage();
    QTRY_VERIFY(compare->results() && window.isReady());
    // What B detects on no object, of image b.png.
    compare->tables()->confusions()->setView(widgets::ComparedView::Second);
    compare->tables()->setCurrentWidget(compare->tables()->confusions());
    auto* cells = compare->tables()->confusions()->findChild<QTableView*>();
    QTest::mouseClick(cells->viewport(), Qt::LeftButton, {},
                      cells->visualRect(cells->model()->index(1, 0)).center());
    QTRY_VERIFY(compare->isReady() && compare->view()->second()->pinned() >= 0);
    QTest::keyClick(compare->tables()->objectsView()->focusProxy(), Qt::Key_Return);
    QVERIFY(window.page() == Page::Predictions);
    const widgets::PredictionsView* view = window.predictionsPage()->view();
    QTRY_VERIFY(window.isReady() && view->chosenInstance());
    QCOMPARE(view->shownImage()->fileName, std::string("b.png"));
    QCOMPARE(view->currentCheckpoint(), 40);
    QCOMPARE(view->chosenInstance()->facts.score, 0.8);
    QCOMPARE(window.runsPanel()->currentRun(), folders[1]);
    QCOMPARE(window.runsPanel()->selectedRuns().size(), 2);
    window.showPage(Page::Compare);
    QTRY_VERIFY(window.isReady() && compare->results());
    QCOMPARE(boxOf(*compare, "Run of A")->currentText(), QStringLiteral("one"));
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstCompareInWindow)
#include "tst_compare_in_window.moc"
