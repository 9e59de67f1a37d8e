// The window from the keyboard and for a screen reader: where Tab stops, and what it is called.
#include <QAccessible>
#include <QApplication>
#include <QFile>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "app/monitor/monitor_page.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::Page;

class TstFocus : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QFile file(folder_.filePath(QStringLiteral("own.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("name: own\n") > 0);
    file.close();
    paths_ = {tests::makeRun(folder_.path(), {}), file.fileName()};
  }

  void everyStopOfTabHasAName_data() {
    QTest::addColumn<int>("page");
    QTest::newRow("configure") << static_cast<int>(Page::Configure);
    QTest::newRow("monitor") << static_cast<int>(Page::Monitor);
    QTest::newRow("predictions") << static_cast<int>(Page::Predictions);
    QTest::newRow("data") << static_cast<int>(Page::Data);
    QTest::newRow("compare") << static_cast<int>(Page::Compare);
  }
  void everyStopOfTabHasAName() {
    QFETCH(int, page);
    const QWidgetList stops = stopsOf(static_cast<Page>(page));
    QVERIFY(stops.size() > 3);
    QStringList nameless;
    for (QWidget* stop : stops) {
      QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(stop);
      if (!spoken || spoken->text(QAccessible::Name).isEmpty())
        nameless << QLatin1String(stop->metaObject()->className()) + QLatin1Char(' ') +
                        stop->objectName() + QLatin1Char(' ') + stop->toolTip();
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
  }

  /// Its keys work again after a click on a run.
  void aClickOnTheTabOfTheOpenPageGivesItTheFocus() {
    stopsOf(Page::Predictions);
    window_->runsPanel()->focusList();
    auto* tabs = window_->findChild<QTabBar*>(QStringLiteral("pageTabs"));
    QWidget* page = window_->predictionsPage();
    QTRY_VERIFY(!page->isAncestorOf(QApplication::focusWidget()));
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tabs->currentIndex()).center());
    QTRY_VERIFY(page->isAncestorOf(QApplication::focusWidget()));
    QVERIFY(window_->page() == Page::Predictions);
  }

  void tabGoesFromPlotToPlotAsTheyStand() {
    const QWidgetList stops = stopsOf(Page::Monitor);
    std::vector<qsizetype> order;
    for (const widgets::CurveCard* card : window_->monitorPage()->shownCards()) {
      order.push_back(stops.indexOf(card->plot()));
      QVERIFY2(order.back() >= 0, qPrintable(card->title()));
    }
    QVERIFY(std::ranges::is_sorted(order));
  }

 private:
  /// Until Tab comes back to the first one.
  QWidgetList stopsOf(Page page) {
    window_ = &shared_.show(paths_, page);
    QWidgetList stops;
    constexpr int kMost = 400;
    for (int i = 0; i < kMost; ++i) {
      QWidget* now = QApplication::focusWidget();
      if (now && stops.contains(now)) break;
      if (now) stops.append(now);
      QTest::keyClick(now ? now : window_, Qt::Key_Tab);
      if (now && QApplication::focusWidget() == now) break;  // a text takes Tab as a character
    }
    return stops;
  }

  QTemporaryDir folder_;
  QStringList paths_;
  tests::SharedWindow shared_;
  app::MainWindow* window_ = nullptr;
};

LOCKSTEP_TEST(TstFocus)
#include "tst_focus.moc"
