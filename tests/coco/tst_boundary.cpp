#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <random>

#include "engine/coco/masks/boundary.h"
#include "tests/coco/made_set.h"
#include "tests/coco/match_image.h"
#include "tests/coco/reference.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

/// The definition of boundaryOf, pixel by pixel.
Rle plainBoundary(const Rle& mask, int depthPx) {
  const int height = mask.height, width = mask.width;
  const std::vector<std::uint8_t> pixels = decodeMask(mask);
  std::vector<std::uint8_t> boundary(pixels.size(), 0);
  const auto isInside = [&](int x, int y) {
    return x >= 0 && y >= 0 && x < width && y < height && pixels[std::size_t(y) * width + x] != 0;
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (!isInside(x, y)) continue;
      for (int dy = -depthPx; dy <= depthPx; ++dy) {
        for (int dx = -depthPx; dx <= depthPx; ++dx) {
          if (!isInside(x + dx, y + dy)) boundary[std::size_t(y) * width + x] = 1;
        }
      }
    }
  }
  return encodeMask(boundary.data(), height, width, width);
}

int randomInt(std::mt19937& random, int least, int most) {
  return least + int(random() % unsigned(most - least + 1));
}

/// Noise of some density, or a disc with holes, which may reach over the edges.
Rle randomMask(std::mt19937& random, int height, int width) {
  const bool isDisc = random() % 2 == 0;
  const unsigned percents[] = {0, 50, 90, 98, 100};
  const unsigned inside = percents[random() % 5];
  const int centreX = randomInt(random, 0, width), centreY = randomInt(random, 0, height);
  const int radius = randomInt(random, 1, std::max(height, width));
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int dx = x - centreX, dy = y - centreY;
      const bool isIn = isDisc ? dx * dx + dy * dy < radius * radius && random() % 200 != 0
                               : random() % 100 < inside;
      pixels.push_back(isIn);
    }
  }
  return encodeMask(pixels.data(), height, width, width);
}

Rle rectangle(int height, int width, PixelBox box) {
  std::vector<std::uint8_t> pixels(std::size_t(height) * width, 0);
  for (int y = box.y0; y < box.y1; ++y) {
    for (int x = box.x0; x < box.x1; ++x) pixels[std::size_t(y) * width + x] = 1;
  }
  return encodeMask(pixels.data(), height, width, width);
}

Annotation annotationOf(const Rle& mask, bool isCrowd = false) {
  Annotation annotation;
  annotation.id = 1;
  annotation.imageId = {1};
  annotation.categoryId = {1};
  annotation.boxXywh = boundingBoxXywh(mask);
  annotation.area = double(areaPx(mask));
  annotation.isCrowd = isCrowd;
  annotation.segmentation = mask;
  return annotation;
}

Detection detectionOf(const Rle& mask) { return {{1}, {1}, .9, boundingBoxXywh(mask), mask}; }

double iouOf(const Rle& detection, const Annotation& annotation, IouType type) {
  return matchImage(kMadeImage, {annotation}, {detectionOf(detection)}, type, 0, 0)
      .iouOfDetection[0];
}

}  // namespace

