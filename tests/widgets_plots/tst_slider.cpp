#include <QShortcut>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/slider.h"

using lockstep::widgets::Slider;

class TstSlider : public QObject {
  Q_OBJECT

 private:
  Slider slider_;

  QPoint at(double share) const {
    return {static_cast<int>(share * slider_.width()), slider_.height() / 2};
  }

 private Q_SLOTS:
  void init() {
    slider_.resize(300, 20);
    slider_.setRange(0, 5);
    slider_.setValue(0);
    slider_.show();
    QVERIFY(QTest::qWaitForWindowExposed(&slider_));
  }

  void aPressBesideTheHandleMovesItThere_data() {
    QTest::addColumn<double>("share");
    QTest::addColumn<int>("value");
    QTest::newRow("a little beside") << 0.2 << 1;
    QTest::newRow("between two") << 0.36 << 2;
    QTest::newRow("middle") << 0.6 << 3;
    QTest::newRow("end") << 0.99 << 5;
  }
  void aPressBesideTheHandleMovesItThere() {
    QFETCH(double, share);
    QFETCH(int, value);
    QSignalSpy changed(&slider_, &Slider::valueChanged);
    QTest::mouseClick(&slider_, Qt::LeftButton, {}, at(share));
    QCOMPARE(slider_.value(), value);
    QCOMPARE(changed.size(), 1);
    QVERIFY(!slider_.isSliderDown());
  }

  void theHandleIsThenDragged() {
    QTest::mousePress(&slider_, Qt::LeftButton, {}, at(0.6));
    QCOMPARE(slider_.value(), 3);
    QTest::mouseMove(&slider_, at(0.4));
    QCOMPARE(slider_.value(), 2);
    QTest::mouseMove(&slider_, at(0.8));
    QCOMPARE(slider_.value(), 4);
    QTest::mouseRelease(&slider_, Qt::LeftButton, {}, at(0.8));
    QTest::mouseMove(&slider_, at(0.2));
    QCOMPARE(slider_.value(), 4);
  }

  void aPressOnTheHandleMovesNothing() {
    slider_.setValue(2);
    QTest::mouseClick(&slider_, Qt::LeftButton, {}, at(0.4));
    QCOMPARE(slider_.value(), 2);
  }

  void itsKeysMoveItBeforeTheyAreShortcutsOfTheWindow() {
    slider_.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&slider_));
    slider_.setFocus();
    const QShortcut shortcut(QKeySequence(Qt::Key_Right), &slider_);
    QSignalSpy taken(&shortcut, &QShortcut::activated);
    QTest::keyClick(&slider_, Qt::Key_Right);
    QCOMPARE(slider_.value(), 1);
    QTest::keyClick(&slider_, Qt::Key_End);
    QCOMPARE(slider_.value(), 5);
    QCOMPARE(taken.size(), 0);
  }

  void aPageIsATenthOfTheRange() {
    QTest::keyClick(&slider_, Qt::Key_PageUp);
    QCOMPARE(slider_.value(), 1);
    slider_.setRange(0, 1000);
    QTest::keyClick(&slider_, Qt::Key_PageUp);
    QCOMPARE(slider_.value(), 101);
  }
};

LOCKSTEP_TEST(TstSlider)
#include "tst_slider.moc"
