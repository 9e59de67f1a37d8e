#include <sys/stat.h>

#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/image_view/decoded_image.h"

using namespace lockstep;

namespace {

/// Red at the left and blue at the right.
QByteArray imageBytes(QSize size, const char* format) {
  QImage image(size, QImage::Format_RGB32);
  image.fill(qRgb(0, 0, 255));
  for (int y = 0; y < size.height(); ++y) {
    for (int x = 0; x < size.width() / 2; ++x) image.setPixel(x, y, qRgb(255, 0, 0));
  }
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, format, 95);
  return bytes;
}
QByteArray jpegBytes(QSize size) { return imageBytes(size, "jpg"); }

/// A directory of EXIF with orientation 6: rotate by 90° clockwise.
QByteArray exif() {
  const char directory[] =
      "MM\0\x2a\0\0\0\x08"
      "\0\x01"
      "\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"
      "\0\0\0\0";
  return {directory, sizeof(directory) - 1};
}

QByteArray turnedJpeg(QSize size) {
  const QByteArray jpeg = jpegBytes(size);
  return jpeg.left(2) +
         QByteArray(
             "\xff\xe1\x00\x22"
             "Exif\0\0",
             10) +
         exif() + jpeg.mid(2);
}

/// The same as an extended WebP file, where EXIF stands behind the pixels.
QByteArray turnedWebp(QSize size) {
  const auto number = [](int value, int bytes) {
    QByteArray text;
    for (int i = 0; i < bytes; ++i) text.append(static_cast<char>(value >> (8 * i) & 0xff));
    return text;
  };
  const QByteArray hasExif = number(8, 4);
  const QByteArray chunks = "WEBPVP8X" + number(10, 4) + hasExif + number(size.width() - 1, 3) +
                            number(size.height() - 1, 3) + imageBytes(size, "webp").mid(12) +
                            "EXIF" + number(static_cast<int>(exif().size()), 4) + exif();
  return "RIFF" + number(static_cast<int>(chunks.size()), 4) + chunks;
}

}  // namespace

