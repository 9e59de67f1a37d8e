#include <png.h>

#include <QBuffer>
#include <QTest>
#include <cmath>

#include "engine/base/counter_hash.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/png_shrinking.h"

using namespace lockstep;

namespace {

struct PngKind {
  int colourType = PNG_COLOR_TYPE_RGB, bits = 8;
  bool isInterlaced = false;
};

void append(png_structp png, png_bytep bytes, png_size_t count) {
  static_cast<QByteArray*>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char*>(bytes), static_cast<qsizetype>(count));
}

/// Of these rows, as libpng has them.
QByteArray pngOf(QSize size, const PngKind& kind, std::vector<QByteArray>& rows) {
  QByteArray bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &bytes, append, nullptr);
  png_set_compression_level(png, 1);
  png_set_IHDR(png, info, static_cast<png_uint_32>(size.width()),
               static_cast<png_uint_32>(size.height()), kind.bits, kind.colourType,
               kind.isInterlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
  std::vector<png_color> palette(256);
  for (int i = 0; i < 256; ++i)
    palette[std::size_t(i)] = {png_byte(i), png_byte(255 - i), png_byte(i * 7)};
  if (kind.colourType == PNG_COLOR_TYPE_PALETTE)
    png_set_PLTE(png, info, palette.data(), 1 << kind.bits);
  png_write_info(png, info);
  for (int pass = png_set_interlace_handling(png); pass > 0; --pass)
    for (QByteArray& row : rows) png_write_row(png, reinterpret_cast<png_bytep>(row.data()));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

std::vector<QByteArray> noiseRows(int rowBytes, int height) {
  std::vector<QByteArray> rows;
  for (int y = 0; y < height; ++y) {
    QByteArray row(rowBytes, '\0');
    for (int x = 0; x < rowBytes; ++x)
      row[x] = char(256 * base::counterUniform({std::uint64_t(x), std::uint64_t(y)}));
    rows.push_back(row);
  }
  return rows;
}

std::array<int, 4> channelsOf(QRgb pixel) {
  return {qRed(pixel), qGreen(pixel), qBlue(pixel), qAlpha(pixel)};
}

}  // namespace

