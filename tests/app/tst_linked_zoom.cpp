// Zoom in x of all cards at once, earlier zooms, and the cursor by keys.
#include <QAction>
#include <QMouseEvent>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include "app/frame/main_window.h"
#include "app/monitor/linked_zoom.h"
#include "app/monitor/monitor_page.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using widgets::CurvePlot;

namespace {

/// A box over the middle third of the plot, dragged with the mouse.
void zoomWithMouse(CurvePlot* plot) {
  QWidget* target = plot->childAt(plot->rect().center());
  const int y = plot->height() / 2;
  QTest::mousePress(target, Qt::LeftButton, {}, {plot->width() / 3, y});
  for (int i = 1; i <= 4; ++i) {
    // Not QTest's: that moves the pointer, which does not leave the screen.
    const QPointF at(plot->width() / 3 + i * plot->width() / 12, y);
    QMouseEvent move(QEvent::MouseMove, at, target->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                     Qt::NoModifier);
    QCoreApplication::sendEvent(target, &move);
  }
  QTest::mouseRelease(target, Qt::LeftButton, {}, {plot->width() * 2 / 3, y});
}

}  // namespace

class TstLinkedZoom : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    parent_ = std::make_unique<QTemporaryDir>();
    const QString run = tests::makeRun(parent_->path(), tests::MadeRun());
    window_ = std::make_unique<MainWindow>(&theme_, tests::optionsFor({run}));
    window_->resize(1400, 1300);
    window_->show();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTRY_VERIFY(window_->isReady());
  }
  void cleanup() { window_.reset(); }

  void aZoomInXIsThatOfAllCards() {
    const widgets::PlotZoom before = plot(1)->zoom();
    QVERIFY(!before.x);
    zoomWithMouse(plot(0));
    QVERIFY(plot(0)->zoom().x);
    for (const widgets::CurveCard* card : page().cards())
      QCOMPARE(card->plot()->zoom().x, plot(0)->zoom().x);
    QTest::keyClick(window_.get(), Qt::Key_R);
    for (const widgets::CurveCard* card : page().cards()) QVERIFY(!card->plot()->isZoomed());
  }

  void unlinkedCardsAreZoomedAlone() {
    window_->findChild<QAction*>(QStringLiteral("monitor.link_zoom"))->trigger();
    zoomWithMouse(plot(0));
    QVERIFY(plot(0)->isZoomed() && !plot(1)->isZoomed());
  }

  void earlierZoomsComeBack() {
    zoomWithMouse(plot(0));
    const auto first = plot(0)->zoom();
    zoomWithMouse(plot(1));
    const auto second = plot(1)->zoom();
    QVERIFY(second.x != first.x);
    QTest::keyClick(window_.get(), Qt::Key_BracketLeft);
    QCOMPARE(plot(0)->zoom(), first);
    QCOMPARE(plot(1)->zoom().x, first.x);
    QTest::keyClick(window_.get(), Qt::Key_BracketLeft);
    for (const widgets::CurveCard* card : page().cards()) QVERIFY(!card->plot()->isZoomed());
    QTest::keyClick(window_.get(), Qt::Key_BracketLeft);  // there is nothing before
    QTest::keyClick(window_.get(), Qt::Key_BracketRight);
    QTest::keyClick(window_.get(), Qt::Key_BracketRight);
    QCOMPARE(plot(1)->zoom(), second);
    QTest::keyClick(window_.get(), Qt::Key_BracketRight);
    QCOMPARE(plot(1)->zoom(), second);
    QTest::keyClick(window_.get(), Qt::Key_R);
    QTest::keyClick(window_.get(), Qt::Key_BracketLeft);  // a reset can be undone too
    QCOMPARE(plot(1)->zoom(), second);
  }

  /// The steps of one movement are one entry.
  void aTurnOfTheWheelIsOneZoom() {
    CurvePlot* plot = this->plot(0);
    QWidget* target = plot->childAt(plot->rect().center());
    const QPointF at(plot->width() / 2.0, plot->height() / 2.0);
    for (int i = 0; i < 5; ++i) {
      QWheelEvent event(at, plot->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::ControlModifier,
                        Qt::NoScrollPhase, false);
      QCoreApplication::sendEvent(target, &event);
    }
    QVERIFY(plot->isZoomed());
    QTest::keyClick(window_.get(), Qt::Key_BracketLeft);
    QVERIFY(!plot->isZoomed());
  }

  void keysMoveTheCursorOfAllCards() {
    CurvePlot* plot = this->plot(0);
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Home);
    QTest::keyClick(plot, Qt::Key_Right);
    const QString first = plot->accessibleDescription();
    QVERIFY2(first.contains(QStringLiteral("train")), qPrintable(first));
    for (int i = 0; i < 8; ++i) QTest::keyClick(plot, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(plot->accessibleDescription() != first);
    QTest::keyClick(plot, Qt::Key_End);
    QTest::keyClick(plot, Qt::Key_Left);
    const auto* tip = window_->findChild<QWidget*>(QStringLiteral("readingsTip"));
    QVERIFY(tip && tip->isVisible());
    QTest::keyClick(plot, Qt::Key_Escape);
    QVERIFY(!tip->isVisible());
  }

 private:
  app::MonitorPage& page() const { return *window_->monitorPage(); }
  CurvePlot* plot(std::size_t card) const { return page().cards()[card]->plot(); }

  widgets::ThemeSwitch theme_;
  std::unique_ptr<QTemporaryDir> parent_;
  std::unique_ptr<MainWindow> window_;
};

LOCKSTEP_TEST(TstLinkedZoom)
#include "tst_linked_zoom.moc"
