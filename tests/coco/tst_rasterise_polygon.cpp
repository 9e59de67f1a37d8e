#include <QTest>
#include <cmath>
#include <limits>

#include "engine/coco/masks/rle.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep::coco;
using namespace lockstep::tests;

class TstRasterisePolygon : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rectangleCoversItsPixels() {
    const std::vector<double> xy{1, 1, 4, 1, 4, 3, 1, 3};
    QCOMPARE(rasterisePolygon(xy, 4, 5), drawn({".....", ".###.", ".###.", "....."}));
  }

  void windingAndStartDoNotMatter() {
    const std::vector<double> one{2, 1, 9, 3, 4, 8}, other{4, 8, 9, 3, 2, 1},
        later{9, 3, 4, 8, 2, 1};
    QCOMPARE(rasterisePolygon(one, 10, 12), rasterisePolygon(other, 10, 12));
    QCOMPARE(rasterisePolygon(one, 10, 12), rasterisePolygon(later, 10, 12));
  }

  void pixelsOutsideTheImageAreClipped() {
    const std::vector<double> xy{-1e6, -1e6, 1e6, -1e6, 1e6, 1e6, -1e6, 1e6};
    QCOMPARE(areaPx(rasterisePolygon(xy, 30, 40)), 1200U);
    const std::vector<double> far{100, 100, 200, 100, 200, 200};
    QCOMPARE(areaPx(rasterisePolygon(far, 30, 40)), 0U);
  }

  void hugeCoordinatesAreFast() {
    const std::vector<double> xy{-1e300, 5, 1e300, 5, 1e300, 9, -1e300, 9};
    QCOMPARE(areaPx(rasterisePolygon(xy, 20, 10)), 40U);
  }

  void nonFiniteCoordinateIsRefused() {
    const std::vector<double> xy{0, 0, 5, std::nan(""), 5, 5};
    QVERIFY(errorOf([&] { rasterisePolygon(xy, 9, 9); }).contains(QStringLiteral("not finite")));
  }

  void emptyImageHasNoPixels() {
    const std::vector<double> xy{0, 0, 5, 0, 5, 5};
    QCOMPARE(rasterisePolygon(xy, 0, 7).counts, (std::vector<std::uint32_t>{0}));
  }

  void runsEqualPycocotools() {
    const nlohmann::json& reference = maskReference();
    if (reference.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    int compared = 0;
    for (const auto& one : reference["polygons"]) {
      const int height = one["height"], width = one["width"];
      std::vector<Rle> masks;
      for (std::size_t i = 0; i < one["polygons"].size(); ++i) {
        const std::vector<double> xy = one["polygons"][i];
        masks.push_back(rasterisePolygon(xy, height, width));
        QCOMPARE(compressCounts(masks.back()), one["rles"][i].get<std::string>());
        ++compared;
      }
      QCOMPARE(compressCounts(merge(masks)), one["union"].get<std::string>());
    }
    QVERIFY(compared > 1000);
  }
};

LOCKSTEP_TEST(TstRasterisePolygon)
#include "tst_rasterise_polygon.moc"