/// In kMadeImage a boundary is 3 px deep.
class TstBoundary : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (python().isEmpty()) return;
    QStringList arguments{folder_.path()};
    const std::filesystem::path data = realData("coco-eval").parent_path();
    if (!data.empty()) arguments << QString::fromStdString(data.string());
    const QString failure = runReference("coco_boundary_reference.py", arguments);
    QVERIFY2(failure.isEmpty(), qPrintable(failure));
    expected_ = readJson(folder_.filePath(QStringLiteral("expected.json")).toStdString());
  }

  void depthIsTwoPercentOfTheDiagonal_data() {
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("depth");
    QTest::newRow("of COCO") << 480 << 640 << 16;
    QTest::newRow("at least one") << 1 << 9 << 1;
    QTest::newRow("0.5") << 15 << 20 << 1;
    QTest::newRow("1.5 to the even") << 45 << 60 << 2;
    QTest::newRow("2.5 to the even") << 75 << 100 << 2;
    QTest::newRow("6.5 to the even") << 125 << 300 << 6;
    QTest::newRow("large") << 40000 << 30000 << 1000;
  }
  void depthIsTwoPercentOfTheDiagonal() {
    QFETCH(int, height);
    QFETCH(int, width);
    QFETCH(int, depth);
    QCOMPARE(boundaryDepthPx(height, width), depth);
  }

  void interiorOfASquareWithAHoleIsExcluded() {
    QCOMPARE(boundaryOf(drawn({"...........",  //
                               ".#########.",  //
                               ".#########.",  //
                               ".#########.",  //
                               ".####.####.",  //
                               ".#########.",  //
                               ".#########."}),
                        1),
             drawn({"...........",  //
                    ".#########.",  //
                    ".#.......#.",  //
                    ".#..###..#.",  // corners of the hole count too
                    ".#..#.#..#.",  //
                    ".#..###..#.",  //
                    ".#########."}));
  }

  void imageEdgeIsOutside() {
    QCOMPARE(boundaryOf(drawn({"#####", "#####", "#####", "#####", "#####"}), 2),
             drawn({"#####", "#####", "##.##", "#####", "#####"}));
    QCOMPARE(boundaryOf(drawn({"####.", "####.", "####.", "####.", "####."}), 1),
             drawn({"####.", "#..#.", "#..#.", "#..#.", "####."}));
  }

  void thinMaskIsAllBoundary() {
    const Rle thin = rectangle(60, 60, {10, 10, 50, 16});
    QCOMPARE(boundaryOf(thin, 3), thin);
    QVERIFY(isAllBoundary(boundingPixels(thin), 3));
    QVERIFY(!isAllBoundary(boundingPixels(thin), 2));
    const Rle empty = rectangle(60, 60, {});
    QCOMPARE(boundaryOf(empty, 3), empty);
    QCOMPARE(boundaryOf(Rle{0, 0, {0}}, 1), (Rle{0, 0, {0}}));
  }

  void runsSeparatedByAnEmptyRunAreMerged() {
    const Rle whole{5, 5, {0, 25}}, parted{5, 5, {0, 7, 0, 10, 0, 8, 0}};
    QCOMPARE(boundaryOf(parted, 1), boundaryOf(whole, 1));
    QCOMPARE(areaPx(boundaryOf(whole, 1)), 16U);
  }

  void countsOfAnotherSizeAreRefused() {
    const QString error = errorOf([] { boundaryOf(Rle{5, 5, {0, 26}}, 1); });
    QVERIFY2(error.contains(QStringLiteral("do not sum to height x width")), qPrintable(error));
  }

  void boundaryEqualsTheDefinition() {
    std::mt19937 random(6);
    for (int i = 0; i < 1500; ++i) {
      const int height = randomInt(random, 1, 70), width = randomInt(random, 1, 90);
      const Rle mask = randomMask(random, height, width);
      const int depth = random() % 2 == 0 ? boundaryDepthPx(height, width) : 1 + int(random() % 12);
      QVERIFY2(boundaryOf(mask, depth) == plainBoundary(mask, depth),
               qPrintable(QStringLiteral("mask %1, depth %2").arg(i).arg(depth)));
    }
  }

  void iouIsTheSmallerOfMaskAndBoundary() {
    const Rle large = rectangle(100, 100, {10, 10, 80, 80}),
              moved = rectangle(100, 100, {12, 12, 82, 82});
    const Rle edges = plainBoundary(large, 3), movedEdges = plainBoundary(moved, 3);
    const double ofMasks = maskIou(moved, large), ofEdges = maskIou(movedEdges, edges);
    QVERIFY(ofEdges < ofMasks);
    QCOMPARE(iouOf(moved, annotationOf(large), IouType::Mask), ofMasks);
    QCOMPARE(iouOf(moved, annotationOf(large), IouType::Boundary), ofEdges);
    // A ring that is all boundary, and a full square: the mask IoU is the lower one.
    QCOMPARE(iouOf(edges, annotationOf(large), IouType::Boundary), maskIou(edges, large));
    QVERIFY(maskIou(edges, edges) > maskIou(edges, large));
  }

  void lowIousUseBoundariesToo() {
    const Rle large = rectangle(100, 100, {10, 10, 80, 80}),
              far = rectangle(100, 100, {40, 40, 98, 98});
    const double ofMasks = maskIou(far, large);
    const double ofEdges = maskIou(plainBoundary(far, 3), plainBoundary(large, 3));
    QVERIFY(ofMasks < .5 && ofEdges < ofMasks);
    QCOMPARE(iouOf(far, annotationOf(large), IouType::Boundary), ofEdges);
  }

  void boundaryIouOfThinMasksIsTheMaskIou() {
    const Rle thin = rectangle(100, 100, {10, 10, 80, 16});
    const Rle moved = rectangle(100, 100, {10, 11, 80, 17});
    const Rle large = rectangle(100, 100, {10, 10, 80, 20});
    QCOMPARE(iouOf(moved, annotationOf(thin), IouType::Boundary), maskIou(moved, thin));
    QCOMPARE(iouOf(moved, annotationOf(large), IouType::Boundary),
             maskIou(moved, plainBoundary(large, 3)));
  }

  void crowdsUseMaskIouOnly() {
    const Rle large = rectangle(100, 100, {0, 0, 90, 90}),
              within = rectangle(100, 100, {20, 20, 60, 60});
    QCOMPARE(iouOf(within, annotationOf(large, true), IouType::Boundary), 1.0);
    QVERIFY(iouOf(within, annotationOf(large), IouType::Boundary) < .01);
  }

  void metricsUseBoundaries() {
    const Rle large = rectangle(100, 100, {10, 10, 80, 80}),
              moved = rectangle(100, 100, {12, 12, 82, 82});
    const Dataset truth =
        Dataset::fromParts({kMadeImage}, {{{1}, "cell"}}, {annotationOf(large)}, "made");
    const auto found = [&](IouType type) {
      return evaluate(truth, {detectionOf(moved)}, type).stats;
    };
    QVERIFY(std::abs(found(IouType::Mask)[0] - .8) < 1e-12);  // IoU 0.893 passes 0.5 … 0.85
    QCOMPARE(found(IouType::Boundary)[0], 0.0);               // IoU 0.28
    const auto exact = evaluate(truth, {detectionOf(large)}, IouType::Boundary).stats;
    QVERIFY(std::abs(exact[0] - 1) < 1e-12);
  }

  void metricsEqualPycocotoolsWithBoundariesBitForBit() {
    if (expected_.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    QVERIFY(expected_.size() >= 12);
    for (const auto& one : expected_) {
      for (const int threads : {1, 5}) compareFigures(one, "stats", threads, 0);
    }
  }

  void metricsEqualFasterCocoEval() {
    if (expected_.is_null() || expected_[0]["faster"].is_null()) {
      QSKIP("needs faster-coco-eval (packaging/setup.sh --dev)");
    }
    for (const auto& one : expected_) compareFigures(one, "faster", 1, 1e-13);
  }

 private:
  static void compareFigures(const nlohmann::json& one, const char* key, int threads,
                             double tolerance) {
    const Dataset truth = Dataset::load(one["gt"].get<std::string>());
    const std::vector<Detection> detections = loadDetections(one["dt"].get<std::string>());
    std::vector<ImageId> ids;
    for (std::int64_t id : one["image_ids"]) ids.push_back({id});
    const std::array<double, 12> theirs = one[key];
    const auto found = evaluate(truth, detections, IouType::Boundary, ids, {}, threads);
    const auto& ours = found.stats;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      QVERIFY2(std::abs(ours[i] - theirs[i]) <= tolerance,
               qPrintable(QStringLiteral("%1 %2: %3, %4 %5")
                              .arg(QString::fromStdString(one["name"]),
                                   QString::fromStdString(found.names[i]),
                                   QString::number(ours[i], 'g', 17), QString::fromUtf8(key),
                                   QString::number(theirs[i], 'g', 17))));
    }
  }

  QTemporaryDir folder_;
  nlohmann::json expected_;
};

LOCKSTEP_TEST(TstBoundary)
#include "tst_boundary.moc"
