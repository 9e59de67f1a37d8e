#include <QTest>
#include <cstdint>
#include <string>

#include "engine/base/image_header.h"
#include "tests/support/made_jpeg.h"
#include "tests/support/test_main.h"

using lockstep::base::readImageHeader;

namespace {

/// Of a PNG; with the place of a checksum, which nothing reads.
std::string chunk(const char* name, const std::string& content) {
  const auto length = static_cast<std::uint32_t>(content.size());
  std::string chunk;
  for (const int shift : {24, 16, 8, 0}) chunk += static_cast<char>(length >> shift & 0xff);
  return chunk + name + content + "sum.";
}

/// Of 256 x 16 px.
const std::string kPngBeginning =
    "\x89PNG\r\n\x1a\n" + chunk("IHDR", std::string("\0\0\1\0\0\0\0\x10\x8\2\0\0\0", 13));

}  // namespace

class TstImageHeader : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void headersGiveFormatSizeAndOrientation() {
    using namespace std::string_literals;
    const auto png = readImageHeader(kPngBeginning + chunk("IDAT", ""));
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

  /// It may come after a profile, and also after the pixels.
  void aPngHasNoSizeBeforeItsOrientation() {
    using namespace std::string_literals;
    const std::string profile = chunk("iCCP", std::string(6000, 'p'));
    const std::string exif = chunk("eXIf", "MM\0*\0\0\0\x8\0\1\1\x12\0\3\0\0\0\1\0\6\0\0"s);
    const std::string pixels = chunk("IDAT", "pixels");
    const std::string whole = kPngBeginning + profile + exif + pixels;
    const std::size_t beforeEnd = kPngBeginning.size() + profile.size() + exif.size() - 5;
    for (const std::size_t bytes : {kPngBeginning.size(), std::size_t{4096}, beforeEnd}) {
      const auto header = readImageHeader(whole.substr(0, bytes));
      QVERIFY(header && header->width == 0 && header->height == 0);
    }
    for (const std::string& file : {whole, kPngBeginning + pixels + exif}) {
      const auto header = readImageHeader(file);
      QCOMPARE(header->width, 256);
      QCOMPARE(header->height, 16);
      QCOMPARE(header->exifOrientation, 6);
      QVERIFY(header->exifSwapsSides);
    }
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
