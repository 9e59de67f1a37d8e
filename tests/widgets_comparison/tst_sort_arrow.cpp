#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QStyleOptionHeader>
#include <QTest>
#include <cmath>

#include "tests/support/test_main.h"
#include "widgets/theme.h"

using namespace lockstep::widgets;

namespace {

constexpr int kSidePx = 32;

/// How far the painted pixels of the upper or lower half are from the middle, on average.
double spreadOf(const QImage& image, int from, int to) {
  double sum = 0;
  int count = 0;
  for (int y = from; y < to; ++y)
    for (int x = 0; x < image.width(); ++x) {
      if (image.pixelColor(x, y) == QColor(Qt::white)) continue;
      sum += std::abs(x + 0.5 - image.width() / 2.0);
      ++count;
    }
  return count == 0 ? -1 : sum / count;
}

}  // namespace

class TstSortArrow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// As in a browser: upwards where the figures rise from row to row, in every table.
  void itPointsUpwardsWhereFiguresRise_data() {
    QTest::addColumn<QStyleOptionHeader::SortIndicator>("indicator");
    QTest::addColumn<bool>("isUp");
    QTest::newRow("rising") << QStyleOptionHeader::SortDown << true;  // as QHeaderView says it
    QTest::newRow("falling") << QStyleOptionHeader::SortUp << false;
  }
  void itPointsUpwardsWhereFiguresRise() {
    QFETCH(QStyleOptionHeader::SortIndicator, indicator);
    QFETCH(bool, isUp);
    const ThemeSwitch theme;
    QImage image(kSidePx, kSidePx, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    QStyleOptionHeader option;
    option.rect = image.rect();
    option.sortIndicator = indicator;
    QApplication::style()->drawPrimitive(QStyle::PE_IndicatorHeaderArrow, &option, &painter);
    painter.end();
    int first = 0, last = kSidePx - 1;
    while (first < last && spreadOf(image, first, first + 1) < 0) ++first;
    while (last > first && spreadOf(image, last, last + 1) < 0) --last;
    QVERIFY(last > first);
    const int middle = (first + last + 1) / 2;
    QCOMPARE(spreadOf(image, first, middle) < spreadOf(image, middle, last + 1), isUp);
  }
};

LOCKSTEP_TEST(TstSortArrow)
#include "tst_sort_arrow.moc"
