#include <QTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/base64.h"
#include "engine/config/load.h"
#include "engine/formats/export.h"
#include "tests/formats/made_sources.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using formats::ImportReport;
using nlohmann::json;
using tests::SourceFolder;
namespace fs = std::filesystem;

namespace {

/// LabelMe files of which two hold their pictures; that of the third lies beside it.
void writeSource(const SourceFolder& folder) {
  folder.writeImage("b.png");
  const std::string picture = base::readFile(folder.path() / "b.png");
  for (const std::string name : {"one/a", "two/a", "b"}) {
    folder.write(name + ".json",
                 json{{"imagePath", fs::path(name).filename().string() + ".png"},
                      {"imageHeight", 30},
                      {"imageWidth", 40},
                      {"imageData", base::encodeBase64(picture)},
                      {"shapes", {{{"label", "cat"}, {"points", {{1, 1}, {9, 1}, {9, 9}}}}}}}
                     .dump());
  }
}

/// The files of a part's images.
std::vector<fs::path> filesOf(const SourceFolder& folder, const std::string& part) {
  const config::LoadedExperiment loaded = config::loadExperiment(folder.out() / "experiment.yaml");
  const auto& dataset = loaded.experiment.dataset;
  std::vector<fs::path> files;
  const json root = json::parse(base::readFile(folder.annotationsOf(part)));
  for (const json& image : root["images"])
    files.push_back(fs::path((part == "train" ? dataset.train : dataset.val).images) /
                    image["file_name"].get<std::string>());
  return files;
}

}  // namespace

/// Pictures that LabelMe files hold.
class TstEmbeddedImages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theyAreWrittenOut_data() {
    QTest::addColumn<bool>("copiesImages");
    QTest::newRow("referred to") << false;
    QTest::newRow("copied") << true;
  }
  void theyAreWrittenOut() {
    QFETCH(bool, copiesImages);
    const SourceFolder folder;
    writeSource(folder);
    const ImportReport report = folder.import({.copiesImages = copiesImages});
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    QCOMPARE(report.train.images + report.val.images, 3);
    QCOMPARE(folder.imported().size(), 3U);
    for (const std::string part : {"train", "val"})
      for (const fs::path& file : filesOf(folder, part)) QVERIFY2(fs::exists(file), file.c_str());
    QCOMPARE(fs::exists(folder.out() / "images/one/a.png"), !copiesImages);
    QCOMPARE(fs::exists(folder.out() / "images/b.png"), false);
    QVERIFY(!fs::exists(folder.path() / "one/a.png"));
  }

  /// The place where they are written must not count.
  void theSplitIsTheSameEachTime() {
    const SourceFolder folder, other;
    writeSource(folder);
    writeSource(other);
    folder.import();
    other.import();
    QCOMPARE(folder.imagesOf("val"), other.imagesOf("val"));
  }

  void exportsHaveThem() {
    const SourceFolder folder;
    writeSource(folder);
    const formats::ExportReport report = formats::exportDataset(
        {.source = folder.path(), .out = folder.out()}, worker::DatasetImages());
    QCOMPARE(report.images, 3);
    int pictures = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder.out())) {
      pictures += entry.path().extension() == ".png";
      QVERIFY2(!entry.path().filename().string().starts_with("."), entry.path().c_str());
    }
    QCOMPARE(pictures, 3);
  }

  void whatIsNoImageIsAFault() {
    const SourceFolder folder;
    writeSource(folder);
    folder.write("c.json",
                 R"({"imagePath": "c.png", "imageData": "bm90IGFuIGltYWdl", "shapes": []})");
    const ImportReport report = folder.import();
    QCOMPARE(report.faults.size(), 1U);
    QCOMPARE(report.faults[0].text(),
             std::string("c.json: imageData: is neither a JPEG nor a PNG"));
  }
};

LOCKSTEP_TEST(TstEmbeddedImages)
#include "tst_embedded_images.moc"
