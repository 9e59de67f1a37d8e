#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/config/load.h"
#include "engine/formats/format.h"
#include "tests/formats/made_sources.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using formats::Format;
using formats::ImportReport;
using nlohmann::json;
namespace fs = std::filesystem;
using tests::Expected;
using tests::messageOf;
using tests::SourceFolder;

namespace {

/// Cityscapes has no cats and dogs.
std::vector<Expected> expectedIn(Format format) {
  std::vector<Expected> expected = tests::expectedObjects();
  for (Expected& object : expected) {
    if (format == Format::Cityscapes) {
      object.category = object.category == "cat" ? "car" : "person";
      object.image += "_leftImg8bit";
    }
  }
  return expected;
}

std::string difference(const std::vector<Expected>& found, const std::vector<Expected>& expected) {
  std::string text;
  for (const Expected& object : found)
    if (std::ranges::count(expected, object) == 0) text += "\n  too much: " + object.text();
  for (const Expected& object : expected)
    if (std::ranges::count(found, object) == 0) text += "\n  missing: " + object.text();
  return text;
}

}  // namespace

/// Small sets of every format, written as its documentation says.
class TstImport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyFormatIsDetectedAndGivesTheSameObjects_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < tests::madeSources().size(); ++i)
      QTest::newRow(tests::madeSources()[i].name) << static_cast<int>(i);
  }
  void everyFormatIsDetectedAndGivesTheSameObjects() {
    QFETCH(int, index);
    const tests::MadeSource& source = tests::madeSources()[static_cast<std::size_t>(index)];
    const SourceFolder folder;
    source.write(folder);
    QVERIFY(formats::detectFormat(folder.path()) == source.format);
    const ImportReport report = folder.import();
    QVERIFY(report.format == source.format);
    for (const formats::Fault& fault : report.faults) QVERIFY2(false, fault.text().c_str());
    QVERIFY(report.losses.empty());
    QCOMPARE(report.train.images + report.val.images, 3);
    QCOMPARE(report.emptyImages, 1);
    std::vector<Expected> expected = expectedIn(source.format);
    QVERIFY2(folder.imported() == expected, difference(folder.imported(), expected).c_str());
    const config::LoadedExperiment loaded =
        config::loadExperiment(folder.out() / "experiment.yaml");
    QVERIFY2(!loaded.hasErrors(), loaded.issues.empty() ? "" : loaded.issues[0].text.c_str());
  }

  void aRectangleIsABox() {
    const SourceFolder folder;
    folder.writeImage("a.png");
    folder.write(
        "a.json",
        R"({"shapes": [{"label": "x", "shape_type": "rectangle", "points": [[9, 8], [3, 2]]}],
                               "imagePath": "a.png", "imageHeight": 30, "imageWidth": 40})");
    const ImportReport report = folder.import();
    QCOMPARE(report.boxOnlyObjects, 1);
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found[0].mask.height, 0);
    QCOMPARE(found[0].boxXywh, (std::array<double, 4>{3, 2, 6, 6}));
  }

  void labelMesGroupsAreOneObjectAndPointsAreCounted() {
    const SourceFolder folder;
    folder.writeImage("a.jpg.png");
    folder.write("a.json", R"({"shapes": [
      {"label": "x", "group_id": 4, "points": [[1, 1], [5, 1], [5, 5]]},
      {"label": "x", "group_id": 4, "points": [[11, 11], [15, 11], [15, 15]]},
      {"label": "x", "shape_type": "point", "points": [[1, 1]]},
      {"label": "y", "shape_type": "circle", "points": [[20, 20], [20, 25]]}],
      "imagePath": "..\\pictures\\a.jpg.png", "imageHeight": null})");
    const ImportReport report = folder.import();
    QCOMPARE(report.faults.size(), 0U);
    QCOMPARE(report.losses.at("points and lines, which have no area"), 1);
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    QVERIFY(std::abs(static_cast<double>(coco::areaPx(found[1].mask)) - 78.5) < 6);
  }

  void holesOfGeoJsonAreKept() {
    const SourceFolder folder;
    folder.writeImage("a.png");
    folder.write("a.png.geojson", R"({"type": "FeatureCollection", "features": [{"type": "Feature",
      "properties": {}, "geometry": {"type": "MultiPolygon", "coordinates": [
        [[[2, 2], [12, 2], [12, 12], [2, 12], [2, 2]], [[4, 4], [8, 4], [8, 8], [4, 8], [4, 4]]],
        [[[20, 20], [30, 20], [30, 22], [20, 22], [20, 20]]]]}}]})");
    folder.import();
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found[0].category, std::string("object"));
    QCOMPARE(coco::areaPx(found[0].mask), 100U - 16U + 20U);
  }

  void cvatsMasksTracksAndGroupsAreRead() {
    const SourceFolder folder;
    folder.writeImage("images/f0.png");
    folder.writeImage("images/f1.png");
    folder.write("annotations.xml", R"(<annotations>
      <image name="f0.png" width="40" height="30">
        <mask label="m" rle="1, 2, 1, 2" left="3" top="4" width="3" height="2"/>
        <polygon label="g" group_id="2" points="1,1;5,1;5,5"/><polygon label="g" group_id="2" points="11,1;15,1;15,5"/>
        <polyline label="g" points="1,1;5,1"/>
      </image>
      <track label="t"><box frame="1" outside="0" xtl="1" ytl="2" xbr="4" ybr="6"/><box frame="0" outside="1" xtl="1" ytl="2" xbr="4" ybr="6"/></track>
    </annotations>)");
    const ImportReport report = folder.import();
    QCOMPARE(report.faults.size(), 0U);
    QCOMPARE(report.losses.size(), 1U);
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 3U);
    QCOMPARE(found[1].category, std::string("m"));
    // Columns 3 to 5 of rows 4 and 5: .## / .##
    QCOMPARE(found[1].boxXywh, (std::array<double, 4>{4, 4, 2, 2}));
    QCOMPARE(coco::areaPx(found[1].mask), 4U);
    QCOMPARE(found[2].image, std::string("f1"));
    QCOMPARE(found[2].boxXywh, (std::array<double, 4>{1, 2, 3, 4}));
  }

  void labelStudiosBrushesAreRead() {
    const SourceFolder folder;
    folder.writeImage("a.png", 2, 2);
    // 16 values in words of 8 bits, lengths of 4, 4, 4 and 4 bits: twelve 0, then 0 0 0 255.
    std::string bits =
        "00000000000000000000000000010000"
        "00111"
        "0011001100110011";
    bits +=
        "1"
        "00"
        "1011"
        "00000000";
    bits +=
        "0"
        "00"
        "0011"
        "00000000"
        "00000000"
        "00000000"
        "11111111";
    json rle = json::array();
    for (std::size_t i = 0; i < bits.size(); i += 8) {
      std::string byte = bits.substr(i, 8);
      byte.append(8 - byte.size(), '0');
      rle.push_back(std::stoi(byte, nullptr, 2));
    }
    json result = {{"type", "brushlabels"},
                   {"original_width", 2},
                   {"original_height", 2},
                   {"value", {{"format", "rle"}, {"rle", rle}, {"brushlabels", {"b"}}}}};
    json task = {{"id", 1},
                 {"data", {{"image", "/data/local-files/?d=pictures%2Fa.png"}}},
                 {"annotations", {{{"result", {result}}}}}};
    folder.write("tasks.json", json::array({task}).dump());
    const ImportReport report = folder.import();
    for (const formats::Fault& fault : report.faults) QVERIFY2(false, fault.text().c_str());
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found[0].boxXywh, (std::array<double, 4>{1, 1, 1, 1}));
  }

  void cityscapesHiddenPixelsAndGroups() {
    const SourceFolder folder;
    folder.writeImage("leftImg8bit/val/x/n_leftImg8bit.png");
    folder.write("gtFine/val/x/n_gtFine_polygons.json",
                 R"({"imgHeight": 30, "imgWidth": 40, "objects": [
      {"label": "car", "polygon": [[0, 0], [10, 0], [10, 10], [0, 10]]},
      {"label": "pole", "polygon": [[4, 0], [6, 0], [6, 10], [4, 10]]},
      {"label": "cargroup", "polygon": [[20, 20], [30, 20], [30, 25], [20, 25]]}]})");
    folder.import();
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    QCOMPARE(coco::areaPx(found[0].mask), 80U);
    QVERIFY(found[1].isCrowd && found[1].category == "car");
  }

  void labelImagesOfAllDepthsAreRead_data() {
    QTest::addColumn<unsigned>("id");
    QTest::newRow("8 bit") << 255U;
    QTest::newRow("16 bit") << 60000U;
    QTest::newRow("32 bit") << 4000000000U;
  }
  void labelImagesOfAllDepthsAreRead() {
    QFETCH(unsigned, id);
    const SourceFolder folder;
    folder.writeImage("images/a.png", 5, 4);
    formats::LabelImage labels{5, 4, std::vector<std::uint32_t>(20)};
    labels.ids[7] = id;
    labels.ids[8] = 3;
    if (id > 65535) {
      folder.write("masks/a_mask.tif", tests::tiff32(labels));
    } else {
      folder.writeLabels("masks/a_mask.png", labels);
    }
    folder.import();
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    QCOMPARE(found[0].boxXywh, (std::array<double, 4>{2, 1, 1, 1}));
    QCOMPARE(found[0].category, std::string("object"));
  }

  void indexedLabelImagesAreReadByIndex() {
    const SourceFolder folder;
    folder.writeImage("images/a.png");
    formats::LabelImage labels = tests::madeLabels("a");
    std::string palette;
    for (int i = 0; i < 256 * 3; ++i) palette += static_cast<char>(i * 37 + 11);  // 0 is no black
    folder.write("masks/a.png", tests::palettePng(labels, palette));
    folder.import();
    QCOMPARE(folder.imported().size(), 2U);
  }

  void theSourcesPartsAreKeptUnlessAShareIsGiven() {
    const SourceFolder folder;
    for (const char* part : {"train", "valid", "test"}) {
      for (int i = 0; i < 4; ++i) {
        const std::string name = std::string(part) + std::to_string(i);
        folder.writeImage(std::string(part) + "/images/" + name + ".png");
        folder.write(std::string(part) + "/labels/" + name + ".txt", "0 0.1 0.1 0.5 0.1 0.5 0.5\n");
      }
    }
    folder.write(
        "data.yaml",
        "train: ../train/images\nval: ../valid/images\ntest: ../test/images\nnames: [x]\n");
    const ImportReport report = folder.import();
    QVERIFY(!report.isSplitAnew);
    QCOMPARE(folder.imagesOf("val"),
             (std::vector<std::string>{"valid0", "valid1", "valid2", "valid3"}));
    QCOMPARE(report.test.images, 4);
    const ImportReport anew = folder.import({.valShare = .25});
    QVERIFY(anew.isSplitAnew);
    QCOMPARE(anew.train.images, 6);
    QCOMPARE(anew.val.images, 2);
    QCOMPARE(anew.test.images, 4);
    const std::vector<std::string> held = folder.imagesOf("val");
    folder.import({.valShare = .25});
    QCOMPARE(folder.imagesOf("val"), held);
    bool isOther = false;
    for (std::uint64_t seed = 2; seed < 8; ++seed) {
      folder.import({.valShare = .25, .seed = seed});
      isOther = isOther || folder.imagesOf("val") != held;
    }
    QVERIFY2(isOther, "another seed");
  }

  void imagesAreReferredToOrCopied() {
    const SourceFolder folder;
    tests::madeSources()[3].write(folder);
    folder.import();
    QVERIFY(!fs::exists(folder.out() / "train"));
    folder.import({.copiesImages = true});
    for (const char* part : {"train", "val"}) {
      for (const std::string& stem : folder.imagesOf(part))
        QVERIFY(fs::exists(folder.out() / part / (stem + ".png")));
    }
    const config::LoadedExperiment loaded =
        config::loadExperiment(folder.out() / "experiment.yaml");
    QVERIFY(!loaded.hasErrors());
    QCOMPARE(loaded.experiment.dataset.train.images, (folder.out() / "train").string());
  }

  /// coco128's data.yaml names one folder twice.
  void anImageOfTwoYoloPartsCountsOnce() {
    const SourceFolder folder;
    tests::madeSources()[4].write(folder);
    folder.write("data.yaml", "train: images\nval: images\nnames: [cat, dog]\n");
    const ImportReport report = folder.import();
    QCOMPARE(report.train.images + report.val.images, 3);
    QCOMPARE(report.faults.size(), 1U);
    QVERIFY(report.isSplitAnew);
  }

  void namesWithDotsAreNotCut() {
    const SourceFolder folder;
    for (const char* name : {"slide", "slide.1", "slide.2"}) {
      folder.writeImage(std::string(name) + ".png");
      folder.write(std::string(name) + ".xml",
                   "<annotation><object><name>of " + std::string(name) +
                       "</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax>"
                       "</bndbox></object></annotation>");
    }
    const ImportReport report = folder.import();
    for (const formats::Fault& fault : report.faults) QVERIFY2(false, fault.text().c_str());
    for (const Expected& object : folder.imported())
      QCOMPARE(object.category, "of " + object.image);
  }

  void classMapsOfVocAreNoImages() {
    const SourceFolder folder;
    tests::madeSources()[5].write(folder);
    folder.writeImage("SegmentationClass/a.png");
    const ImportReport report = folder.import();
    for (const formats::Fault& fault : report.faults) QVERIFY2(false, fault.text().c_str());
    QVERIFY(folder.imported() == tests::expectedObjects());
  }

  void classFoldersOfMasksMayBeCalledAsParts() {
    const SourceFolder folder;
    folder.writeImage("train/images/a.png");
    folder.writeImage("train/images/sub/b.png");
    for (const char* mask : {"train/a", "cell/a", "test tube/a", "sub/b", "train/sub/b"})
      folder.writeLabels("train/masks/" + std::string(mask) + ".png", tests::madeLabels("b"));
    const ImportReport report = folder.import();
    for (const formats::Fault& fault : report.faults) QVERIFY2(false, fault.text().c_str());
    std::vector<std::string> found;
    for (const Expected& object : folder.imported())
      found.push_back(object.image + " " + object.category);
    QCOMPARE(found,
             (std::vector<std::string>{"a cell", "a test tube", "a train", "b object", "b train"}));
  }

  void framesOfTwoVideosAreNotMixed() {
    const SourceFolder folder;
    for (const char* video : {"one", "two"}) {
      for (const char* frame : {"f1", "f2", "f10"})
        folder.writeImage(std::string(video) + "/" + frame + ".png");
      folder.write(std::string(video) + "/annotations.xml",
                   "<annotations><track label=\"" + std::string(video) +
                       "\"><box frame=\"10\" outside=\"0\" xtl=\"1\" ytl=\"2\" xbr=\"4\" "
                       "ybr=\"6\"/></track></annotations>");
    }
    folder.import({.copiesImages = true});
    const std::vector<Expected> found = folder.imported();
    QCOMPARE(found.size(), 2U);
    for (const Expected& object : found) QCOMPARE(object.image, std::string("f10"));
    QVERIFY(found[0].category != found[1].category);
  }

  void linksIntoTheSourceAreFollowedOnce() {
    const SourceFolder folder;
    tests::madeSources()[3].write(folder);
    fs::create_directory_symlink(".", folder.path() / "latest");
    fs::create_directory_symlink("..", folder.path() / "up");
    const ImportReport report = folder.import();
    QCOMPARE(report.train.images + report.val.images, 3);
  }

  void byteOrderMarksAreSkipped() {
    const SourceFolder folder;
    tests::madeSources()[4].write(folder);
    folder.write("labels/a.txt", "\xef\xbb\xbf" + base::readFile(folder.path() / "labels/a.txt"));
    QCOMPARE(folder.import().faults.size(), 0U);
    const SourceFolder other;
    tests::madeSources()[3].write(other);
    other.write("a.json", "\xef\xbb\xbf" + base::readFile(other.path() / "a.json"));
    QCOMPARE(other.import().faults.size(), 0U);
  }

  void aBrokenLabelFileLeavesItsImageOut() {
    const SourceFolder folder;
    tests::madeSources()[3].write(folder);
    folder.write("b.json", "{");
    const ImportReport report = folder.import();
    QCOMPARE(report.train.images + report.val.images, 2);
    QCOMPARE(report.faults.size(), 1U);
  }

  void oneFileIsImportedAlone() {
    const SourceFolder folder;
    tests::madeSources()[3].write(folder);
    const ImportReport report = folder.import({.source = folder.path() / "a.json"});
    QCOMPARE(report.train.images + report.val.images, 1);
  }

  void theExperimentOfAnyFolderIsValid() {
    const SourceFolder folder;
    tests::madeSources()[3].write(folder);
    for (const char* name : {"\xc3\xbc \xc3\xb6", ".hid", "-x", "\"q\"", "null", "~", "1"}) {
      formats::ImportOptions options{.source = folder.path()};
      options.out = folder.out() / name;
      fs::create_directories(folder.out());
      formats::importDataset(options, worker::DatasetImages());
      const config::LoadedExperiment loaded =
          config::loadExperiment(options.out / "experiment.yaml");
      QVERIFY2(!loaded.hasErrors(), name);
    }
  }

  void namesThatAreNotUtf8AreFaults() {
    const SourceFolder folder;
    tests::madeSources()[3].write(folder);
    folder.writeImage("x\xff.png");
    const ImportReport report = folder.import();
    QVERIFY(std::ranges::any_of(report.faults, [](const formats::Fault& fault) {
      return fault.what == "has a name that is not UTF-8: rename it";
    }));
    QCOMPARE(report.train.images + report.val.images, 3);
  }

  void theExperimentOfDenseImagesHasRoomForThem() {
    const SourceFolder folder;
    folder.writeImage("images/a.png", 300, 300);
    formats::LabelImage labels{300, 300, std::vector<std::uint32_t>(300 * 300)};
    for (std::uint32_t i = 0; i < 450; ++i)  // 2 x 2 px each
      for (std::uint32_t k = 0; k < 4; ++k)
        labels.ids[(i / 90 * 4 + k / 2) * 300 + i % 90 * 3 + k % 2] = i + 1;
    folder.writeLabels("masks/a.png", labels);
    folder.import();
    const config::LoadedExperiment loaded =
        config::loadExperiment(folder.out() / "experiment.yaml");
    QVERIFY(!loaded.hasErrors());
    QCOMPARE(loaded.experiment.model.boxHead.detectionsPerImage, 500);
    QVERIFY(loaded.experiment.model.rpn.postNmsTopNTest >= 1000);
    QCOMPARE(loaded.experiment.augment.minSize.back(), 800);
  }

  void classesCanBeNamed() {
    const SourceFolder folder;
    folder.writeImage("images/a.png");
    folder.write("labels/a.txt", "1 0.1 0.1 0.5 0.1 0.5 0.5\n");
    folder.write("names.txt", "first\nsecond\n");
    folder.import();
    QCOMPARE(folder.imported()[0].category, std::string("class 1"));
    folder.import({.classes = folder.path() / "names.txt"});
    QCOMPARE(folder.imported()[0].category, std::string("second"));
  }

  void lvisKeepsWhatIsNotAnnotated() {
    const SourceFolder folder;
    tests::madeSources()[2].write(folder);
    folder.import();
    const json train =
        json::parse(base::readFile(folder.out() / "annotations/instances_train.json"));
    QVERIFY(train["images"][0]["neg_category_ids"] == json::array({7}));
    QVERIFY(train["categories"][0]["frequency"] == "r");
  }

  void anImageThatTwoPartsNameCountsOnce() {
    const SourceFolder folder;
    folder.writeImage("images/a.png");
    folder.writeImage("images/b.png");
    const auto fileOf = [](const char* names) {
      json root = {{"images", json::array()},
                   {"annotations", json::array()},
                   {"categories", {{{"id", 1}, {"name", "x"}}}}};
      for (const char* name = names; *name != 0; ++name) {
        const int id = static_cast<int>(root["images"].size()) + 1;
        root["images"].push_back({{"id", id},
                                  {"file_name", std::string(1, *name) + ".png"},
                                  {"width", 40},
                                  {"height", 30}});
        root["annotations"].push_back({{"id", id},
                                       {"image_id", id},
                                       {"category_id", 1},
                                       {"segmentation", {{1, 1, 9, 1, 9, 9}}}});
      }
      return root.dump();
    };
    folder.write("train.json", fileOf("ab"));
    folder.write("val.json", fileOf("b"));
    const ImportReport report = folder.import({.valShare = .5});
    QCOMPARE(report.train.images + report.val.images, 2);
    QCOMPARE(report.train.objects + report.val.objects, 2);
    QCOMPARE(report.faults.size(), 1U);
    QVERIFY(report.faults[0].text().find("images/b.png is in another file or part too") !=
            std::string::npos);
  }

  void whatCannotBeImportedIsRefused() {
    const SourceFolder folder;
    folder.write("notes.csv", "a,b\n");
    const std::string unknown = messageOf([&] { folder.import(); });
    QVERIFY2(
        unknown.find("its format is unknown (found: 1 .csv); name it with --from: coco, lvis") !=
            std::string::npos,
        unknown.c_str());
    folder.writeImage("a.png");
    folder.write("a.json",
                 R"({"shapes": [{"label": "x", "points": [[1, 1]]}], "imagePath": "a.png"})");
    const std::string none = messageOf([&] { folder.import(); });
    QVERIFY2(none.find("no object can be used; the first of 1 faults: a.json: shapes[0]: has 1 "
                       "points; a polygon needs at least 3") != std::string::npos,
             none.c_str());
    QVERIFY(!fs::exists(folder.out()));
    const std::string pattern = messageOf([&] {
      SourceFolder other;
      tests::madeSources()[3].write(other);
      other.import({.valShare = .2, .groupPattern = "("});
    });
    QVERIFY2(pattern.starts_with("--group '(' is not a regular expression"), pattern.c_str());
  }
};

LOCKSTEP_TEST(TstImport)
#include "tst_import.moc"
