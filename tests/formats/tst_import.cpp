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

/// A COCO file of images NAME.png, one for each letter, with an object each.
std::string cocoFile(const std::string& names) {
  json root = {{"images", json::array()},
               {"annotations", json::array()},
               {"categories", {{{"id", 1}, {"name", "x"}}}}};
  for (const char name : names) {
    const int id = static_cast<int>(root["images"].size()) + 1;
    root["images"].push_back(
        {{"id", id}, {"file_name", std::string(1, name) + ".png"}, {"width", 40}, {"height", 30}});
    root["annotations"].push_back(
        {{"id", id}, {"image_id", id}, {"category_id", 1}, {"segmentation", {{1, 1, 9, 1, 9, 9}}}});
  }
  return root.dump();
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
    const std::vector<formats::FoundFormat> found = formats::formatsIn(folder.path());
    QCOMPARE(found.size(), 1U);
    QVERIFY(found[0].format == source.format);
    const ImportReport report = folder.import();
    QVERIFY(report.format == source.format);
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    QCOMPARE(report.losses.size(), source.format == Format::Cityscapes ? 1U : 0U);  // its road
    QCOMPARE(report.train.images + report.val.images, 3);
    QCOMPARE(report.emptyImages, 1);
    std::vector<Expected> expected = expectedIn(source.format);
    QVERIFY2(folder.imported() == expected, difference(folder.imported(), expected).c_str());
    const config::LoadedExperiment loaded =
        config::loadExperiment(folder.out() / "experiment.yaml");
    QVERIFY2(!loaded.hasErrors(), loaded.issues.empty() ? "" : loaded.issues[0].text.c_str());
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

  /// COCO names the part in the file's name, Roboflow in the folder's.
  void thePartsOfCocoFilesAreKept_data() {
    QTest::addColumn<QString>("train");
    QTest::addColumn<QString>("val");
    QTest::newRow("file names") << "annotations/instances_train2017.json"
                                << "annotations/instances_val2017.json";
    QTest::newRow("plain file names") << "train.json"
                                      << "val.json";
    QTest::newRow("folders") << "train/_annotations.coco.json"
                             << "valid/_annotations.coco.json";
  }
  void thePartsOfCocoFilesAreKept() {
    QFETCH(QString, train);
    QFETCH(QString, val);
    const SourceFolder folder;
    for (const char* name : {"a", "b", "c", "d", "e"})
      folder.writeImage("images/" + std::string(name) + ".png");
    folder.write(train.toStdString(), cocoFile("acde"));
    folder.write(val.toStdString(), cocoFile("b"));
    const ImportReport report = folder.import();
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    QVERIFY(!report.isSplitAnew);
    QCOMPARE(folder.imagesOf("train"), (std::vector<std::string>{"a", "c", "d", "e"}));
    QCOMPARE(folder.imagesOf("val"), std::vector<std::string>{"b"});
    QVERIFY(folder.import({.valShare = .4}).isSplitAnew);
    QCOMPARE(folder.imagesOf("val").size(), 2U);
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
    QVERIFY2(report.faults.empty(), tests::faultsOf(report).c_str());
    for (const Expected& object : folder.imported())
      QCOMPARE(object.category, "of " + object.image);
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

  void anImageThatTwoPartsNameCountsOnce() {
    const SourceFolder folder;
    folder.writeImage("images/a.png");
    folder.writeImage("images/b.png");
    folder.write("train.json", cocoFile("ab"));
    folder.write("val.json", cocoFile("b"));
    const ImportReport report = folder.import({.valShare = .5});
    QCOMPARE(report.train.images + report.val.images, 2);
    QCOMPARE(report.train.objects + report.val.objects, 2);
    QCOMPARE(report.faults.size(), 1U);
    QVERIFY(report.faults[0].text().find("images/b.png is also in another file or split") !=
            std::string::npos);
  }

  void whatCannotBeImportedIsRefused() {
    const SourceFolder folder;
    folder.write("notes.csv", "a,b\n");
    const std::string unknown = messageOf([&] { folder.import(); });
    QVERIFY2(unknown.find("its format is unknown (found: 1 .csv); name its format: coco, lvis") !=
                 std::string::npos,
             unknown.c_str());
    folder.writeImage("a.png");
    folder.write("a.json",
                 R"({"shapes": [{"label": "x", "points": [[1, 1]]}], "imagePath": "a.png"})");
    const std::string none = messageOf([&] { folder.import(); });
    QVERIFY2(none.find("contains no usable object; the first of 2 errors: a.json: shapes[0]: has 1 "
                       "point; a polygon needs at least 3") != std::string::npos,
             none.c_str());
    QVERIFY(!fs::exists(folder.out()));
    const std::string pattern = messageOf([&] {
      SourceFolder other;
      tests::madeSources()[3].write(other);
      other.import({.valShare = .2, .groupPattern = "("});
    });
    QVERIFY2(pattern.starts_with("the pattern of groups, '(', is not a regular expression"),
             pattern.c_str());
  }
};

LOCKSTEP_TEST(TstImport)
#include "tst_import.moc"