class TstPngShrinking : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aPixelIsTheMeanOfThoseItStandsFor_data() {
    QTest::addColumn<int>("colourType");
    QTest::addColumn<int>("bits");
    QTest::addColumn<int>("bytesOfAPixel");
    QTest::newRow("grey") << PNG_COLOR_TYPE_GRAY << 8 << 1;
    QTest::newRow("grey of 16 bits") << PNG_COLOR_TYPE_GRAY << 16 << 2;
    QTest::newRow("colours") << PNG_COLOR_TYPE_RGB << 8 << 3;
    QTest::newRow("colours of 16 bits") << PNG_COLOR_TYPE_RGB << 16 << 6;
    QTest::newRow("a palette") << PNG_COLOR_TYPE_PALETTE << 8 << 1;
    QTest::newRow("black and white") << PNG_COLOR_TYPE_GRAY << 1 << 1;
  }
  void aPixelIsTheMeanOfThoseItStandsFor() {
    QFETCH(int, colourType);
    QFETCH(int, bits);
    QFETCH(int, bytesOfAPixel);
    const QSize size(61, 47);
    std::vector<QByteArray> rows = noiseRows(61 * bytesOfAPixel, 47);
    const QByteArray bytes = pngOf(size, {colourType, bits, false}, rows);
    const QImage whole = QImage::fromData(bytes).convertToFormat(QImage::Format_RGB32);
    QCOMPARE(whole.size(), size);
    for (const int shrink : {2, 4}) {
      QString error;
      const QImage small = widgets::decodePngSmaller(bytes, shrink, error);
      QVERIFY2(!small.isNull(), qPrintable(error));
      QCOMPARE(small.size(), QSize(61 / shrink, 47 / shrink));
      QVERIFY(!small.hasAlphaChannel());
      int wrong = 0;
      for (int y = 0; y < small.height(); ++y)
        for (int x = 0; x < small.width(); ++x)
          for (std::size_t c = 0; c < 3; ++c) {
            double mean = 0;
            for (int i = 0; i < shrink * shrink; ++i)
              mean += channelsOf(whole.pixel(x * shrink + i % shrink, y * shrink + i / shrink))[c];
            mean /= shrink * shrink;
            wrong += std::abs(channelsOf(small.pixel(x, y))[c] - mean) > 1.01;
          }
      QCOMPARE(wrong, 0);
    }
  }

  void transparencyIsKept() {
    std::vector<QByteArray> rows(6, QByteArray(6 * 4, char(200)));
    for (int x = 0; x < 6; ++x) rows[0][4 * x + 3] = rows[1][4 * x + 3] = 0;
    QString error;
    const QImage small =
        widgets::decodePngSmaller(pngOf({6, 6}, {PNG_COLOR_TYPE_RGBA, 8, false}, rows), 2, error);
    QVERIFY(small.hasAlphaChannel());
    QCOMPARE(qAlpha(small.pixel(1, 0)), 0);
    QCOMPARE(qAlpha(small.pixel(1, 1)), 200);
  }

  void ofAnInterlacedFileAPixelIsOneOfThoseItStandsFor() {
    const QSize size(75, 53);
    for (const auto& [type, bytesOfAPixel] :
         {std::pair(PNG_COLOR_TYPE_GRAY, 1), std::pair(PNG_COLOR_TYPE_RGB, 3)}) {
      std::vector<QByteArray> rows = noiseRows(75 * bytesOfAPixel, 53);
      const QByteArray bytes = pngOf(size, {type, 8, true}, rows);
      const QImage whole = QImage::fromData(bytes).convertToFormat(QImage::Format_RGB32);
      for (const int shrink : {2, 4, 8, 16}) {
        QString error;
        const QImage small = widgets::decodePngSmaller(bytes, shrink, error);
        QVERIFY2(!small.isNull(), qPrintable(error));
        for (int y = 0; y < small.height(); ++y)
          for (int x = 0; x < small.width(); ++x)
            QCOMPARE(small.pixel(x, y), whole.pixel(x * shrink, y * shrink));
      }
    }
  }

  void whatIsWrongIsSaid() {
    std::vector<QByteArray> rows = noiseRows(40, 40);
    const QByteArray bytes = pngOf({40, 40}, {PNG_COLOR_TYPE_GRAY, 8, false}, rows);
    for (const QByteArray& broken : {bytes.left(bytes.size() / 2), QByteArray("no PNG at all"),
                                     bytes.left(20), QByteArray()}) {
      QString error;
      QVERIFY(widgets::decodePngSmaller(broken, 2, error).isNull());
      QVERIFY(!error.isEmpty());
    }
  }

  /// 100 megapixels of grey, which take 100 MB whole and 400 MB as QImageReader scales them.
  void memoryIsThatOfTheSmallerPicture() {
    constexpr int kSide = 10'000;
    QByteArray bytes;
    {
      std::vector<QByteArray> rows(kSide, QByteArray(kSide, char(90)));
      bytes = pngOf({kSide, kSide}, {PNG_COLOR_TYPE_GRAY, 8, false}, rows);
    }
    QString error;
    QImage small;
    {
      const tests::LittleMemory limit(std::size_t{60} << 20);
      small = widgets::decodePngSmaller(bytes, 4, error);
    }
    QVERIFY2(!small.isNull(), qPrintable(error));
    QCOMPARE(small.size(), QSize(2500, 2500));
    QCOMPARE(small.pixel(1234, 2499), qRgb(90, 90, 90));
  }
};

LOCKSTEP_TEST(TstPngShrinking)
#include "tst_png_shrinking.moc"
