#include <QApplication>
#include <QMouseEvent>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/verdict_style.h"
#include "widgets/theme.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

constexpr QRgb kGround = qRgb(120, 130, 140);

/// Runs of any length, so that columns begin and end anywhere.
coco::Rle anyMask(QSize size, std::uint64_t seed, double longest) {
  coco::Rle mask;
  mask.width = size.width();
  mask.height = size.height();
  auto left = static_cast<std::uint32_t>(size.width() * size.height());
  for (std::uint64_t run = 0; left > 0; ++run) {
    const auto length = static_cast<std::uint32_t>(base::counterUniform({seed, run}) * longest);
    mask.counts.push_back(std::min(left, length));
    left -= mask.counts.back();
  }
  return mask;
}

/// Three masks over one another, one of them a missed object's.
std::shared_ptr<CanvasScene> overlapping(QSize size, double longest) {
  auto scene = std::make_shared<CanvasScene>();
  scene->imageSize = size;
  const Verdict verdicts[] = {Verdict::FalsePositive, Verdict::TruePositive, Verdict::Missed};
  for (std::uint64_t i = 0; i < 3; ++i) {
    CanvasScene::Instance instance;
    instance.facts.verdict = verdicts[i];
    instance.mask = anyMask(size, i + 1, longest);
    instance.colour = verdictColor(verdicts[i], lightTheme());
    instance.box = QRectF(QPointF(), QSizeF(size));
    scene->instances.push_back(std::move(instance));
  }
  scene->masks = paintMaskLevels(size, scene->fills(false));
  scene->missedMasks = paintMaskLevels(size, scene->fills(true));
  return scene;
}

/// What a pixel of the image is to be: each fill over the ones before it, in real numbers.
class Expected {
 public:
  explicit Expected(const CanvasScene& scene) {
    for (const bool ofMissed : {true, false}) {
      for (const MaskFill& fill : scene.fills(ofMissed)) {
        Layer layer{fill.colour, fill.mask->height, {}};
        for (const std::uint32_t run : fill.mask->counts)
          layer.ends.push_back((layer.ends.empty() ? 0 : layer.ends.back()) + run);
        layers_.push_back(std::move(layer));
      }
    }
  }

  std::array<double, 3> at(int x, int y) const {
    std::array<double, 3> rgb{double(qRed(kGround)), double(qGreen(kGround)),
                              double(qBlue(kGround))};
    for (const Layer& layer : layers_) {
      const auto place = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(layer.height) +
                         static_cast<std::uint64_t>(y);
      const auto run = std::ranges::upper_bound(layer.ends, place) - layer.ends.begin();
      if (run % 2 == 0) continue;  // of the ground
      const double alpha = qAlpha(layer.colour) / 255.0;
      const int own[] = {qRed(layer.colour), qGreen(layer.colour), qBlue(layer.colour)};
      for (std::size_t c = 0; c < 3; ++c) rgb[c] += alpha * (own[c] - rgb[c]);
    }
    return rgb;
  }

 private:
  struct Layer {
    QRgb colour;
    int height;
    std::vector<std::uint64_t> ends;  ///< of the runs, in column-major order
  };
  std::vector<Layer> layers_;
};

std::shared_ptr<const DecodedImage> plainImage(QSize size) {
  QImage picture(size, QImage::Format_RGB32);
  picture.fill(kGround);
  auto decoded = std::make_shared<DecodedImage>();
  decoded->levels = ImageLevels(picture);
  return decoded;
}

double farthest(QRgb shown, const std::array<double, 3>& expected) {
  return std::max({std::abs(qRed(shown) - expected[0]), std::abs(qGreen(shown) - expected[1]),
                   std::abs(qBlue(shown) - expected[2])});
}

}  // namespace

