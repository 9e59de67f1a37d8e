#include <QTest>

#include "engine/base/counter_hash.h"
#include "engine/coco/masks/rle.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

using Contours = std::vector<std::vector<std::array<double, 2>>>;

namespace {

/// Pixels whose centre lies within an odd number of the contours' walls to its right.
std::vector<std::uint8_t> filled(const Contours& polygons, int height, int width) {
  std::vector<std::uint8_t> pixels(std::size_t(height) * width);
  for (const auto& corners : polygons) {
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const auto& from = corners[i];
      const auto& to = corners[(i + 1) % corners.size()];
      if (from[0] != to[0]) continue;
      for (int y = int(std::min(from[1], to[1])); y < int(std::max(from[1], to[1])); ++y) {
        for (int x = 0; x < int(from[0]); ++x) pixels[std::size_t(y) * width + x] ^= 1;
      }
    }
  }
  return pixels;
}

/// Positive where the polygon runs clockwise on a screen.
double signedArea(const std::vector<std::array<double, 2>>& corners) {
  double twice = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto& from = corners[i];
    const auto& to = corners[(i + 1) % corners.size()];
    twice += from[0] * to[1] - to[0] * from[1];
  }
  return twice / 2;
}

}  // namespace

class TstContours : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rectangleHasItsFourCorners() {
    const Contours found = contours(drawn({"....", ".##.", ".##.", "...."}));
    QCOMPARE(found, (Contours{{{3, 1}, {3, 3}, {1, 3}, {1, 1}}}));
  }

  void holeRunsTheOtherWay() {
    const Contours found = contours(drawn({"###", "#.#", "###"}));
    QCOMPARE(found.size(), 2U);
    QCOMPARE(signedArea(found[0]), 9.0);
    QCOMPARE(signedArea(found[1]), -1.0);
  }

  void pixelsThatTouchAtACornerAreNotConnected() {
    QCOMPARE(contours(drawn({"#.", ".#"})).size(), 2U);
    QCOMPARE(contours(drawn({".#", "#."})).size(), 2U);
  }

  void emptyMaskHasNone() {
    QVERIFY(contours(drawn({"...", "..."})).empty());
    QVERIFY(contours(Rle{0, 0, {0}}).empty());
  }

  void contoursEncloseTheMask() {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const int height = 1 + int(seed % 17), width = 1 + int(seed * 7 % 90);
      std::vector<std::uint8_t> pixels(std::size_t(height) * width);
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = base::counterUniform({seed, i}) < 0.6;
      }
      const Rle rle = encodeMask(pixels.data(), height, width, width);
      const Contours found = contours(rle);
      QCOMPARE(filled(found, height, width), pixels);
      double area = 0;
      for (const auto& corners : found) area += signedArea(corners);
      QCOMPARE(area, double(areaPx(rle)));
    }
  }
};

LOCKSTEP_TEST(TstContours)
#include "tst_contours.moc"
