#include <QTest>

#include "engine/base/image_header.h"
#include "tests/support/made_jpeg.h"
#include "tests/support/test_main.h"

using lockstep::base::readImageHeader;

class TstImageHeader : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void headersGiveFormatSizeAndOrientation() {
    using namespace std::string_literals;
    const auto png = readImageHeader("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\0\x10"s);
    QCOMPARE(png->mime, "image/png");
    QCOMPARE(png->width, 256);
    QCOMPARE(png->height, 16);
    for (const bool isLittle : {true, false}) {
      for (char orientation = 0; orientation <= 8; ++orientation) {
        const auto header = readImageHeader(lockstep::tests::madeJpeg(orientation, isLittle));
        QCOMPARE(header->mime, "image/jpeg");
        QCOMPARE(header->width, 640);
        QCOMPARE(header->height, 480);
        QCOMPARE(header->exifSwapsSides, orientation >= 5);
      }
    }
    QCOMPARE(readImageHeader("RIFF1234WEBPVP8 ")->mime, "image/webp");
    QCOMPARE(readImageHeader("GIF89a")->mime, "image/gif");
    QCOMPARE(readImageHeader("BM")->mime, "image/bmp");
    QCOMPARE(readImageHeader("1234ftypavif")->mime, "image/avif");
    QVERIFY(!readImageHeader("RIFF1234WAVE"));
    QVERIFY(!readImageHeader("<svg onload='x'/>"));
  }

  void corruptHeadersAreHandled() {
    const std::string whole = lockstep::tests::madeJpeg(6, true);
    for (std::size_t length = 3; length < whole.size(); ++length) {
      for (int byte = 0; byte < 256; byte += 15) {
        std::string broken = whole.substr(0, length);
        broken.back() = static_cast<char>(byte);
        if (const auto header = readImageHeader(broken)) QVERIFY(header->width >= 0);
      }
    }
  }
};

LOCKSTEP_TEST(TstImageHeader)
#include "tst_image_header.moc"
