#include <QPainter>
#include <QPainterPath>
#include <QTest>
#include <cmath>

#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"
#include "widgets/curves/line_raster.h"

using namespace lockstep;
using widgets::LineRaster;
using widgets::RasterPen;
using Line = std::vector<QPointF>;

namespace {

constexpr int kWidth = 200, kHeight = 100;

QImage blank() {
  QImage image(kWidth, kHeight, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  return image;
}

QImage drawn(const Line& line, const RasterPen& pen) {
  QImage image = blank();
  LineRaster(&image).draw(line, pen);
  return image;
}

QImage drawnThin(const Line& line) {
  QImage image = blank();
  LineRaster(&image).drawThin(line, Qt::black);
  return image;
}

/// What QPainter makes of it, at four times the size.
QImage painted(const Line& line, const RasterPen& pen) {
  constexpr int kScale = 4;
  QImage large(kScale * kWidth, kScale * kHeight, QImage::Format_ARGB32_Premultiplied);
  large.fill(Qt::transparent);
  QPainter painter(&large);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(kScale, kScale);
  QPen qtPen(pen.color, pen.widthPx, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
  if (!pen.dashesPx.empty()) {
    QList<qreal> dashes;
    for (const double dash : pen.dashesPx) dashes.append(dash / pen.widthPx);
    qtPen.setDashPattern(dashes);
    qtPen.setCapStyle(Qt::FlatCap);
  }
  painter.setPen(qtPen);
  painter.drawPolyline(QPolygonF(QList<QPointF>(line.begin(), line.end())));
  painter.end();
  return large.scaled(kWidth, kHeight, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
}

double inkOf(const QImage& image) {
  double ink = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) ink += qAlpha(image.pixel(x, y)) / 255.0;
  return ink;
}

/// Mean difference of the coverage over the pixels that either covers.
double differenceOf(const QImage& a, const QImage& b) {
  double difference = 0, covered = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const int one = qAlpha(a.pixel(x, y)), other = qAlpha(b.pixel(x, y));
      difference += std::abs(one - other) / 255.0;
      covered += one > 0 || other > 0;
    }
  return difference / std::max(1.0, covered);
}

double uniform(std::uint64_t seed, std::uint64_t key) { return base::counterUniform({seed, key}); }

Line randomLine(std::uint64_t seed, double stepPx) {
  Line line;
  for (double x = 5; x < kWidth - 5; x += stepPx * (0.2 + uniform(seed, line.size())))
    line.push_back({x, kHeight * (0.1 + 0.8 * uniform(seed, 1000 + line.size()))});
  return line;
}

}  // namespace

class TstLineRaster : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linesLookAsQtDrawsThem_data() {
    QTest::addColumn<double>("step");
    QTest::addColumn<double>("width");
    QTest::addColumn<bool>("isDashed");
    for (const double step : {3.0, 12.0, 60.0})
      for (const double width : {1.0, 2.0, 3.5})
        for (const bool isDashed : {false, true})
          QTest::addRow("every %g px, %g wide%s", step, width, isDashed ? ", dashed" : "")
              << step << width << isDashed;
  }
  void linesLookAsQtDrawsThem() {
    QFETCH(double, step);
    QFETCH(double, width);
    QFETCH(bool, isDashed);
    RasterPen pen{Qt::black, width};
    if (isDashed) pen.dashesPx = {4 * width, 3 * width};
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Line line = randomLine(seed, step);
      const QImage own = drawn(line, pen), qt = painted(line, pen);
      const double difference = differenceOf(own, qt), share = inkOf(own) / inkOf(qt);
      QVERIFY2(difference < (isDashed ? 0.14 : 0.09), qPrintable(QString::number(difference)));
      QVERIFY2(std::abs(share - 1) < (isDashed ? 0.1 : 0.05), qPrintable(QString::number(share)));
    }
  }

  void aTransparentColourIsNotDarkerWhereALineCrossesItself() {
    RasterPen pen{QColor(0, 0, 0, 100), 4};
    const QImage image = drawn({{10, 10}, {100, 90}, {101, 10}, {190, 90}}, pen);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) QVERIFY(qAlpha(image.pixel(x, y)) <= 100);
  }

  void linesAreBlendedOverWhatIsThere() {
    QImage image = blank();
    image.fill(Qt::white);
    LineRaster(&image).draw({{0, 50.5}, {200, 50.5}}, {QColor(0, 0, 255, 128), 3});
    QVERIFY(std::abs(qRed(image.pixel(100, 50)) - 127) <= 1);
    QCOMPARE(qBlue(image.pixel(100, 50)), 255);
    QCOMPARE(image.pixelColor(100, 40), QColor(Qt::white));
  }

  void aNanIsAGap() {
    const double nan = std::nan("");
    const QImage image =
        drawn({{10, 50}, {60, 50}, {80, nan}, {100, 50}, {150, 50}}, {Qt::black, 2});
    QVERIFY(qAlpha(image.pixel(40, 50)) > 0);
    QVERIFY(qAlpha(image.pixel(120, 50)) > 0);
    for (int y = 0; y < kHeight; ++y) QCOMPARE(qAlpha(image.pixel(80, y)), 0);
  }

  /// As a zoom makes them: the neighbours of what is in view may be anywhere.
  void pointsFarOutsideDoNotMoveTheLine_data() {
    QTest::addColumn<bool>("isDashed");
    QTest::newRow("solid") << false;
    QTest::newRow("dashed") << true;
  }
  void pointsFarOutsideDoNotMoveTheLine() {
    QFETCH(bool, isDashed);
    RasterPen pen{Qt::black, 2};
    if (isDashed) pen.dashesPx = {8, 6};
    // y = 20 + x / 10
    const QImage near = drawn({{-140, 6}, {340, 54}}, pen);
    const QImage far = drawn({{-1.4e8, 20 - 1.4e7}, {-140, 6}, {340, 54}, {3e8, 20 + 3e7}}, pen);
    QVERIFY(inkOf(near) > 100);
    if (isDashed) {
      QVERIFY(std::abs(inkOf(far) / inkOf(near) - 1) < 0.1);  // another dash may be at the border
    } else {
      QVERIFY2(differenceOf(near, far) < 0.01,
               qPrintable(QString::number(differenceOf(near, far))));
    }
    QCOMPARE(inkOf(drawn({{-1e9, 1e9}, {1e9, 1e9}}, pen)), 0.0);
    QVERIFY(inkOf(drawn({{50, -1e300}, {50, 1e300}}, pen)) > 90);
  }

  void theFirstAndTheLastPixelAreDrawn() {
    const QImage image = drawn({{0, 0.5}, {200, 0.5}}, {Qt::black, 1});
    QCOMPARE(qAlpha(image.pixel(0, 0)), 255);
    QCOMPARE(qAlpha(image.pixel(kWidth - 1, 0)), 255);
  }

  void aThinLineCoversWhatIsBetweenItsPoints() {
    // Three points in column 20, one in 21.
    const QImage image = drawnThin({{20.1, 30}, {20.5, 70}, {20.9, 40}, {21.4, 40}});
    QCOMPARE(qAlpha(image.pixel(20, 29)), 128);  // from 29.5
    QCOMPARE(qAlpha(image.pixel(20, 50)), 255);
    QCOMPARE(qAlpha(image.pixel(20, 70)), 128);  // to 70.5
    QCOMPARE(qAlpha(image.pixel(20, 71)), 0);
    QCOMPARE(qAlpha(image.pixel(21, 40)), 128);
    QCOMPARE(qAlpha(image.pixel(22, 40)), 0);
    QVERIFY(std::abs(inkOf(drawnThin({{0, 50}, {200, 50}})) - 200) < 1);
    QCOMPARE(inkOf(drawnThin({{-1e9, -1e9}, {-1e8, 1e9}, {1e9, 1e9}})), 0.0);
  }

  void theAreaBetweenTwoLinesIsFilled() {
    QImage image = blank();
    // A triangle of 100 x 40 px, and beyond 150 one of the lines alone.
    LineRaster(&image).fillBetween({{50, 20}, {150, 60}, {190, 60}}, {{50, 20}, {150, 20}},
                                   Qt::black);
    QVERIFY2(std::abs(inkOf(image) - 2000) < 10, qPrintable(QString::number(inkOf(image))));
    QCOMPARE(qAlpha(image.pixel(140, 40)), 255);
    QCOMPARE(qAlpha(image.pixel(60, 40)), 0);
    QCOMPARE(qAlpha(image.pixel(160, 40)), 0);
    QImage gap = blank();
    LineRaster(&gap).fillBetween({{0, 20}, {100, std::nan("")}, {200, 20}}, {{0, 60}, {200, 60}},
                                 Qt::black);
    QCOMPARE(inkOf(gap), 0.0);
  }

  void noPictureIsTooSmall() {
    QImage image(1, 1, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    LineRaster raster(&image);
    raster.draw({{-5, 0.5}, {5, 0.5}}, {Qt::black, 1, {2, 2}});
    raster.drawThin({{-5, 0.5}, {5, 0.5}}, Qt::black);
    raster.draw({{0.5, 0.5}}, {Qt::black, 1});
    raster.draw({}, {Qt::black, 1});
    QCOMPARE(qAlpha(image.pixel(0, 0)), 255);
  }
};

LOCKSTEP_TEST(TstLineRaster)
#include "tst_line_raster.moc"