class TstCanvasPixels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyPixelIsThatOfItsMasks_data() {
    QTest::addColumn<QSize>("image");
    QTest::addColumn<double>("scale");
    QTest::newRow("half") << QSize(240, 160) << 0.5;
    QTest::newRow("1") << QSize(240, 160) << 1.0;
    QTest::newRow("3") << QSize(120, 80) << 3.0;
    QTest::newRow("of 8 megapixels, half") << QSize(4000, 2000) << 0.5;
    QTest::newRow("of 8 megapixels, 1") << QSize(4000, 2000) << 1.0;
    QTest::newRow("of 8 megapixels, a quarter") << QSize(4000, 2000) << 0.25;
  }
  void everyPixelIsThatOfItsMasks() {
    QFETCH(QSize, image);
    QFETCH(double, scale);
    const auto scene = overlapping(image, image.height() * 1.5);
    ImageCanvas canvas;
    canvas.resize(400, 300);
    canvas.setImage(plainImage(image));
    canvas.setScene(scene);
    canvas.setLayers({true, true, false, false});
    canvas.zoomToActualSize();
    canvas.zoomBy(scale);
    const double ratio = canvas.devicePixelRatioF();
    QCOMPARE(ratio, std::max(1, qEnvironmentVariableIntValue("QT_SCALE_FACTOR")));
    canvas.grab();
    QTRY_VERIFY(canvas.isReady());
    const QImage shown = canvas.grab().toImage();
    const QPointF corner = canvas.toWidget({0, 0}) * ratio;
    scale *= ratio;
    const int block = std::max(1, static_cast<int>(1 / scale));  // image px of a side
    // Of 255. Below 1 the fills of the missed and of the detections are each averaged before they
    // are blended.
    const double tolerance = scale < 1 ? 5 : 3;
    const Expected expected(*scene);
    int wrong = 0, compared = 0;
    for (int y = 0; y < shown.height(); ++y) {
      for (int x = 0; x < shown.width(); ++x) {
        const QPointF at = (QPointF(x, y) - corner) / scale;
        const int left = static_cast<int>(std::floor(at.x() + 1e-9)),
                  top = static_cast<int>(std::floor(at.y() + 1e-9));
        if (left < 0 || top < 0 || left + block > image.width() || top + block > image.height())
          continue;
        std::array<double, 3> mean{};
        for (int i = 0; i < block * block; ++i) {
          const auto one = expected.at(left + i % block, top + i / block);
          for (std::size_t c = 0; c < 3; ++c) mean[c] += one[c] / (block * block);
        }
        ++compared;
        wrong += farthest(shown.pixel(x, y), mean) > tolerance;
      }
    }
    QVERIFY(compared > 9000);
    QCOMPARE(wrong, 0);
  }

  /// As wide on the desk at any pixel ratio.
  void linesHaveTheirWidthInPixelsOfTheWidget_data() {
    QTest::addColumn<bool>("isMask");
    QTest::addColumn<double>("width");
    QTest::newRow("outline of a mask") << true << 1.8;
    QTest::newRow("box") << false << 1.0;
  }
  void linesHaveTheirWidthInPixelsOfTheWidget() {
    QFETCH(bool, isMask);
    QFETCH(double, width);
    const QSize size(80, 80);
    auto scene = std::make_shared<CanvasScene>();
    scene->imageSize = size;
    CanvasScene::Instance instance;
    instance.facts.verdict = Verdict::TruePositive;
    instance.box = QRectF(20, 20, 40, 40);
    if (isMask) instance.outline.addRect(instance.box);
    instance.colour = Qt::black;
    scene->instances.push_back(instance);
    ImageCanvas canvas;
    canvas.resize(300, 300);
    canvas.setImage(plainImage(size));
    canvas.setScene(scene);
    canvas.setLayers({.groundTruth = false, .masks = isMask, .boxes = !isMask, .labels = false});
    canvas.zoomToActualSize();
    canvas.zoomBy(3);
    const QImage shown = canvas.grab().toImage();
    const double ratio = canvas.devicePixelRatioF();
    const QPoint edge = (canvas.toWidget({20, 40}) * ratio).toPoint();
    double ink = 0;  // px of the screen, across the left edge
    for (int x = edge.x() - 8; x < edge.x() + 8; ++x)
      ink += 1 - qRed(shown.pixel(x, edge.y())) / double(qRed(kGround));
    QVERIFY2(std::abs(ink - width * ratio) < 0.2, qPrintable(QString::number(ink)));
  }

  void whatIsMovedIsAsIfDrawnAnew() {
    const QSize size(900, 700);
    QImage noise(size, QImage::Format_RGB32);
    for (int y = 0; y < size.height(); ++y)
      for (int x = 0; x < size.width(); ++x)
        noise.setPixel(x, y, qRgb((x * 7 + y) % 256, (x + y * 5) % 256, (x * y) % 256));
    auto decoded = std::make_shared<DecodedImage>();
    decoded->levels = ImageLevels(noise);
    ImageCanvas moved;
    moved.resize(300, 200);
    moved.setImage(decoded);
    moved.setScene(overlapping(size, 900));
    moved.zoomToActualSize();
    moved.zoomBy(1.7);
    const QImage still = moved.grab().toImage();
    QTest::mousePress(&moved, Qt::MiddleButton, {}, {150, 100});
    for (const QPoint to : {QPoint(140, 110), QPoint(170, 80), QPoint(110, 60), QPoint(175, 120)}) {
      QMouseEvent event(QEvent::MouseMove, to, moved.mapToGlobal(to), Qt::NoButton,
                        Qt::MiddleButton, Qt::NoModifier);
      QApplication::sendEvent(&moved, &event);
      moved.grab();
    }
    QTest::mouseRelease(&moved, Qt::MiddleButton, {}, {175, 120});
    const QImage before = moved.grab().toImage();
    QVERIFY(before != still);  // it was moved
    moved.setLayers({true, true, false, true, false});
    moved.setLayers({true, true, true, true, true});
    const QImage anew = moved.grab().toImage();
    int wrong = 0;
    for (int y = 0; y < anew.height(); ++y)
      for (int x = 0; x < anew.width(); ++x) {
        const QRgb other = anew.pixel(x, y);
        wrong += farthest(before.pixel(x, y),
                          {double(qRed(other)), double(qGreen(other)), double(qBlue(other))}) > 12;
      }
    QCOMPARE(wrong, 0);
  }
};

LOCKSTEP_TEST(TstCanvasPixels)
#include "tst_canvas_pixels.moc"
