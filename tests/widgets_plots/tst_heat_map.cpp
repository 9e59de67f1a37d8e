// The heat map's image beside a plain one, and reading and choosing in it with mouse and keys.
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/test_main.h"
#include "widgets/plots/heat_map.h"
#include "widgets/theme.h"

using namespace lockstep::widgets;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
const QColor kInvalid(Qt::red);

HeatRow row(const char* name, std::vector<std::int64_t> steps, std::vector<float> values) {
  return {QString::fromLatin1(name), std::move(steps), std::move(values)};
}

/// What a pixel shows, from all values: the slow way.
QColor plainPixel(const HeatRow& row, double begin, double end, const HeatScale& scale) {
  std::vector<float> shown;
  std::optional<float> held;
  for (std::size_t i = 0; i < row.steps.size(); ++i) {
    const auto step = static_cast<double>(row.steps[i]);
    if (step >= begin && step < end) shown.push_back(row.values[i]);
    if (step < end) held = row.values[i];
  }
  if (!held) return QColor(0, 0, 0, 0);
  if (shown.empty()) shown.push_back(*held);
  float greatest = shown.front();
  for (const float value : shown) {
    if (!std::isfinite(value)) return kInvalid;
    greatest = std::max(greatest, value);
  }
  if (greatest <= 0) return heatColor(0);
  const double share = (std::log10(greatest) - std::log10(scale.low)) /
                       (std::log10(scale.high) - std::log10(scale.low));
  return heatColor(share);
}

/// The same but for a step of the 256 colours.
bool isNear(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) <= 3 && std::abs(a.green() - b.green()) <= 3 &&
         std::abs(a.blue() - b.blue()) <= 3 && a.alpha() == b.alpha();
}

}  // namespace

class TstHeatMap : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyPixelIsTheGreatestOfItsValues_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("several values a pixel") << 37;
    QTest::newRow("several pixels a value") << 900;
  }
  void everyPixelIsTheGreatestOfItsValues() {
    QFETCH(int, width);
    std::mt19937 random(3);
    std::vector<HeatRow> rows(12);
    for (HeatRow& row : rows) {
      for (std::int64_t step = 1 + random() % 30; step <= 400; step += 1 + random() % 7) {
        row.steps.push_back(step);
        const auto draw = random() % 40;
        row.values.push_back(draw == 0 ? kNaN
                             : draw == 1
                                 ? 0
                                 : std::exp2f(static_cast<float>(random() % 2000) / 100 - 15));
      }
    }
    const HeatScale scale{1e-4, 10};
    const QImage image = heatImage(rows, {1, 400}, width, scale, kInvalid);
    QCOMPARE(image.size(), QSize(width, 12));
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < width; ++x) {
        const QColor expected = plainPixel(rows[static_cast<std::size_t>(y)], 1 + 400.0 * x / width,
                                           1 + 400.0 * (x + 1) / width, scale);
        const QColor found = image.pixelColor(x, y);
        QVERIFY2(isNear(found, expected), qPrintable(QStringLiteral("%1, %2: %3 is %4")
                                                         .arg(x)
                                                         .arg(y)
                                                         .arg(found.name(), expected.name())));
      }
    }
  }

  void theScaleIsThatOfMostPositiveValues() {
    std::vector<float> values{0, -1, kNaN, 1e30F, 1e-30F};
    std::vector<std::int64_t> steps{1, 2, 3, 4, 5};
    for (int i = 0; i < 1000; ++i) {
      values.push_back(0.001F * static_cast<float>(i % 100 + 1));
      steps.push_back(6 + i);
    }
    const HeatScale scale = heatScaleOf({row("a", steps, values)});
    QVERIFY2(scale.low >= 0.0009 && scale.low < 0.003, qPrintable(QString::number(scale.low)));
    QVERIFY2(scale.high > 0.09 && scale.high <= 0.11, qPrintable(QString::number(scale.high)));
    const HeatScale flat = heatScaleOf({row("a", {1, 2}, {0.5F, 0.5F})});
    QVERIFY(flat.low < 0.5 && flat.high > 0.5);
    QCOMPARE(std::round(flat.high / flat.low), 10.0);
    QCOMPARE(heatScaleOf({}), HeatScale());
  }

  void coloursRiseInBrightness() {
    double before = -1;
    for (int i = 0; i <= 20; ++i) {
      const double grey = qGray(heatColor(i / 20.0).rgb());
      QVERIFY(grey > before);
      before = grey;
    }
  }

  void thePointerReadsAndAClickChooses() {
    HeatMap map;
    fill(map);
    const QRect place = map.mapRect();
    const QPoint second(place.left() + place.width() * 3 / 4, place.top() + place.height() / 2);
    QTest::mouseMove(&map, second);
    QVERIFY(map.cell());
    QCOMPARE(map.readingOf(*map.cell()), QStringLiteral("conv2, step 70: 0.020"));
    QCOMPARE(map.accessibleDescription(), map.readingOf(*map.cell()));
    QSignalSpy chosen(&map, &HeatMap::rowChosen);
    QTest::mouseClick(&map, Qt::LeftButton, Qt::ControlModifier, second);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toString(), QStringLiteral("conv2"));
    QVERIFY(chosen[0][2].toBool());
    QTest::mouseMove(&map, {2, 2});  // over a name
    QVERIFY(!map.cell());
  }

  void keysMoveAndChoose() {
    HeatMap map;
    fill(map);
    QTest::keyClick(&map, Qt::Key_Down);  // the first press shows where it is
    QCOMPARE(map.cell()->row, std::size_t{0});
    QTest::keyClick(&map, Qt::Key_Down);
    QTest::keyClick(&map, Qt::Key_Down);
    QTest::keyClick(&map, Qt::Key_Down);
    QCOMPARE(map.cell()->row, std::size_t{2});
    for (int i = 0; i < 200; ++i) QTest::keyClick(&map, Qt::Key_Left);
    QCOMPARE(map.readingOf(*map.cell()), QStringLiteral("fc: no value at step 1"));
    QSignalSpy chosen(&map, &HeatMap::rowChosen);
    QTest::keyClick(&map, Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toString(), QStringLiteral("fc"));
  }

  void thePictureShowsValuesThatAreNotFinite() {
    ThemeSwitch theme;
    theme.setMode(ThemeSwitch::Mode::Dark);
    HeatMap map;
    fill(map);
    const QImage image = map.grab().toImage();
    const QRect place = map.mapRect();
    QCOMPARE(image.pixelColor(place.right() - 2, place.bottom() - 2), darkTheme().error);
    QCOMPARE(image.pixelColor(place.left() + 2, place.bottom() - 2), darkTheme().field);
  }

 private:
  static void fill(HeatMap& map) {
    map.setRows({row("conv1", {1, 40, 70}, {0.1F, 0.2F, 0.3F}),
                 row("conv2", {1, 40, 70}, {0.01F, 0.015F, 0.02F}), row("fc", {40, 70}, {3, kNaN})},
                {1, 100});
    map.resize(700, map.sizeHint().height());
    map.show();
  }
};

LOCKSTEP_TEST(TstHeatMap)
#include "tst_heat_map.moc"
