#include <QTest>

#include "tests/formats/made_sources.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using formats::ImportReport;
using tests::messageOf;
using tests::SourceFolder;

namespace {

/// Two images with an object each, whose area is `area`.
std::string cocoText(const std::string& area) {
  std::string images, annotations;
  for (const std::string id : {"1", "2"}) {
    const std::string comma = id == "1" ? "" : ", ";
    images += comma + "{\"id\": " + id + ", \"file_name\": \"" + id +
              ".png\", \"width\": 40, \"height\": 30}";
    annotations += comma + "{\"id\": " + id + ", \"image_id\": " + id +
                   ", \"category_id\": 1, \"area\": " + area +
                   ", \"bbox\": [1, 1, 8, 8], \"segmentation\": [[1, 1, 9, 1, 9, 9, 1, 9]]}";
  }
  return "{\"images\": [" + images + "], \"categories\": [{\"id\": 1, \"name\": \"x\"}], " +
         "\"annotations\": [" + annotations + "]}";
}

}  // namespace

/// The only annotation file is damaged, or still in an archive.
class TstDamagedSources : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theFileAndThePlaceOfItsFaultAreNamed_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* title, const char* name, const std::string& text,
                        const char* message) {
      QTest::newRow(title) << QString::fromUtf8(name) << QByteArray::fromStdString(text)
                           << QString::fromUtf8(message);
    };
    const std::string whole = cocoText("64");
    row("cut", "a.json", whole.substr(0, 100), "a.json:1:101: invalid JSON at byte 101: ");
    row("a comma too many", "a.json", "{\"images\": [],\n}",
        "a.json:2:1: invalid JSON at byte 16: ");
    row("single quotes", "a.json", "{'images': []}", "a.json:1:2: invalid JSON at byte 2: ");
    row("xml", "a.xml", "<annotation>\n<object></annotation>", "a.xml:2: invalid XML: ");
    row("zip", "export.zip", "PK\x03\x04 and more", "export.zip: is an archive; unpack it");
    row("gzip", "export.json.gz", "\x1f\x8b and more", "export.json.gz: is an archive; unpack it");
  }
  void theFileAndThePlaceOfItsFaultAreNamed() {
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    const SourceFolder folder;
    folder.writeImage("1.png");
    folder.write(name.toStdString(), text.toStdString());
    for (const std::filesystem::path& source :
         {folder.path(), folder.path() / name.toStdString()}) {
      const std::string found = messageOf([&] { folder.import({.source = source}); });
      QVERIFY2(found.find(message.toStdString()) != std::string::npos, found.c_str());
    }
  }

  void furtherDamagedFilesAreCounted() {
    const SourceFolder folder;
    for (const char* name : {"a.json", "b.json", "c.json"}) folder.write(name, "{");
    const std::string found = messageOf([&] { folder.import(); });
    QVERIFY2(found.ends_with("; 2 other files are damaged too"), found.c_str());
  }

  void entriesWithNaNAreReadAsFarAsTheyCanBe() {
    const SourceFolder folder;
    folder.writeImage("1.png");
    folder.writeImage("2.png");
    folder.write("a.json", cocoText("NaN"));
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    QCOMPARE(folder.imported().size(), 2U);
  }

  /// Their right values are in tst_lenient_dataset.
  void goodPartsOfCocoObjectsAreKeptAndTheOthersNamed() {
    const SourceFolder folder;
    folder.writeImage("a.png", 64, 48);
    folder.write("a.json", R"({"categories": [{"id": 1, "name": "part"}],
      "images": [{"id": 1, "file_name": "a.png", "width": 64, "height": 48}], "annotations": [
      {"id": 11, "image_id": 1, "category_id": 1, "bbox": [40, 12, 16, 18], "segmentation": [[40, 12, 56, 30]]},
      {"id": 12, "image_id": 1, "category_id": 1, "segmentation": [[32, 24], [20, 8, 44, 8, 44, 20, 20, 20]]},
      {"id": 13, "image_id": 1, "category_id": 1, "segmentation": [5, 25, 15, 25, 15, 35, 5, 35]},
      {"id": 14, "image_id": 1, "category_id": 1, "bbox": [5, 30, 0, 0], "segmentation": [[5, 30, 5, 30, 5, 30]]}]})");
    const ImportReport report = folder.import();
    const std::string faults = tests::faultsOf(report);
    for (const char* named :
         {"a.json: annotation 11 (image 1): polygon has 2 points; a polygon needs at least 3",
          "a.json: annotation 12 (image 1): polygon 1 of 2 has 1 point",
          "a.json: annotation 13: segmentation contains a number",
          "a.png: part: 1 polygon without an area", "a.png: part: a box has no area"})
      QVERIFY2(faults.find(named) != std::string::npos, faults.c_str());
    const std::vector<tests::Expected> found = folder.imported();
    QCOMPARE(found.size(), 3U);
    QCOMPARE(coco::areaPx(found[0].mask), 100U);
    QCOMPARE(coco::areaPx(found[1].mask), 288U);
    QCOMPARE(found[2].mask.height, 0);
    QCOMPARE(found[2].boxXywh, (std::array<double, 4>{40, 12, 16, 18}));
  }
};

LOCKSTEP_TEST(TstDamagedSources)
#include "tst_damaged_sources.moc"
