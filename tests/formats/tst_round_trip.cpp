#include <QTest>
#include <algorithm>

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
    const formats::ImportReport again = folder.import({.source = exported});
    const std::vector<Expected> found = folder.imported();
    if (format != formats::ExportFormat::LabelMe)
      std::erase_if(expected, [](const Expected& object) { return object.isCrowd; });
    if (format == formats::ExportFormat::Masks) return checkOverlaps(report, found, expected);
    for (const formats::Fault& fault : again.faults) QVERIFY2(false, fault.text().c_str());
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

  static void checkOverlaps(const formats::ExportReport& report, const std::vector<Expected>& found,
                            const std::vector<Expected>& expected) {
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
