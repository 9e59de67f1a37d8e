#include <QTest>

#include "engine/base/pixel_limit.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

constexpr const char* kVariable = "OPENCV_IO_MAX_IMAGE_PIXELS";

}  // namespace

class TstPixelLimit : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { qunsetenv(kVariable); }
  void cleanupTestCase() { qunsetenv(kVariable); }

  void theUsualLimitIsSetWhereThereIsNone() {
    QCOMPARE(base::pixelLimit(), std::int64_t{100'000'000});
    base::limitPixels();
    QCOMPARE(qgetenv(kVariable), QByteArray("100000000"));
    QCOMPARE(base::pixelLimit(), std::int64_t{100'000'000});
  }

  void whatAPersonSetsIsKept() {
    qputenv(kVariable, "5000");
    base::limitPixels();
    QCOMPARE(qgetenv(kVariable), QByteArray("5000"));
    QCOMPARE(base::pixelLimit(), std::int64_t{5000});
  }

  void unitsAreThoseOfOpenCv_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("pixels");
    const auto row = [](const char* text, qint64 pixels) {
      QTest::newRow(text) << QByteArray(text) << pixels;
    };
    row("3kb", 3 << 10);
    row("400MB", qint64{400} << 20);
    row("6000000000", 6'000'000'000);
    row("0", 100'000'000);
    row("-1", 100'000'000);
    row("many", 100'000'000);
    row("5 apples", 100'000'000);
  }
  void unitsAreThoseOfOpenCv() {
    QFETCH(QByteArray, text);
    QFETCH(qint64, pixels);
    qputenv(kVariable, text);
    QCOMPARE(qint64{base::pixelLimit()}, pixels);
  }
};

LOCKSTEP_TEST(TstPixelLimit)
#include "tst_pixel_limit.moc"