class TstDecodedImage : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  QString write(const char* name, const QByteArray& bytes) {
    QFile file(folder_.filePath(QString::fromLatin1(name)));
    if (file.open(QIODevice::WriteOnly)) file.write(bytes);
    return file.fileName();
  }

 private Q_SLOTS:
  void aCompleteImageIsDecodedWithoutWarnings() {
    const widgets::DecodedImage image =
        widgets::decodeImage(write("whole.jpg", jpegBytes({60, 40})), {60, 40});
    QCOMPARE(image.failure, QString());
    QCOMPARE(image.warning, QString());
    QCOMPARE(image.levels.size(), QSize(60, 40));
  }

  void aMissingImageHasAReason() {
    QVERIFY(widgets::decodeImage(folder_.filePath(QStringLiteral("none.jpg")), {})
                .failure.contains(QStringLiteral("no such file")));
    QVERIFY(
        widgets::decodeImage(write("empty.jpg", {}), {}).failure.contains(QStringLiteral("empty")));
    QVERIFY(widgets::decodeImage(write("words.jpg", "these are words"), {})
                .failure.contains(QStringLiteral("format is unknown")));
  }

  void pipesAndDevicesAreNotOpened() {
    const QString pipe = folder_.filePath(QStringLiteral("pipe.jpg"));
    QCOMPARE(mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
    for (const QString& file : {pipe, QStringLiteral("/dev/zero")}) {
      const QString failure = widgets::decodeImage(file, {60, 40}).failure;
      QVERIFY2(failure.startsWith(QStringLiteral("it is a ")), qPrintable(failure));
      QVERIFY(widgets::decodeThumbnail(file, {60, 40}, 40).image.isNull());
    }
  }

  void whatTheEngineReadsIsShown_data() {
    QTest::addColumn<QString>("suffix");
    for (const char* suffix : {"jpg", "png", "bmp", "tif", "webp"})
      QTest::newRow(suffix) << QString::fromLatin1(suffix);
  }
  void whatTheEngineReadsIsShown() {
    QFETCH(QString, suffix);
    QImage picture(40, 30, QImage::Format_RGB32);
    picture.fill(qRgb(200, 40, 90));
    const QString path = folder_.filePath(QStringLiteral("picture.") + suffix);
    QVERIFY2(picture.save(path), "needs qt6-image-formats-plugins");
    const widgets::DecodedImage image = widgets::decodeImage(path, {40, 30});
    QVERIFY2(image.failure.isEmpty(), qPrintable(image.failure));
    QCOMPARE(image.levels.size(), QSize(40, 30));
    QCOMPARE(widgets::readImageFacts(path).size, QSize(40, 30));
  }

  void aTruncatedJpegIsShownWithAWarning() {
    const QByteArray bytes = jpegBytes({600, 400});
    const widgets::DecodedImage image =
        widgets::decodeImage(write("cut.jpg", bytes.left(bytes.size() / 2)), {600, 400});
    QVERIFY2(image.failure.isEmpty(), qPrintable(image.failure));
    QVERIFY(image.warning.contains(QStringLiteral("is truncated")));
  }

  void aSizeOtherThanTheAnnotatedOneIsWarnedAbout() {
    const widgets::DecodedImage image =
        widgets::decodeImage(write("size.jpg", jpegBytes({60, 40})), {30, 20});
    QVERIFY(image.warning.contains(QStringLiteral("60 × 40")));
    QVERIFY(image.warning.contains(QStringLiteral("30 × 20")));
  }

  void exifOrientationIsAppliedOnlyToMatchTheAnnotatedSize_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("JPEG") << turnedJpeg({60, 40});
    QTest::newRow("WebP") << turnedWebp({60, 40});
  }
  void exifOrientationIsAppliedOnlyToMatchTheAnnotatedSize() {
    QFETCH(QByteArray, bytes);
    const QString path = write("turned", bytes);
    const widgets::DecodedImage asStored = widgets::decodeImage(path, {60, 40});
    QCOMPARE(asStored.levels.size(), QSize(60, 40));
    QVERIFY(asStored.levels.colourAt({5, 20}).red() > 200);
    const widgets::DecodedImage turned = widgets::decodeImage(path, {40, 60});
    QCOMPARE(turned.levels.size(), QSize(40, 60));
    QVERIFY(turned.levels.colourAt({20, 5}).red() > 200);  // the left half is now on top
    QVERIFY(turned.levels.colourAt({20, 55}).blue() > 200);
    QCOMPARE(widgets::decodeThumbnail(path, {40, 60}, 30).image.size(), QSize(20, 30));
    QCOMPARE(widgets::decodeThumbnail(path, {60, 40}, 30).image.size(), QSize(45, 30));
    const widgets::DecodedImage alone = widgets::decodeImage(path, {});  // as predict reads it
    QCOMPARE(alone.levels.size(), QSize(40, 60));
    QCOMPARE(widgets::decodeThumbnail(path, {}, 30).image.size(), QSize(20, 30));
    QCOMPARE(widgets::readImageFacts(path).size, QSize(40, 60));
  }

  /// Of a bitmap all pixels would be decoded: the file is mostly a hole, and so would take them.
  void aThumbnailNeverNeedsAllPixelsOfALargeBitmap() {
    const auto bitmap = [&](const char* name, qint32 width, qint32 height) {
      QByteArray head("BM", 2);
      const auto put = [&](auto value) {
        head.append(reinterpret_cast<const char*>(&value), sizeof value);
      };
      const qint64 bytes = qint64{(width * 3 + 3) / 4 * 4} * height + 54;
      for (const qint64 value : {bytes, qint64{0}, qint64{54}, qint64{40}})
        put(static_cast<qint32>(value));
      put(width), put(height);
      put(qint16{1}), put(qint16{24});
      for (int i = 0; i < 6; ++i) put(qint32{0});
      const QString path = write(name, head);
      if (!QFile::resize(path, bytes)) return QString();
      return path;
    };
    const widgets::Thumbnail small =
        widgets::decodeThumbnail(bitmap("small.bmp", 400, 200), {400, 200}, 50);
    QCOMPARE(small.image.size(), QSize(100, 50));
    QCOMPARE(small.failure, QString());
    const widgets::Thumbnail large =
        widgets::decodeThumbnail(bitmap("large.bmp", 10000, 8200), {10000, 8200}, 50);
    QVERIFY(large.image.isNull());
    QCOMPARE(large.failure, QStringLiteral("too large for a thumbnail"));
  }

  void aFormatWhosePluginIsMissingNamesIt_data() {
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<QString>("format");
    QTest::newRow("TIFF") << QByteArray("II*\0\x08\0\0\0", 8) << QStringLiteral("TIFF");
    QTest::newRow("TIFF, big-endian") << QByteArray("MM\0*\0\0\0\x08", 8) << QStringLiteral("TIFF");
    QTest::newRow("WebP") << QByteArray("RIFF\x10\0\0\0WEBP", 12) << QStringLiteral("WebP");
    QTest::newRow("words") << QByteArray("these are words") << QString();
  }
  void aFormatWhosePluginIsMissingNamesIt() {
    QFETCH(QByteArray, head);
    QFETCH(QString, format);
    const QString missing = widgets::unknownFormat(head, {"png", "jpeg"});
    const QString there = widgets::unknownFormat(head, {"png", "tiff", "webp"});
    QCOMPARE(missing.contains(QStringLiteral("qt6-image-formats-plugins")), !format.isEmpty());
    QVERIFY2(missing.contains(format), qPrintable(missing));
    QVERIFY2(there.contains(QStringLiteral("unknown")), qPrintable(there));
  }

  void aHugeImageIsDecodedSmallerAndSaysSo() {
    QImage huge(10000, 8200, QImage::Format_Grayscale8);
    huge.fill(60);
    for (int y = 0; y < huge.height(); ++y) std::fill_n(huge.scanLine(y) + 5000, 5000, 200);
    const QString path = folder_.filePath(QStringLiteral("huge.jpg"));
    QVERIFY(huge.save(path, "jpg", 90));
    huge = {};
    const widgets::DecodedImage image = widgets::decodeImage(path, {10000, 8200});
    QCOMPARE(image.failure, QString());
    QVERIFY2(image.warning.contains(QStringLiteral("82 megapixels")), qPrintable(image.warning));
    QCOMPARE(image.levels.size(), QSize(10000, 8200));
    QCOMPARE(image.levels.largest().size(), QSize(5000, 4100));
    QVERIFY(image.levels.sizeBytes() < 160'000'000);
    QVERIFY(std::abs(image.levels.colourAt({4000, 8100}).red() - 60) < 4);
    QVERIFY(std::abs(image.levels.colourAt({6000, 10}).red() - 200) < 4);
    QVERIFY(!image.levels.has(1));
    QVERIFY(image.levels.has(0.5));
    const widgets::DecodedImage other = widgets::decodeImage(path, {100, 82});
    QVERIFY(other.warning.contains(QStringLiteral("10000 × 8200")));
  }

  void aLargeImageHasSmallerCopies() {
    QImage image(4000, 1000, QImage::Format_RGB32);
    image.fill(Qt::green);
    const widgets::ImageLevels levels(image);
    QCOMPARE(levels.levelFor(1.0).width(), 4000);
    QCOMPARE(levels.levelFor(0.5).width(), 2000);
    QCOMPARE(levels.levelFor(0.3).width(), 2000);
    QCOMPARE(levels.levelFor(0.01).width(), 1000);
    QCOMPARE(levels.size(), QSize(4000, 1000));
  }
};

LOCKSTEP_TEST(TstDecodedImage)
#include "tst_decoded_image.moc"
