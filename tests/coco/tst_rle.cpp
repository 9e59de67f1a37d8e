#include <QTest>

#include "engine/base/error.h"
#include "engine/coco/masks/rle.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

std::vector<std::uint8_t> pixelsOf(const nlohmann::json& rows) {
  std::vector<std::uint8_t> pixels;
  for (const std::string row : rows) {
    for (char digit : row) pixels.push_back(static_cast<std::uint8_t>(digit - '0'));
  }
  return pixels;
}

Rle rleOf(const nlohmann::json& described) {
  return {described["size"][0], described["size"][1], described["counts"]};
}

}  // namespace

class TstRle : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runsAreColumnMajor() {
    const Rle rle = drawn({"..#", ".##"});
    QCOMPARE(rle.counts, (std::vector<std::uint32_t>{3, 3}));
    QCOMPARE(drawn({"#.", ".."}).counts, (std::vector<std::uint32_t>{0, 1, 3}));
  }

  void emptyAndFullMasksHaveTheirRuns() {
    QCOMPARE(drawn({"..", ".."}).counts, (std::vector<std::uint32_t>{4}));
    QCOMPARE(drawn({"##", "##"}).counts, (std::vector<std::uint32_t>{0, 4}));
    QCOMPARE(encodeMask(nullptr, 0, 5, 5).counts, (std::vector<std::uint32_t>{0}));
    QVERIFY(decodeMask(Rle{0, 5, {0}}).empty());
  }

  void cutoutHasThePixelsOfItsBox() {
    const Rle rle = drawn({".....", "..##.", ".##..", "....."});
    const MaskCrop cut = crop(rle);
    QCOMPARE((std::array{cut.x, cut.y, cut.width, cut.height}), (std::array{1, 1, 3, 2}));
    QCOMPARE(cut.pixels, (std::vector<std::uint8_t>{0, 1, 1, 1, 1, 0}));
    const MaskCrop whole = crop(drawn({"##", "##"}));  // one run over both columns
    QCOMPARE(whole.pixels, (std::vector<std::uint8_t>{1, 1, 1, 1}));
    QVERIFY(crop(drawn({"..", ".."})).pixels.empty());
    QVERIFY_THROWS_EXCEPTION(Error, crop(Rle{2, 2, {1, 9}}));
  }

  void nonzeroIsForegroundAndTheRowStrideIsUsed() {
    const std::vector<std::uint8_t> pixels{0, 255, 9, 7, 2, 0, 9, 9};  // 2 x 2 in rows of 4
    QCOMPARE(encodeMask(pixels.data(), 2, 2, 4).counts, (std::vector<std::uint32_t>{1, 2, 1}));
  }

  void emptyMaskHasNoAreaAndNoBox() {
    const Rle empty = drawn({"...", "..."});
    QCOMPARE(areaPx(empty), 0U);
    QCOMPARE(boundingBoxXywh(empty), (std::array<double, 4>{0, 0, 0, 0}));
    QCOMPARE(maskIou(empty, empty), 0.0);
  }

  void emptyRunsChangeNeitherBoxNorOverlap() {
    const Rle plain = drawn({"....", ".##.", "...."});
    const Rle odd{3, 4, {1, 0, 3, 1, 2, 1, 4, 0}};
    QCOMPARE(boundingBoxXywh(odd), boundingBoxXywh(plain));
    QCOMPARE(decodeMask(odd), decodeMask(plain));
    QCOMPARE(maskIou(odd, plain), 1.0);
    QCOMPARE(merge(std::array{odd, odd}), plain);
  }

  void masksOfDifferentSizesAreNotCompared() {
    const Rle small = drawn({"#"}), wide = drawn({"##"});
    QVERIFY(errorOf([&] { maskIou(small, wide); }).contains(QStringLiteral("different sizes")));
    QVERIFY(errorOf([&] {
              merge(std::array{small, wide});
            }).contains(QStringLiteral("different sizes")));
  }

  void countsOfWrongSumAreNotDecoded() {
    QVERIFY(errorOf([] {
              decodeMask(Rle{2, 2, {9}});
            }).contains(QStringLiteral("do not sum to height x width")));
  }

  void mergingNothingGivesNothing() { QCOMPARE(merge({}), Rle{}); }

  void malformedTextIsRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("problem");
    QTest::newRow("ends in a number") << QByteArray("X") << QStringLiteral("truncated");
    QTest::newRow("invalid character") << QByteArray("\"1") << QStringLiteral("character");
    QTest::newRow("beyond the alphabet") << QByteArray("p") << QStringLiteral("character");
    QTest::newRow("too long a number")
        << QByteArray("XXXXXXXXXXXX1") << QStringLiteral("out of range");
    QTest::newRow("negative") << QByteArray("O") << QStringLiteral("negative");
    QTest::newRow("wrong sum") << QByteArray("21") << QStringLiteral("do not sum");
    QTest::newRow("nothing") << QByteArray() << QStringLiteral("do not sum");
  }
  void malformedTextIsRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, problem);
    const QString error = errorOf([&] { decompressCounts(text.toStdString(), 2, 2); });
    QVERIFY2(error.contains(problem), qPrintable(error));
    QVERIFY2(error.contains(QStringLiteral("2 x 2 px")), qPrintable(error));
  }

  void masksEqualPycocotools() {
    const nlohmann::json& reference = maskReference();
    if (reference.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : reference["masks"]) {
      const int height = one["height"], width = one["width"];
      std::vector<Rle> masks;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::vector<std::uint8_t> pixels = pixelsOf(one["pixels"][i]);
        masks.push_back(encodeMask(pixels.data(), height, width, width));
        compare(masks.back(), one["rles"][i]);
        QCOMPARE(decodeMask(masks.back()), pixels);
      }
      QCOMPARE(maskIou(masks[0], masks[1]), one["iou"][0].get<double>());
      QCOMPARE(maskIou(masks[0], masks[1], true), one["iou"][1].get<double>());
      compare(merge(masks), one["union"]);
      compare(merge(masks, true), one["intersection"]);
      if (QTest::currentTestFailed()) return;
    }
  }

 private:
  static void compare(const Rle& ours, const nlohmann::json& theirs) {
    const std::string text = theirs["text"];
    QCOMPARE(ours, rleOf(theirs));
    QCOMPARE(compressCounts(ours), text);
    QCOMPARE(decompressCounts(text, ours.height, ours.width), ours);
    QCOMPARE(areaPx(ours), theirs["area"].get<std::uint64_t>());
    QCOMPARE(boundingBoxXywh(ours), (theirs["bbox"].get<std::array<double, 4>>()));
  }
};

LOCKSTEP_TEST(TstRle)
#include "tst_rle.moc"
