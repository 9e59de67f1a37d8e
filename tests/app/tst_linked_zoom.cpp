// Zoom in x of all cards at once, earlier zooms, and the cursor by keys.
#include <QMouseEvent>
#include <QTest>
#include <QWheelEvent>

#include "app/monitor/linked_zoom.h"
#include "tests/app/monitor_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
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
  void init() { bench_ = std::make_unique<tests::MonitorBench>(QSize(1130, 1080)); }
  void cleanup() { bench_.reset(); }

  void aZoomInXIsThatOfAllCards() {
    const widgets::PlotZoom before = plot(1)->zoom();
    QVERIFY(!before.x);
    zoomWithMouse(plot(0));
    QVERIFY(plot(0)->zoom().x);
    for (const widgets::CurveCard* card : page().cards())
      QCOMPARE(card->plot()->zoom().x, plot(0)->zoom().x);
    page().resetViews();
    for (const widgets::CurveCard* card : page().cards()) QVERIFY(!card->plot()->isZoomed());
  }

  void unlinkedCardsAreZoomedAlone() {
    page().zoom()->setLinked(false);
    zoomWithMouse(plot(0));
    QVERIFY(plot(0)->isZoomed() && !plot(1)->isZoomed());
  }

  void earlierZoomsComeBack() {
    zoomWithMouse(plot(0));
    const auto first = plot(0)->zoom();
    zoomWithMouse(plot(1));
    const auto second = plot(1)->zoom();
    QVERIFY(second.x != first.x);
    page().zoom()->goBack();
    QCOMPARE(plot(0)->zoom(), first);
    QCOMPARE(plot(1)->zoom().x, first.x);
    page().zoom()->goBack();
    for (const widgets::CurveCard* card : page().cards()) QVERIFY(!card->plot()->isZoomed());
    page().zoom()->goBack();  // there is nothing before
    page().zoom()->goForward();
    page().zoom()->goForward();
    QCOMPARE(plot(1)->zoom(), second);
    page().zoom()->goForward();
    QCOMPARE(plot(1)->zoom(), second);
    page().resetViews();
    page().zoom()->goBack();  // a reset can be undone too
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
    page().zoom()->goBack();
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
    const auto* tip = bench_->window().findChild<QWidget*>(QStringLiteral("readingsTip"));
    QVERIFY(tip && tip->isVisible());
    QTest::keyClick(plot, Qt::Key_Escape);
    QVERIFY(!tip->isVisible());
  }

 private:
  app::MonitorPage& page() const { return bench_->page(); }
  CurvePlot* plot(std::size_t card) const { return bench_->plot(card); }

  std::unique_ptr<tests::MonitorBench> bench_;
};

LOCKSTEP_TEST(TstLinkedZoom)
#include "tst_linked_zoom.moc"
