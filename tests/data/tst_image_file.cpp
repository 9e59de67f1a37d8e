#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <filesystem>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/image_header.h"
#include "engine/base/image_size.h"
#include "engine/coco/masks/orientation.h"
#include "engine/data/image_file.h"
#include "tests/data/small_data_set.h"
#include "tests/support/exif_images.h"
#include "tests/support/message_of.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using data::RgbImage;
using namespace std::string_literals;
using tests::messageOf;

namespace {

std::string encoded(const cv::Mat& pixels, const char* ending,
                    const std::vector<int>& options = {}) {
  std::vector<std::uint8_t> bytes;
  cv::imencode(ending, pixels, bytes, options);
  return {bytes.begin(), bytes.end()};
}

/// An APP1 segment with an EXIF orientation and, as from cameras, a thumbnail with its own end
/// marker.
std::string exifSegment(char orientation) {
  std::string exif("Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 24);
  exif += std::string(1, orientation) + std::string(7, '\0');
  exif += "\xff\xd8 thumbnail \xff\xd9";
  const std::size_t length = exif.size() + 2;
  return std::string("\xff\xe1") + static_cast<char>(length >> 8) +
         static_cast<char>(length & 0xff) + exif;
}

std::string withSegment(const std::string& jpeg, const std::string& segment) {
  return jpeg.substr(0, 2) + segment + jpeg.substr(2);
}

/// 40 x 24 px: left half dark, right half light.
cv::Mat halves() {
  cv::Mat pixels(24, 40, CV_8UC3, cv::Scalar(20, 20, 20));
  pixels.colRange(20, 40).setTo(cv::Scalar(230, 230, 230));
  return pixels;
}

int brightness(const RgbImage& image, int x, int y) {
  return image.pixels[(y * image.width + x) * 3];
}

}  // namespace

class TstImageFile : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path file(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path().toStdString()) / name;
    base::writeFileAtomically(path, bytes);
    return path;
  }

 private Q_SLOTS:
  void aPngKeepsEveryPixel() {
    const RgbImage image = tests::noisePicture(31, 17, 1);
    const std::filesystem::path path =
        std::filesystem::path(folder_.path().toStdString()) / "a.png";
    data::writeImage(image, path);
    const RgbImage read = data::readAnnotatedImage(path, {17, 31});
    QCOMPARE(std::memcmp(read.pixels.get(), image.pixels.get(), 31 * 17 * 3), 0);
  }

  void otherPixelTypesBecomeEightBitRgb() {
    cv::Mat wide(2, 3, CV_16UC3, cv::Scalar(0x1000, 0x8000, 0xff00));  // BGR
    const RgbImage sixteen = data::readImage(file("wide.png", encoded(wide, ".png")));
    QCOMPARE(sixteen.pixels[0], std::uint8_t{0xff});
    QCOMPARE(sixteen.pixels[1], std::uint8_t{0x80});
    QCOMPARE(sixteen.pixels[2], std::uint8_t{0x10});
    const RgbImage grey =
        data::readImage(file("grey.png", encoded(cv::Mat(2, 3, CV_8UC1, cv::Scalar(77)), ".png")));
    QCOMPARE(grey.pixels[0], std::uint8_t{77});
    QCOMPARE(grey.pixels[17], std::uint8_t{77});
    const RgbImage grey16 = data::readImage(
        file("grey16.png", encoded(cv::Mat(2, 3, CV_16UC1, cv::Scalar(0x4d00)), ".png")));
    QCOMPARE(grey16.pixels[5], std::uint8_t{77});
    const RgbImage greyJpeg = data::readImage(
        file("grey.jpg", encoded(cv::Mat(16, 16, CV_8UC1, cv::Scalar(77)), ".jpg")));
    QCOMPARE(greyJpeg.pixels[5], std::uint8_t{77});
    const cv::Mat clear(2, 3, CV_8UC4, cv::Scalar(10, 20, 30, 0));
    const RgbImage alpha = data::readImage(file("alpha.png", encoded(clear, ".png")));
    QCOMPARE(alpha.pixels[0], std::uint8_t{30});
    QCOMPARE(alpha.pixels[2], std::uint8_t{10});
  }

  void truncatedFilesAreRefused_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    cv::Mat noise(120, 160, CV_8UC3);
    cv::theRNG().state = 5;
    cv::randu(noise, 0, 255);
    const std::string plain = encoded(noise, ".jpg"), png = encoded(noise, ".png");
    const std::string progressive = encoded(noise, ".jpg", {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
    const std::string restarts = encoded(noise, ".jpg", {cv::IMWRITE_JPEG_RST_INTERVAL, 2});
    const std::string thumbnail = withSegment(plain, exifSegment(1));
    const std::pair<const char*, const std::string*> files[] = {{"plain.jpg", &plain},
                                                                {"progressive.jpg", &progressive},
                                                                {"restarts.jpg", &restarts},
                                                                {"thumbnail.jpg", &thumbnail},
                                                                {"noise.png", &png}};
    for (const auto& [name, bytes] : files) {
      for (double share : {0.03, 0.5, 0.9}) {
        const auto size = static_cast<int>(share * static_cast<double>(bytes->size()));
        QTest::addRow("%s, %g", name, share)
            << QString::fromUtf8(name) << QByteArray(bytes->data(), size);
      }
      // The last byte of its data, and everything after it.
      const auto size = static_cast<int>(bytes->size());
      const int last = bytes == &png ? size - 12 - 5 : size - 3;
      QTest::addRow("%s, last byte", name)
          << QString::fromUtf8(name) << QByteArray(bytes->data(), last);
      QTest::addRow("%s, zeros in its half", name)
          << QString::fromUtf8(name)
          << QByteArray(bytes->data(), size / 2) + QByteArray(size / 2, '\0');
    }
    // At the end of a restart interval, of a scan, and of a chunk of pixels.
    QTest::newRow("restarts.jpg, at a marker")
        << QStringLiteral("restarts.jpg")
        << QByteArray(restarts.data(), static_cast<int>(restarts.rfind("\xff\xd3")));
    QTest::newRow("progressive.jpg, a scan is missing")
        << QStringLiteral("progressive.jpg")
        << QByteArray(progressive.data(), static_cast<int>(progressive.rfind("\xff\xda")));
    const std::size_t lastPixels = png.rfind("IDAT");
    QVERIFY(lastPixels != png.find("IDAT"));
    QTest::newRow("noise.png, a chunk is missing")
        << QStringLiteral("noise.png") << QByteArray(png.data(), static_cast<int>(lastPixels) - 4);
  }
  void truncatedFilesAreRefused() {
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    const auto path = file(name.toStdString(), bytes.toStdString());
    const std::string text = messageOf([&] { data::readAnnotatedImage(path, {120, 160}); });
    QVERIFY2(text.find(name.toStdString() + ": is truncated") != std::string::npos, text.c_str());
  }

  void filesThatLackOnlyTheirEndMarkerAreRead_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("whole");
    QTest::addColumn<int>("end");
    cv::Mat noise(121, 163, CV_8UC3);
    cv::theRNG().state = 7;
    cv::randu(noise, 0, 255);
    const auto row = [](const char* name, const std::string& bytes, int end) {
      QTest::newRow(name) << QString::fromUtf8(name)
                          << QByteArray(bytes.data(), static_cast<int>(bytes.size())) << end;
    };
    row("plain.jpg", encoded(noise, ".jpg"), 2);
    row("smooth.jpg", encoded(halves(), ".jpg"), 2);
    row("progressive.jpg", encoded(noise, ".jpg", {cv::IMWRITE_JPEG_PROGRESSIVE, 1}), 2);
    row("restarts.jpg", encoded(noise, ".jpg", {cv::IMWRITE_JPEG_RST_INTERVAL, 2}), 2);
    row("restarts in the last row.jpg", encoded(noise, ".jpg", {cv::IMWRITE_JPEG_RST_INTERVAL, 7}),
        2);
    row("thumbnail.jpg", withSegment(encoded(noise, ".jpg"), exifSegment(1)), 2);
    cv::Mat grey;
    cv::extractChannel(noise, grey, 0);
    row("grey.jpg", encoded(grey, ".jpg", {cv::IMWRITE_JPEG_RST_INTERVAL, 3}), 2);
    row("noise.png", encoded(noise, ".png"), 12);
    row("smooth.png", encoded(halves(), ".png"), 12);
  }
  /// All rows can be decoded: without the marker, with half of it, and with zeros in its place.
  void filesThatLackOnlyTheirEndMarkerAreRead() {
    QFETCH(QString, name);
    QFETCH(QByteArray, whole);
    QFETCH(int, end);
    const RgbImage expected = data::readImage(file("whole", whole.toStdString()));
    QVERIFY(!expected.missingEndMarker);
    for (const QByteArray& bytes :
         {whole.chopped(end), whole.chopped(1), whole.chopped(end) + QByteArray(5000, '\0')}) {
      const auto path = file(name.toStdString(), bytes.toStdString());
      const std::string text = messageOf([&] {
        const RgbImage read = data::readAnnotatedImage(path, expected.size());
        const std::size_t size = std::size_t(expected.width) * expected.height * 3;
        if (std::memcmp(read.pixels.get(), expected.pixels.get(), size) != 0)
          throw Error("other pixels");
        if (!read.missingEndMarker) throw Error("it is not said");
      });
      QVERIFY2(text.empty(), text.c_str());
    }
    const auto padded = file("padded", whole.toStdString() + std::string(5000, '\0'));
    QVERIFY(!data::readImage(padded).missingEndMarker);
  }

  void completeFilesOfEveryFormatAreRead() {
    cv::Mat noise(50, 60, CV_8UC3);
    cv::theRNG().state = 6;
    cv::randu(noise, 0, 255);
    const std::vector<std::pair<std::string, std::string>> files{
        {"p.jpg", encoded(noise, ".jpg", {cv::IMWRITE_JPEG_PROGRESSIVE, 1})},
        {"r.jpg", encoded(noise, ".jpg", {cv::IMWRITE_JPEG_RST_INTERVAL, 1})},
        {"t.jpg", withSegment(encoded(noise, ".jpg"), exifSegment(1))},
        {"behind.jpg", encoded(noise, ".jpg") + "some bytes behind"},
        {"behind.png", encoded(noise, ".png") + "some bytes behind"},
        {"b.bmp", encoded(noise, ".bmp")},
        {"w.webp", encoded(noise, ".webp")},
        {"t.tiff", encoded(noise, ".tiff")}};
    for (const auto& [name, bytes] : files) {
      const auto path = file(name, bytes);
      const std::string text = messageOf([&] { data::readAnnotatedImage(path, {50, 60}); });
      QVERIFY2(text.empty(), (name + text).c_str());
    }
  }

  void filesThatAreNotImagesAreReported() {
    QVERIFY(messageOf([&] {
              data::readImage(file("no.jpg", "hello"));
            }).find("no.jpg: is not a supported image") != std::string::npos);
    QVERIFY(messageOf([&] {
              data::readImage(file("no.png", ""));
            }).find("no.png: is an empty file") != std::string::npos);
    QVERIFY(messageOf([&] { data::readImage("/nowhere/x.jpg"); }).find("/nowhere/x.jpg") !=
            std::string::npos);
    std::string broken = encoded(halves(), ".png");
    broken[60] = static_cast<char>(broken[60] ^ 0x55);  // in the compressed pixels: the CRC fails
    QVERIFY(messageOf([&] { data::readImage(file("broken.png", broken)); }).find("broken.png: ") !=
            std::string::npos);
  }

  void unsupportedFilesAreReportedWithARemedy_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const std::string& bytes, const char* said) {
      QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString::fromUtf8(said);
    };
    row("float TIFF", encoded(cv::Mat::ones(9, 9, CV_32FC1), ".tif"),
        "contains 32-bit floats, which are unsupported; convert it to 8 or 16 bits");
    row("float TIFF of colours",
        encoded(cv::Mat::ones(9, 9, CV_32FC3), ".tif", {cv::IMWRITE_TIFF_COMPRESSION, 1}),
        "contains 32-bit floats, which are unsupported; convert it to 8 or 16 bits");
    row("double TIFF", encoded(cv::Mat::ones(9, 9, CV_64FC1), ".tif"),
        "contains 64-bit floats, which are unsupported; convert it to 8 or 16 bits");
    row("integer TIFF", encoded(cv::Mat::ones(9, 9, CV_32SC1), ".tif"),
        "contains 32-bit integers, which are unsupported; convert it to 8 or 16 bits");
    row("animated WebP", "RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\1\1\1\1"s,
        "contains several frames (animated), which is unsupported; convert it to PNG");
    row("GIF", "GIF89a\1\1", "is a GIF, which is unsupported; convert it to PNG");
    row("AVIF", "\0\0\0\x1c\x66typavifxxxx"s,
        "is an AVIF, which is unsupported; convert it to PNG");
    row("text", "hello",
        "is not a supported image (JPEG, PNG, BMP, TIFF, WebP); restore the image");
    row("damaged WebP", "RIFF\x1a\0\0\0WEBPVP8 xxxxxxxxxxxxxxxx"s,
        "is not a supported image (JPEG, PNG, BMP, TIFF, WebP); copy the file again");
    row("nothing", "", "is an empty file; copy the file again");
  }
  void unsupportedFilesAreReportedWithARemedy() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, said);
    const auto path = file("some.img", bytes.toStdString());
    const std::string text = path.string() + ": " + said.toStdString();
    QCOMPARE(messageOf([&] { data::readImage(path); }), text);
    QCOMPARE(messageOf([&] {
               data::readAnnotatedImage(path, {9, 9});
             }),
             text + ", or remove the image from the annotations");
  }

  void unreadablePathsAreBadImages_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("said");
    QTest::newRow("missing") << "none.png"
                             << "No such file or directory; restore the image, or remove";
    QTest::newRow("below a file") << "file/x.png"
                                  << "Not a directory; restore the image, or remove";
    QTest::newRow("folder") << "folder"
                            << "Is a directory; restore the image, or remove";
    QTest::newRow("links in a circle")
        << "circle"
        << "Too many levels of symbolic links; restore the image, or remove";
    QTest::newRow("long name") << QString(300, QLatin1Char('a'))
                               << "File name too long; restore the image, or remove";
    QTest::newRow("pipe") << "pipe"
                          << "is a pipe; expected an image; restore the image, or remove";
    QTest::newRow("device") << "device"
                            << "is a device; expected an image; restore the image, or remove";
    if (::geteuid() != 0)
      QTest::newRow("forbidden") << "forbidden"
                                 << "Permission denied; make it readable, or remove";
  }
  void unreadablePathsAreBadImages() {
    QFETCH(QString, name);
    QFETCH(QString, said);
    namespace fs = std::filesystem;
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    base::writeFileAtomically(root / "file", "x");
    base::writeFileAtomically(root / "forbidden", encoded(halves(), ".png"), 0);
    fs::create_directory(root / "folder");
    fs::create_symlink("circle", root / "circle");
    fs::create_symlink("/dev/zero", root / "device");
    QCOMPARE(::mkfifo((root / "pipe").c_str(), 0600), 0);
    const fs::path file = root / name.toStdString();
    try {
      data::readAnnotatedImage(file, {24, 40});
      QFAIL("was read");
    } catch (const data::UnreadableImage& error) {
      const QString text = QString::fromUtf8(error.what());
      QVERIFY2(text.startsWith(QString::fromStdString(file.string()) + QStringLiteral(": ")) &&
                   text.contains(said),
               error.what());
    }
  }

  void aVeryLongPathIsShortenedInItsError() {
    try {
      data::readAnnotatedImage(std::string(100000, 'a'), {24, 40});
      QFAIL("was read");
    } catch (const data::UnreadableImage& error) {
      const QString text = QString::fromUtf8(error.what());
      QVERIFY(text.contains(QLatin1String("File name too long")));
      QVERIFY2(text.size() < 1000, qPrintable(QString::number(text.size())));
    }
  }

  void machineErrorsAreNotBadImages() {
    const auto small = file("small.png", encoded(halves(), ".png"));
    const auto large = file("large.png", encoded(cv::Mat::zeros(4000, 8000, CV_8UC3), ".png"));
    try {
      const tests::NoMoreFiles limit;
      data::readImage(small);
      QFAIL("was read");
    } catch (const data::UnreadableImage& error) {
      QFAIL(error.what());
    } catch (const Error& error) {
      QCOMPARE(error.what(), small.string() + ": cannot read: Too many open files");
    }
    const std::filesystem::path broken =
        std::filesystem::path(folder_.path().toStdString()) / "broken_disk.png";
    std::filesystem::create_symlink("/proc/self/mem", broken);  // reading it is an I/O error
    try {
      data::readImage(broken);
      QFAIL("was read");
    } catch (const data::UnreadableImage& error) {
      QFAIL(error.what());
    } catch (const Error& error) {
      QCOMPARE(error.what(), broken.string() + ": cannot read: Input/output error");
    }
    for (const int decodings : {0, 1}) {  // not enough to decode it, not enough to copy it
      const tests::LittleMemory limit((std::size_t{96} << 20) * decodings +
                                      (std::size_t{40} << 20));
      QVERIFY_THROWS_EXCEPTION(std::bad_alloc, data::readImage(large));
    }
    QCOMPARE(data::readImage(small).width, 40);
    QCOMPARE(data::readImage(large).width, 8000);
  }

  void aWrongSizeIsReportedWithBothSizes() {
    const auto path = file("size.png", encoded(halves(), ".png"));
    const std::string text = messageOf([&] { data::readAnnotatedImage(path, {24, 41}); });
    QVERIFY2(text.find("size.png: is 40 x 24 px, but the annotations say 41 x 24 px") !=
                 std::string::npos,
             text.c_str());
    QVERIFY(!messageOf([&] {
               data::readAnnotatedImage(path, {40, 24});
             }).empty());  // swapped, but without EXIF
  }

  void exifIsAppliedOnlyIfItGivesTheAnnotatedSize() {
    const std::string jpeg = encoded(halves(), ".jpg");
    const auto quarter = file("quarter.jpg", withSegment(jpeg, exifSegment(6)));
    const RgbImage stored = data::readAnnotatedImage(quarter, {24, 40});
    QVERIFY(brightness(stored, 2, 12) < 60 && brightness(stored, 37, 12) > 190);
    const RgbImage turned =
        data::readAnnotatedImage(quarter, {40, 24});  // a quarter clockwise: dark above
    QVERIFY(brightness(turned, 12, 2) < 60 && brightness(turned, 12, 37) > 190);
    const auto half = file("half.jpg", withSegment(jpeg, exifSegment(3)));
    QVERIFY(brightness(data::readAnnotatedImage(half, {24, 40}), 2, 12) <
            60);  // square: the size does not tell, so as stored
    QVERIFY(!messageOf([&] { data::readAnnotatedImage(quarter, {41, 24}); }).empty());
  }

  void exifIsAppliedToImagesWithoutAnnotations() {
    const std::string jpeg = encoded(halves(), ".jpg");
    const RgbImage quarter =
        data::readImage(file("quarter.jpg", withSegment(jpeg, exifSegment(6))));
    QCOMPARE(quarter.width, 24);
    QVERIFY(brightness(quarter, 12, 2) < 60 && brightness(quarter, 12, 37) > 190);
    const RgbImage half = data::readImage(file("half.jpg", withSegment(jpeg, exifSegment(3))));
    QVERIFY(brightness(half, 37, 12) < 60 && brightness(half, 2, 12) > 190);
    QCOMPARE(data::readImage(file("as_stored.jpg", jpeg)).width, 40);
  }

  void orientationsAreThoseOfPillow() {
    if (tests::python().isEmpty()) QSKIP("Pillow is not installed (packaging/setup.sh --dev)");
    const QTemporaryDir made;
    QVERIFY(tests::makeExifImages(made.path()));
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(made.path().toStdString())) {
      const std::string path = entry.path().string();
      if (path.ends_with(".ppm")) continue;
      const RgbImage ours = data::readImage(path);
      const cv::Mat theirs = cv::imread(path + ".ppm");
      QVERIFY2(ours.width == theirs.cols && ours.height == theirs.rows, path.c_str());
      int largest = 0;
      for (int y = 0; y < ours.height; ++y)
        for (int i = 0; i < 3 * ours.width; ++i)
          largest = std::max(largest, std::abs(ours.pixels[y * 3 * ours.width + i] -
                                               theirs.at<cv::Vec3b>(y, i / 3)[2 - i % 3]));
      QVERIFY2(largest <= (path.ends_with(".jpg") ? 2 : 0), path.c_str());
      const std::string bytes = base::readFile(path);
      QCOMPARE(base::pixelsOf(bytes), std::int64_t{ours.width} * ours.height);
      if (const auto header = base::readImageHeader(bytes))
        QCOMPARE(header->exifOrientation, entry.path().filename().string()[0] - '0');
      ++compared;
    }
    QCOMPARE(compared, 48);
  }

  void pixelsAreCountedInEveryFormat() {
    for (const char* ending : {".bmp", ".jpg", ".png", ".tiff", ".webp"})
      QCOMPARE(base::pixelsOf(encoded(halves(), ending)), 40 * 24);
    QCOMPARE(base::pixelsOf(encoded(halves(), ".webp", {cv::IMWRITE_WEBP_QUALITY, 101})), 40 * 24);
    for (const char* ending : {".bmp", ".jpg", ".png", ".tiff", ".webp"}) {
      const std::string whole = encoded(halves(), ending);
      for (std::size_t bytes = 0; bytes < std::min<std::size_t>(whole.size(), 400); ++bytes)
        QVERIFY(base::pixelsOf(whole.substr(0, bytes)) >= 0);
    }
    QCOMPARE(base::pixelsOf("no image"), 0);
  }

  void exifOrientationRule() {
    using Size = base::ImageSize;
    QVERIFY(!coco::shouldApplyExif({24, 40}, true, Size{24, 40}));
    QVERIFY(coco::shouldApplyExif({24, 40}, true, Size{40, 24}));
    QVERIFY(!coco::shouldApplyExif({24, 40}, false, Size{40, 24}));
    QVERIFY(!coco::shouldApplyExif({24, 40}, true, Size{41, 24}));
    QVERIFY(!coco::shouldApplyExif({40, 40}, true, Size{40, 40}));
    QVERIFY(coco::shouldApplyExif({24, 40}, true, std::nullopt));
    QVERIFY(coco::shouldApplyExif({24, 40}, false, std::nullopt));
  }

  void darkSixteenBitFilesAreReported() {
    const auto read = [&](int highest) {
      cv::Mat pixels(2, 3, CV_16UC1, cv::Scalar(7));
      pixels.at<std::uint16_t>(1, 2) = static_cast<std::uint16_t>(highest);
      return data::readImage(file("deep.png", encoded(pixels, ".png")));
    };
    const RgbImage twelve = read(4095);
    QCOMPARE(twelve.highestOf16Bits, 4095);
    QCOMPARE(data::darkImageWarning(twelve, "deep.png"),
             std::string("deep.png: its 16-bit values go up to only 4095 of 65535, which is 15 of "
                         "255 after conversion to 8 bits, nearly black; rescale them to the full "
                         "range"));
    QVERIFY(data::darkImageWarning(read(65000), "deep.png").empty());
    const RgbImage eight = data::readImage(file("flat.png", encoded(halves(), ".png")));
    QVERIFY(eight.highestOf16Bits == 0 && data::darkImageWarning(eight, "flat.png").empty());
  }

  void unwritableImagesAreReported() {
    const RgbImage image = tests::noisePicture(4, 4, 1);
    const std::string folder = messageOf([&] { data::writeImage(image, "/nowhere/x.png"); });
    QVERIFY2(folder.find("/nowhere/") != std::string::npos, folder.c_str());
    const std::string kind = messageOf([&] { data::writeImage(image, "/tmp/x.unknown"); });
    QVERIFY2(kind.find("x.unknown") != std::string::npos, kind.c_str());
  }
};

LOCKSTEP_TEST(TstImageFile)
#include "tst_image_file.moc"
