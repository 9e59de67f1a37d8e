#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/plots/readings_tip.h"

using namespace lockstep::widgets;

namespace {

Readings readingsOf(const QString& run, int styleIndex) {
  Readings::Row row;
  row.curve.kind = Curve::Kind::Evaluation;
  row.curve.styleIndex = styleIndex;
  row.run = run;
  row.name = QStringLiteral("validation");
  row.value = QStringLiteral("1.234");
  return {QStringLiteral("step 10"), {row}, {}};
}

}  // namespace

class TstReadingsTip : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLongRunNameIsElided() {
    QWidget window;
    window.resize(1400, 600);
    ReadingsTip tip(&window);
    tip.setReadings(readingsOf(QString(200, QLatin1Char('w')), 0));
    tip.showBeside(QPoint(100, 100), window.rect());
    const int longest = tip.width();
    QVERIFY2(longest < 480, qPrintable(QString::number(longest)));
    tip.setReadings(readingsOf(QStringLiteral("short"), 0));
    tip.showBeside(QPoint(100, 100), window.rect());
    QVERIFY(tip.width() < longest);
  }

  void theTipIsOpaque() {
    QWidget window;
    window.resize(400, 200);
    QPalette red;
    red.setColor(QPalette::Window, Qt::red);
    window.setPalette(red);
    ReadingsTip tip(&window);
    tip.setReadings(readingsOf(QStringLiteral("run"), 0));
    tip.showBeside(QPoint(10, 10), window.rect());
    const QImage over = window.grab().toImage();
    window.setPalette(QPalette(Qt::blue));
    const QImage beyond = window.grab().toImage();
    const QRect inner = tip.geometry().adjusted(8, 8, -8, -8);
    QCOMPARE(over.copy(inner), beyond.copy(inner));
  }

  void aNameWithRoomIsNotElided() {
    QWidget window;
    window.resize(600, 200);
    ReadingsTip tip(&window);
    for (const char* name :
         {"validation", "train", "mask", "box", "GPU 3", "host", "step", "rank"}) {
      Readings readings = readingsOf({}, 0);
      readings.rows.front().name = QString::fromLatin1(name);
      tip.setReadings(readings);
      tip.showBeside({10, 10}, window.rect());
      const QRect left(0, 26, tip.width() - 80, 18);  // without the value, which is at the edge
      const QImage asWide = tip.grab(left).toImage();
      tip.resize(tip.width() + 40, tip.height());
      QCOMPARE(tip.grab(left).toImage(), asWide);
    }
  }

  void valuesOfDifferentRowsAreAligned() {
    QWidget window;
    window.resize(600, 200);
    ReadingsTip tip(&window);
    const auto widthWith = [&](const QString& raw, const QString& step) {
      Readings readings = readingsOf({}, 0);
      readings.rows.push_back(readings.rows.front());
      readings.rows[0].raw = raw;
      readings.rows[1].step = step;
      tip.setReadings(readings);
      tip.showBeside({10, 10}, window.rect());
      return tip.width();
    };
    const QString raw = QStringLiteral("4.974");
    QCOMPARE(widthWith(raw, QStringLiteral("at 10")), widthWith(raw, {}));
    QVERIFY(widthWith(raw, {}) > widthWith({}, raw));  // "raw" is before the value
  }

  void notesHaveLinesOfTheirOwn() {
    QWidget window;
    window.resize(600, 200);
    ReadingsTip tip(&window);
    Readings readings = readingsOf(QStringLiteral("run"), 0);
    tip.setReadings(readings);
    tip.showBeside({10, 10}, window.rect());
    const QSize without = tip.size();
    readings.notes = {QString(60, QLatin1Char('n')), QStringLiteral("second")};
    tip.setReadings(readings);
    tip.showBeside({10, 10}, window.rect());
    QCOMPARE(tip.height(), without.height() + 2 * 18);
    QVERIFY(tip.width() > without.width());
    QCOMPARE(tip.shownRows(), 1);
  }

  /// The nearest are first; the others are counted, and scrolled to.
  void ofManyRunsAFewAreShownWithinTheCard() {
    QWidget window;
    window.resize(1400, 900);
    ReadingsTip tip(&window);
    Readings readings = readingsOf(QStringLiteral("run 0"), 0);
    for (int run = 1; run < 80; ++run)
      readings.rows.push_back(readingsOf(QStringLiteral("run %1").arg(run), run).rows.front());
    tip.setReadings(readings);
    const QRect large(100, 100, 1000, 600), small(100, 100, 1000, 180);
    for (const QRect& card : {large, small}) {
      for (const int x : {card.left() + 60, card.center().x(), card.right() - 20}) {
        tip.showBeside({x, card.top() + 8}, card);
        QVERIFY2(card.contains(tip.geometry()), qPrintable(QString::number(x)));
        QVERIFY(tip.geometry().left() > x || tip.geometry().right() < x);
        QVERIFY(tip.shownRows() >= 4 && tip.shownRows() <= 12);
      }
    }
    const QImage first = tip.grab().toImage();
    QVERIFY(tip.scrollBy(100));
    QCOMPARE(tip.firstRow(), 80 - tip.shownRows());
    QVERIFY(tip.grab().toImage() != first);
    // Too small for a few rows: they are more important than its edge.
    tip.showBeside({300, 300}, QRect(280, 280, 300, 40));
    QCOMPARE(tip.shownRows(), 4);
  }

  void everyRunHasItsOwnMarker() {
    QWidget window;
    window.resize(400, 200);
    ReadingsTip tip(&window);
    QList<QImage> seen;
    for (int style = 0; style < 4; ++style) {
      tip.setReadings(readingsOf(QStringLiteral("run"), style));
      tip.showBeside(QPoint(10, 10), window.rect());
      const QImage shape = markerOf(tip);
      QVERIFY2(!seen.contains(shape), qPrintable(QString::number(style)));
      seen.append(shape);
    }
  }

 private:
  /// The marker's pixels, whatever the colours are.
  static QImage markerOf(ReadingsTip& tip) {
    const QImage picture = tip.grab().toImage().copy(QRect(10, 26, 22, 18));
    QImage shape(picture.size(), QImage::Format_Grayscale8);
    const QRgb ground = picture.pixel(0, 0);
    for (int y = 0; y < shape.height(); ++y)
      for (int x = 0; x < shape.width(); ++x)
        shape.setPixelColor(x, y, picture.pixel(x, y) == ground ? Qt::white : Qt::black);
    return shape;
  }
};

LOCKSTEP_TEST(TstReadingsTip)
#include "tst_readings_tip.moc"
