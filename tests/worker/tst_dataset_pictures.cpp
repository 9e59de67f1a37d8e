#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/counter_hash.h"
#include "engine/data/image_file.h"
#include "engine/worker/dataset_images.h"
#include "engine/worker/dataset_pictures.h"
#include "tests/support/exif_images.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstDatasetPictures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theGammaOfAPngChangesNothing() {
    const QTemporaryDir folder;
    const auto path = [&](const char* name) {
      return std::filesystem::path(folder.filePath(QLatin1String(name)).toStdString());
    };
    data::RgbImage image(96, 80);
    for (std::size_t i = 0; i < image.valueCount(); ++i)
      image.pixels[i] = static_cast<std::uint8_t>(base::counterHash({i % 3, i / 2000}) % 256);
    std::string bytes = data::encodeImage(image, path("a.png"));
    base::writeFileAtomically(path("a.png"), bytes);
    using namespace std::string_view_literals;
    constexpr std::size_t kAfterHeader = 8 + 25;
    bytes.insert(kAfterHeader, "\0\0\0\4gAMA\0\0\xb1\x8f\x0b\xfc\x61\x05"sv);
    base::writeFileAtomically(path("b.png"), bytes);
    const worker::DatasetPictures reader;
    const dataset_check::Picture plain = reader.read(path("a.png"), {80, 96}),
                                 other = reader.read(path("b.png"), {80, 96});
    QVERIFY(plain.state == dataset_check::PictureState::Usable &&
            other.state == dataset_check::PictureState::Usable);
    QVERIFY(*plain.thumbnail == *other.thumbnail);
    QVERIFY(reader.readBlocks(path("a.png"), {80, 96}, {80, 96}) ==
            reader.readBlocks(path("b.png"), {80, 96}, {80, 96}));
  }

  /// Beside Pillow's ImageOps.exif_transpose, of which the pixels are compared.
  void picturesAreTurnedInEveryFormat() {
    if (tests::python().isEmpty()) QSKIP("Pillow is not installed (packaging/setup.sh --dev)");
    const QTemporaryDir made;
    QVERIFY(tests::makeExifImages(made.path()));
    const worker::DatasetPictures reader;
    const worker::DatasetImages images;
    constexpr base::ImageSize kTurned{.height = 7, .width = 5};
    constexpr base::ImageSize kScaled{.height = 56, .width = 40};  // a block of 8 x 8 px for each
    for (const char orientation : {'5', '6', '7', '8'})
      for (const char* ending : {".png", ".profile.png", ".webp", ".raw.tiff"}) {
        const std::string file = made.path().toStdString() + "/" + orientation + ending;
        const auto blocks = reader.readBlocks(file, kTurned, kScaled);
        QVERIFY2(blocks.size() == 35, file.c_str());
        QVERIFY2(images.factsOf(file).displayed() == kTurned, file.c_str());
        QVERIFY2(blocks == reader.readBlocks(file + ".ppm", kTurned, kScaled), file.c_str());
      }
    for (char orientation = '1'; orientation <= '8'; ++orientation) {
      const std::string file = made.path().toStdString() + "/" + orientation + ".png";
      const dataset_check::Picture asStored = reader.read(file, {.height = 5, .width = 7});
      QVERIFY2(asStored.state == dataset_check::PictureState::Usable, file.c_str());
      QCOMPARE(asStored.exifOrientation, orientation - '0');
      QCOMPARE(images.factsOf(file).exifOrientation, orientation - '0');
    }
  }
};

LOCKSTEP_TEST(TstDatasetPictures)
#include "tst_dataset_pictures.moc"
