#include <QElapsedTimer>
#include <QTest>
#include <memory>

#include "tests/support/test_main.h"
#include "widgets/draw_queue.h"

using lockstep::widgets::DrawQueue;

namespace {

/// Keeps the thread busy.
void spend(int milliseconds) {
  QElapsedTimer clock;
  clock.start();
  while (clock.elapsed() < milliseconds) {
  }
}

}  // namespace

class TstDrawQueue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void manyRequestsAreOneDrawing() {
    DrawQueue queue;
    int count = 0;
    for (int i = 0; i < 10; ++i) queue.request(this, [&] { ++count; });
    QVERIFY(queue.isWaiting(this));
    QCOMPARE(count, 0);
    QTRY_COMPARE(count, 1);
    QVERIFY(!queue.isWaiting(this));
    QObject other;
    bool isNextFrame = false;
    queue.request(&other, [&] { isNextFrame = true; });
    QTRY_VERIFY(isNextFrame);
    QCOMPARE(count, 1);
  }

  void aRequestWhileDrawingIsOfTheNextFrame() {
    DrawQueue queue;
    int count = 0;
    std::function<void()> draw = [&] {
      if (++count < 3) queue.request(this, draw);
    };
    queue.request(this, draw);
    QTRY_COMPARE(count, 3);
  }

  /// Slow ones do not keep other events waiting until all are drawn.
  void otherEventsComeInBetween() {
    DrawQueue queue;
    std::vector<std::unique_ptr<QObject>> owners;
    QStringList order;
    for (int i = 0; i < 6; ++i) {
      owners.push_back(std::make_unique<QObject>());
      queue.request(owners.back().get(), [&order, i] {
        if (i == 0) QTimer::singleShot(0, [&order] { order.append(QStringLiteral("event")); });
        spend(8);
        order.append(QString::number(i));
      });
    }
    QTRY_COMPARE(order.size(), 7);
    QVERIFY2(order.indexOf(QStringLiteral("event")) < 6, qPrintable(order.join(u' ')));
    order.removeOne(QStringLiteral("event"));
    QCOMPARE(order.join(u' '), QStringLiteral("0 1 2 3 4 5"));
  }

  void whatIsGoneIsNotDrawn() {
    DrawQueue queue;
    auto gone = std::make_unique<QObject>();
    bool isDrawn = false, isNextDrawn = false;
    queue.request(gone.get(), [&] { isDrawn = true; });
    queue.request(this, [&] { isNextDrawn = true; });
    gone.reset();
    QTRY_VERIFY(isNextDrawn);
    QVERIFY(!isDrawn);
  }
};

LOCKSTEP_TEST(TstDrawQueue)
#include "tst_draw_queue.moc"
