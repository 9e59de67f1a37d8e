#include <QTest>
#include <algorithm>
#include <array>
#include <map>

#include "engine/formats/export.h"
#include "tests/formats/made_sources.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::Expected;
using tests::SourceFolder;
namespace fs = std::filesystem;

/// Exports to each format and imports that again.
class TstRoundTrip : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void exportsAreImportedAgain_data() {
    QTest::addColumn<int>("format");
    for (const auto& one : base::kEnumTexts<formats::ExportFormat>)
      QTest::newRow(one.text) << static_cast<int>(one.value);
  }
  void exportsAreImportedAgain() {
    QFETCH(int, format);
    const SourceFolder folder;
    tests::madeSources()[0].write(folder);
    folder.import();
    const std::vector<Expected> expected = folder.imported();
    check(folder, folder.out(), static_cast<formats::ExportFormat>(format), expected);
  }

  /// Masks without a pixel, outlines beyond the image, names that no folder can have, crowds.
  void oddObjectsSurviveOrAreCounted_data() { exportsAreImportedAgain_data(); }
  void oddObjectsSurviveOrAreCounted() {
    QFETCH(int, format);
    const SourceFolder folder;
    folder.writeImage("a.png");
    folder.write("odd.json",
                 R"({"images": [{"id": 1, "file_name": "a.png", "width": 40, "height": 30}],
      "categories": [{"id": 0, "name": "a/b"}, {"id": 1, "name": "a-b"}, {"id": 2, "name": ".hid"}],
      "annotations": [
      {"image_id": 1, "category_id": 0, "segmentation": [[5.1, 5.1, 5.2, 5.1, 5.2, 5.2], [9.1, 9.1, 9.2, 9.1, 9.2, 9.2]]},
      {"image_id": 1, "category_id": 0, "segmentation": [[-5, -5, 10, -5, 10, 10, -5, 10]]},
      {"image_id": 1, "category_id": 1, "segmentation": [[12, 1, 20, 1, 20, 9]]},
      {"image_id": 1, "category_id": 2, "segmentation": [[30, 10, 50, 10, 50, 40, 30, 40]]},
      {"image_id": 1, "category_id": 1, "iscrowd": 1, "segmentation": [[1, 20, 5, 20, 5, 25], [8, 20, 12, 20, 12, 25]]}]})");
    folder.import();
    std::vector<Expected> expected = folder.imported();
    QCOMPARE(expected.size(), 5U);
    const fs::path exported = folder.path() / "exported";
    const auto kind = static_cast<formats::ExportFormat>(format);
    const formats::ExportReport report =
        formats::exportDataset({folder.out(), exported, kind}, worker::DatasetImages());
    QCOMPARE(report.losses.count("objects with an empty mask: left out"), 1U);
    const formats::ImportReport again = folder.import({.source = exported});
    QVERIFY2(again.faults.empty(), tests::faultsOf(again).c_str());
    const std::vector<Expected> found = folder.imported();
    std::erase_if(expected, [&](const Expected& object) {
      return coco::areaPx(object.mask) == 0 ||
             (object.isCrowd && kind != formats::ExportFormat::LabelMe);
    });
    QCOMPARE(found.size(), expected.size());
    for (const Expected& object : expected) {
      const bool isThere = std::ranges::any_of(found, [&](const Expected& other) {
        return other.mask == object.mask && other.isCrowd == object.isCrowd;
      });
      QVERIFY2(isThere, object.text().c_str());
    }
  }

  /// Real annotations: many polygons an object, holes, crowds, 80 classes.
  void realAnnotationsSurvive_data() { exportsAreImportedAgain_data(); }
  void realAnnotationsSurvive() {
    const QString data = QString::fromLocal8Bit(qgetenv("LOCKSTEP_TEST_DATA"));
    if (data.isEmpty()) QSKIP("LOCKSTEP_TEST_DATA is not set");
    QFETCH(int, format);
    const SourceFolder folder;
    folder.import({.source = fs::path(data.toStdString()) / "coco-tiny"});
    check(folder, folder.out(), static_cast<formats::ExportFormat>(format), folder.imported());
  }

 private:
  /// Masks keep no crowds and no overlaps, YOLO and CVAT no crowds; else everything is the same.
  static void check(const SourceFolder& folder, const fs::path& dataset,
                    formats::ExportFormat format, std::vector<Expected> expected) {
    const fs::path exported = folder.path() / "exported";
    fs::remove_all(exported);
    fs::create_directories(folder.path());
    const formats::ExportReport report =
        formats::exportDataset({dataset, exported, format}, worker::DatasetImages());
    for (const formats::Fault& fault : report.faults) QVERIFY2(false, fault.text().c_str());
    QCOMPARE(report.objects, static_cast<std::int64_t>(expected.size()));
    const std::vector<std::string> heldOut = folder.imagesOf("val");
    const formats::ImportReport again = folder.import({.source = exported});
    QVERIFY(!again.isSplitAnew);
    QCOMPARE(folder.imagesOf("val"), heldOut);
    const std::vector<Expected> found = folder.imported();
    if (format != formats::ExportFormat::LabelMe)
      std::erase_if(expected, [](const Expected& object) { return object.isCrowd; });
    if (format == formats::ExportFormat::Masks) return checkOverlaps(report, found, expected);
    QVERIFY2(again.faults.empty(), tests::faultsOf(again).c_str());
    QCOMPARE(found.size(), expected.size());
    std::size_t different = 0;
    std::string first;
    for (const Expected& object : expected) {
      if (isIn(found, object, format == formats::ExportFormat::Yolo)) continue;
      if (different++ < 3) first += "\n  " + object.text();
    }
    QVERIFY2(different == 0, (std::to_string(different) + first).c_str());
  }

  /// YOLO's coordinates are shares of a side: times the side they are the same but for the last
  /// bit, which at a pixel's edge is a pixel.
  static bool isIn(const std::vector<Expected>& found, const Expected& object, bool isRounded) {
    return std::ranges::any_of(found, [&](const Expected& other) {
      if (!isRounded || object.mask.height == 0) return other == object;
      return other.image == object.image && other.category == object.category &&
             other.mask.height > 0 && coco::maskIou(other.mask, object.mask) >= .99;
    });
  }

  static std::map<std::pair<std::string, std::string>, coco::Rle> unions(
      const std::vector<Expected>& objects) {
    std::map<std::pair<std::string, std::string>, coco::Rle> all;
    for (const Expected& object : objects) {
      if (coco::areaPx(object.mask) == 0) continue;
      const auto [found, isNew] = all.try_emplace({object.image, object.category}, object.mask);
      if (!isNew) found->second = coco::merge(std::array{found->second, object.mask});
    }
    return all;
  }

  static void checkOverlaps(const formats::ExportReport& report, const std::vector<Expected>& found,
                            const std::vector<Expected>& expected) {
    // Whoever has a pixel, each class of an image has the same ones together.
    QVERIFY(unions(found) == unions(expected));
    std::size_t different = 0;
    for (const Expected& object : expected) different += std::ranges::count(found, object) == 0;
    std::int64_t overlapping = 0;
    for (const auto& [what, count] : report.losses)
      if (what.find("overlap") != std::string::npos) overlapping = count;
    // An overlap changes the earlier object; one that is hidden whole is gone.
    QVERIFY2(static_cast<std::int64_t>(different) <= 2 * overlapping,
             (std::to_string(different) + " of " + std::to_string(expected.size()) +
              ", overlaps: " + std::to_string(overlapping))
                 .c_str());
  }
};

LOCKSTEP_TEST(TstRoundTrip)
#include "tst_round_trip.moc"
