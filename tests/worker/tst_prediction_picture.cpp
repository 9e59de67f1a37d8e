#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/worker/prediction_picture.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/worker/fonts_of_test.h"
#include "tests/worker/grey_picture.h"

using namespace lockstep;
using tests::FontsOfTest;
using tests::kGrey;
using tests::kTinted;
using tests::kUntouched;
using tests::Pixel;
using tests::pixelAt;
namespace fs = std::filesystem;

namespace {

/// A box of category 7, which its mask fills.
coco::Detection filledDetection(double x, double y, double size, base::ImageSize image,
                                double score) {
  const std::vector<double> square{x, y, x + size, y, x + size, y + size, x, y + size};
  return {ImageId{1},
          CategoryId{7},
          score,
          {x, y, size, size},
          coco::rasterisePolygon(square, static_cast<int>(image.height),
                                 static_cast<int>(image.width))};
}

}  // namespace

/// Pictures of predictions for TensorBoard.
class TstPredictionPicture : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLongestSideIs640_data() {
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("pictureWidth");
    QTest::addColumn<int>("pictureHeight");
    QTest::newRow("wide") << 1280 << 512 << 640 << 256;
    QTest::newRow("tall") << 500 << 1000 << 320 << 640;
    QTest::newRow("odd") << 1333 << 800 << 640 << 384;
    QTest::newRow("a line") << 2000 << 1 << 640 << 1;
    QTest::newRow("640 px") << 640 << 480 << 640 << 480;
    QTest::newRow("small") << 64 << 48 << 64 << 48;
  }
  void theLongestSideIs640() {
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, pictureWidth);
    QFETCH(int, pictureHeight);
    const base::ImageSize size = writeGrey("a.png", {height, width});
    const base::ImageSize drawn = draw({path("a.png"), size, {}});
    QCOMPARE(drawn.width, std::int64_t{pictureWidth});
    QCOMPARE(drawn.height, std::int64_t{pictureHeight});
    const data::RgbImage picture = data::readImage(path("picture.png"));
    QVERIFY(picture.size() == drawn);
    QCOMPARE(pixelAt(picture, 0, 0), kUntouched);
  }

  /// The image is half as large: so are box and mask, in their place.
  void predictionsAreWhereTheyWere() {
    const base::ImageSize size = writeGrey("b.png", {640, 1280});
    draw({path("b.png"), size, {filledDetection(400, 200, 200, size, 0.9)}});
    const data::RgbImage picture = data::readImage(path("picture.png"));
    QCOMPARE(pixelAt(picture, 250, 150), kTinted);
    for (const auto& [x, y] : {std::pair{205, 105}, {295, 195}, {205, 195}, {295, 105}})
      QCOMPARE(pixelAt(picture, x, y), kTinted);
    for (const auto& [x, y] : {std::pair{196, 150}, {304, 150}, {250, 204}, {400, 200}})
      QCOMPARE(pixelAt(picture, x, y), kUntouched);
  }

  void everyPictureIsOfItsImage() {
    worker::PredictionPicturePainter painter;
    const base::ImageSize small = writeGrey("c.png", {64, 64}),
                          large = writeGrey("d.png", {900, 900});
    const std::vector<coco::Category> categories{{CategoryId{7}, "cup"}};
    painter.draw({path("c.png"), small, {}}, categories, path("c-picture.png"));
    painter.draw({path("d.png"), large, {filledDetection(300, 300, 300, large, 0.9)}}, categories,
                 path("d-picture.png"));
    const data::RgbImage plain = data::readImage(path("c-picture.png"));
    QCOMPARE(plain.width, 64);
    QCOMPARE(pixelAt(plain, 32, 32), kUntouched);
    QCOMPARE(pixelAt(data::readImage(path("d-picture.png")), 320, 320), kTinted);
  }

  void improbableOnesAreNotDrawn() {
    const base::ImageSize size = writeGrey("e.png", {300, 300});
    draw({path("e.png"), size, {filledDetection(100, 100, 60, size, 0.49)}});
    QCOMPARE(pixelAt(data::readImage(path("picture.png")), 130, 130), kUntouched);
    draw({path("e.png"), size, {filledDetection(100, 100, 60, size, 0.5)}});
    QCOMPARE(pixelAt(data::readImage(path("picture.png")), 130, 130), kTinted);
  }

  void boxesWithoutMasksAreDrawn() {
    const base::ImageSize size = writeGrey("f.png", {1280, 1280});
    coco::Detection box = filledDetection(400, 400, 200, size, 0.9);
    box.mask = {};
    draw({path("f.png"), size, {box}});
    const data::RgbImage picture = data::readImage(path("picture.png"));
    QCOMPARE(pixelAt(picture, 200, 250), (Pixel{0, 114, 178}));
    QCOMPARE(pixelAt(picture, 250, 250), kUntouched);
  }

  void noFontIsNoFailure() {
    const FontsOfTest none(FontsOfTest::Fonts::None);
    const base::ImageSize size = writeGrey("g.png", {300, 300});
    draw({path("g.png"), size, {filledDetection(100, 100, 60, size, 0.9)}});
    const data::RgbImage picture = data::readImage(path("picture.png"));
    QCOMPARE(pixelAt(picture, 130, 130), kTinted);
    QVERIFY(pixelAt(picture, 103, 95) != kUntouched);  // the id and the score
  }

  void aMissingImageIsAnError() {
    QVERIFY_THROWS_EXCEPTION(Error, draw({path("missing.png"), {10, 10}, {}}));
  }

 private:
  fs::path path(const char* name) const {
    return folder_.filePath(QString::fromUtf8(name)).toStdString();
  }
  base::ImageSize writeGrey(const char* name, base::ImageSize size) const {
    data::RgbImage image(static_cast<int>(size.width), static_cast<int>(size.height));
    std::fill_n(image.pixels.get(), 3 * size.width * size.height, kGrey);
    data::writeImage(image, path(name));
    return size;
  }
  base::ImageSize draw(const train::PredictedImage& image) const {
    return worker::PredictionPicturePainter().draw(image, {{CategoryId{7}, "cup"}},
                                                   path("picture.png"));
  }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstPredictionPicture)
#include "tst_prediction_picture.moc"
