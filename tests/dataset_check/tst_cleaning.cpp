#include <QTest>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/dataset_check/check_report.h"
#include "engine/dataset_check/clean_dataset.h"
#include "tests/dataset_check/made_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using dataset_check::FindingKind;
using dataset_check::Part;
using dataset_check::PictureState;
using nlohmann::ordered_json;
using tests::entryOf;
using tests::MadeCheck;
using tests::orderedJson;

namespace {

/// An annotation of the cleaned training part after `changes` to a whole one.
ordered_json cleanedWith(const char* changes) {
  MadeCheck made;
  made.add(orderedJson(changes));
  const dataset_check::DatasetCheck again = made.checkCleaned();
  if (!again.faults.empty()) return "still faulty: " + again.faults[0].text;
  return entryOf(made.cleaned(Part::Train)["annotations"], 100);
}

}  // namespace

class TstCleaning : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatHasNoFaultIsKeptAsItStands() {
    MadeCheck made;
    QVERIFY(made.checkCleaned().faults.empty());
    for (const Part part : {Part::Train, Part::Val}) {
      QVERIFY(made.cleaned(part) == made.part(part));
      const std::string before = made.part(part)["annotations"][2].dump();
      const std::string after =
          base::readFile(made.cleanFolder() / "annotations" /
                         ("instances_" + std::string(base::textOf(part)) + ".json"));
      QVERIFY(after.find(before) != std::string::npos);
    }
  }

  void boxesComeFromTheirMasksOrAreClipped() {
    const ordered_json box = {20.0, 10.0, 10.0, 10.0};
    QVERIFY(cleanedWith(R"({"bbox": [33, 10, 10, 10]})")["bbox"] == box);
    QVERIFY(cleanedWith(R"({"bbox": [20, 10, 0, 10]})")["bbox"] == box);
    QVERIFY(cleanedWith(R"({"bbox": [20, 10, -3, 10]})")["bbox"] == box);
    QVERIFY(cleanedWith(R"({"bbox": [20, 10, 18, 10]})")["bbox"] == box);
    QVERIFY(cleanedWith(R"({"bbox": [33, 10, 10, 10], "segmentation": []})")["bbox"] ==
            (ordered_json{33.0, 10.0, 7.0, 10.0}));
    QVERIFY(cleanedWith(R"({"bbox": [53, 10, 10, 10], "segmentation": []})").is_null());
    QVERIFY(cleanedWith(R"({"bbox": [20, 10, 0, 10], "segmentation": []})").is_null());
  }

  void areasOfMendedBoxesAreMended() {
    const auto areaAfter = [](const char* changes) {
      return cleanedWith(changes)["area"].get<double>();
    };
    // Boxes alone.
    QCOMPARE(areaAfter(R"({"bbox": [33, 10, 10, 10], "segmentation": []})"), 70.0);
    QCOMPARE(areaAfter(R"({"bbox": [33, 10, 10, 10], "segmentation": [], "area": 0})"), 70.0);
    // Of the mask, which has 100 px.
    QCOMPARE(areaAfter(R"({"bbox": [20, 10, 0, 10], "area": 0})"), 100.0);
    QCOMPARE(areaAfter(R"({"bbox": [20, 10, 18, 10], "area": 180})"), 100.0);
    QCOMPARE(areaAfter(R"({"bbox": [33, 10, 10, 10], "area": 40000})"), 100.0);
    // What polygons enclose differs from their pixels.
    QCOMPARE(areaAfter(R"({"bbox": [20, 10, 18, 10], "area": 98.5})"), 98.5);
  }

  void objectsWithoutMasksAreKeptThatOverlap() {
    MadeCheck made;
    made.add(orderedJson(R"({"id": 101, "bbox": [20, 10, 10, 10], "segmentation": []})"));
    made.add(orderedJson(R"({"id": 102, "bbox": [22, 10, 10, 10], "segmentation": []})"));
    QVERIFY(made.check().faults.empty());
    made.add(orderedJson(R"({"id": 103, "bbox": [20, 10, 10, 9.8], "segmentation": []})"));
    const dataset_check::DatasetCheck check = made.check();
    QCOMPARE(check.faults.size(), 1u);
    QCOMPARE(check.faults[0].annotationId, 103);
    QCOMPARE(check.faults[0].text, std::string("same object as annotation 101: box IoU 0.98"));
    QVERIFY(made.checkCleaned().faults.empty());
    QCOMPARE(made.cleaned(Part::Train)["annotations"].size(), 6u);
  }

  void polygonsAreLeftOutOrBecomeMasks() {
    const ordered_json one =
        cleanedWith(R"({"segmentation": [[20, 10, 30, 10, 30, 20, 20, 20], [20, 10, 30, 20]]})");
    QVERIFY(one["segmentation"] ==
            orderedJson("[[20.0, 10.0, 30.0, 10.0, 30.0, 20.0, 20.0, 20.0]]"));
    for (const char* changes :
         {R"({"segmentation": [20, 10, 30, 10, 30, 20, 20, 20]})",
          R"({"segmentation": [[[20, 10], [30, 10], [30, 20], [20, 20]]], "bbox": [1, 1, -1, 1]})",
          R"({"segmentation": [[20, 10, 30, 10, 30, 20, 20, 20]], "area": "100"})"}) {
      const ordered_json mended = cleanedWith(changes);
      QVERIFY2(mended["segmentation"] ==
                   orderedJson("[[20.0, 10.0, 30.0, 10.0, 30.0, 20.0, 20.0, 20.0]]"),
               mended.dump().c_str());
      QVERIFY2(mended["bbox"] == (ordered_json{20.0, 10.0, 10.0, 10.0}) && mended["area"] == 100.0,
               mended.dump().c_str());
    }
  }

  void boxesWithoutAPolygonAreKept() {
    for (const char* changes : {R"({"segmentation": [[20, 10, 30, 20, 25, 15]]})",
                                R"({"segmentation": [[20, 10, 30, 20]]})"}) {
      const ordered_json box = cleanedWith(changes);
      QVERIFY2(box["segmentation"] == orderedJson("[]") &&
                   box["bbox"] == (ordered_json{20.0, 10.0, 10.0, 10.0}) && box["area"] == 100.0,
               box.dump().c_str());
    }
    QVERIFY(
        cleanedWith(R"({"segmentation": [[20, 10, 30, 20]], "bbox": [20, 10, 0, 0]})").is_null());
    QVERIFY(cleanedWith(R"({"segmentation": [[20, 10, 30, 20, 25, 15]], "bbox": []})").is_null());
  }

  void whatCrossesItselfBecomesAMask() {
    const ordered_json tie = cleanedWith(R"({"segmentation": [[20, 10, 30, 20, 30, 10, 20, 20]]})");
    const coco::Rle mask =
        coco::decompressCounts(tie["segmentation"]["counts"].get<std::string>(), 30, 40);
    QVERIFY(mask ==
            coco::rasterisePolygon(std::vector<double>{20, 10, 30, 20, 30, 10, 20, 20}, 30, 40));
    QCOMPARE(tie["area"].get<double>(), double(coco::areaPx(mask)));
  }

  void whatCannotBeMendedIsLeftOut() {
    for (const char* changes :
         {R"({"segmentation": {"size": [30, 40], "counts": [1200]}})",
          R"({"segmentation": {"size": [40, 30], "counts": [1200]}})", R"({"category_id": 9})",
          R"({"image_id": 9})", R"({"image_id": "1"})", R"({"segmentation": [], "bbox": []})",
          R"({"bbox": [0, 0, -1, 5], "iscrowd": "x"})"})
      QVERIFY2(cleanedWith(changes).is_null(), changes);
  }

  void theSmallerOfDoubledObjectsIsLeftOut() {
    MadeCheck made;
    made.add(
        orderedJson(R"({"bbox": [2, 2, 11, 10], "segmentation": [[2, 2, 13, 2, 13, 12, 2, 12]]})"));
    QVERIFY(made.checkCleaned().faults.empty());
    const ordered_json annotations = made.cleaned(Part::Train)["annotations"];
    QVERIFY(entryOf(annotations, 1).is_null());
    QVERIFY(!entryOf(annotations, 100).is_null());
  }

  void faultsThatAreGoneWithOthersAreCounted() {
    MadeCheck made;
    made.add(
        orderedJson(R"({"bbox": [2, 2, 11, 10], "segmentation": [[2, 2, 13, 2, 13, 12, 2, 12]]})"));
    made.pictures.states["train-1.png"] = PictureState::Missing;
    const dataset_check::DatasetCheck check = made.check();
    QCOMPARE(check.faults.size(), 2u);
    const auto cleaned =
        dataset_check::cleanDataset(check, made.experiment, "e.yaml", made.cleanFolder());
    const std::string text = dataset_check::summaryOf(check, made.experiment, &cleaned);
    QVERIFY2(text.find("\nimage_missing 1 removed: ") != std::string::npos &&
                 text.find("\ndoubled_object 1 resolved by other fixes: ") != std::string::npos &&
                 text.ends_with("\nusable:     yes, as cleaned\n"),
             text.c_str());
  }

  void whatIsDoubledByALeftOutObjectStays() {
    // Of 19, 14 and 11 px: each is doubled by the next larger one only.
    MadeCheck made;
    made.add(orderedJson(R"({"id": 102, "bbox": [20, 5, 11, 10],
                      "segmentation": [[20, 5, 31, 5, 31, 15, 20, 15]]})"));
    made.add(orderedJson(R"({"id": 101, "bbox": [20, 5, 14, 10],
                      "segmentation": [[20, 5, 34, 5, 34, 15, 20, 15]]})"));
    made.add(orderedJson(R"({"id": 100, "bbox": [20, 5, 19, 10],
                      "segmentation": [[20, 5, 39, 5, 39, 15, 20, 15]]})"));
    QCOMPARE(made.check().faults.size(), 1u);
    QVERIFY(made.checkCleaned().faults.empty());
    const ordered_json annotations = made.cleaned(Part::Train)["annotations"];
    QVERIFY(!entryOf(annotations, 100).is_null() && !entryOf(annotations, 102).is_null());
    QVERIFY(entryOf(annotations, 101).is_null());
  }

  void annotationsWithoutAnIdOfTheirOwnGetOne() {
    MadeCheck made;
    made.add(orderedJson(R"({"id": 3})"));
    made.add(orderedJson(R"({"id": null, "bbox": [20, 21, 8, 8],
                      "segmentation": [[20, 21, 28, 21, 28, 29, 20, 29]]})"));
    QVERIFY(made.checkCleaned().faults.empty());
    std::set<std::int64_t> ids;
    const ordered_json annotations = made.cleaned(Part::Train)["annotations"];
    for (const ordered_json& one : annotations) ids.insert(one["id"].get<std::int64_t>());
    QCOMPARE(ids.size(), 6u);
  }

  void objectsWhoseIdsAreTextsAreKept() {
    MadeCheck made;
    for (ordered_json& one : made.part(Part::Train)["annotations"])
      one["id"] = "5f0c-" + one["id"].dump();
    QVERIFY(made.checkCleaned().faults.empty());
    std::set<std::int64_t> ids;
    const ordered_json annotations = made.cleaned(Part::Train)["annotations"];
    for (const ordered_json& one : annotations) ids.insert(one["id"].get<std::int64_t>());
    QCOMPARE(ids.size(), 4u);
  }

  void entriesOfOneIdAreLeftOutWithTheirAnnotations() {
    MadeCheck made;
    ordered_json& train = made.part(Part::Train);
    train["images"].push_back(
        orderedJson(R"({"id": 3, "file_name": "a.png", "width": 40, "height": 30})"));
    train["categories"].push_back(orderedJson(R"({"id": 2, "name": "b"})"));
    train["categories"].push_back(orderedJson(R"({"id": 2, "name": "c"})"));
    made.add(orderedJson(R"({"category_id": 2})"));
    QVERIFY(made.checkCleaned().faults.empty());
    const ordered_json clean = made.cleaned(Part::Train);
    QVERIFY(entryOf(clean["images"], 3).is_null());
    QVERIFY(entryOf(clean["annotations"], 3).is_null());
    QVERIFY(entryOf(clean["categories"], 2).is_null());
    QVERIFY(entryOf(clean["annotations"], 100).is_null());
    QCOMPARE(clean["annotations"].size(), 3u);
  }

  void anEntryThatIsThereTwiceIsKeptOnce() {
    MadeCheck made;
    ordered_json& images = made.part(Part::Train)["images"];
    images.push_back(ordered_json(images[2]));
    QVERIFY(made.checkCleaned().faults.empty());
    QCOMPARE(made.cleaned(Part::Train)["images"].size(), 4u);
    QCOMPARE(made.cleaned(Part::Train)["annotations"].size(), 4u);
  }

  void imagesThatCannotBeUsedAreLeftOutWithTheirAnnotations() {
    MadeCheck made;
    made.pictures.states = {{"train-1.png", PictureState::Missing},
                            {"train-2.png", PictureState::WrongSize},
                            {"val-1.png", PictureState::Truncated},
                            {"val-2.png", PictureState::Unreadable}};
    const dataset_check::DatasetCheck again = made.checkCleaned();
    QVERIFY(again.faults.empty());
    for (const Part part : {Part::Train, Part::Val}) {
      QVERIFY(entryOf(made.cleaned(part)["annotations"], 1).is_null());
      QCOMPARE(made.cleaned(part)["images"].size(), 2u);
      QCOMPARE(made.cleaned(part)["annotations"].size(), 2u);
    }
  }

  void ofEqualPicturesOneIsKeptThatOfTheHeldOutPart() {
    MadeCheck made;
    made.pictures.copyOf = {{"train-4.png", "train-2.png"}, {"val-3.png", "train-1.png"}};
    QVERIFY(made.checkCleaned().faults.empty());
    const ordered_json train = made.cleaned(Part::Train), val = made.cleaned(Part::Val);
    QVERIFY(entryOf(train["images"], 1).is_null() && entryOf(train["images"], 4).is_null());
    QVERIFY(!entryOf(train["images"], 2).is_null());
    QCOMPARE(val["images"].size(), 4u);
  }

  void aPictureIsKeptWhoseOtherCannotBeUsed() {
    MadeCheck made;
    made.pictures.states["train-2.png"] = PictureState::WrongSize;
    made.pictures.states["val-3.png"] = PictureState::WrongSize;
    made.pictures.copyOf = {{"train-4.png", "train-2.png"}, {"val-3.png", "train-1.png"}};
    QVERIFY(made.checkCleaned().faults.empty());
    const ordered_json images = made.cleaned(Part::Train)["images"];
    QVERIFY(entryOf(images, 2).is_null() && !entryOf(images, 4).is_null());
    QVERIFY(!entryOf(images, 1).is_null());
  }

  void ofADriftNoPictureIsLeftTwice() {
    // Frames that become brighter by 1 each: those up to 2 apart are the same.
    MadeCheck made;
    const auto add = [&](Part part, int id, int frame) {
      const std::string name = "frame-" + std::to_string(frame) + ".png";
      made.part(part)["images"].push_back(
          {{"id", id}, {"file_name", name}, {"width", 40}, {"height", 30}});
      dataset_check::Thumbnail& thumbnail = made.pictures.thumbnails[name];
      thumbnail = tests::madeThumbnail(1);
      for (std::uint8_t& value : thumbnail) value = static_cast<std::uint8_t>(value / 2 + frame);
    };
    for (const int frame : {0, 2, 1, 3, 4, 8, 6, 7, 5, 9, 10, 11})
      add(Part::Train, 10 + frame, frame);
    for (const int frame : {14, 12, 15, 13}) add(Part::Val, 10 + frame, frame);
    const dataset_check::DatasetCheck check = made.check();
    QCOMPARE(check.faults.size(), 10u);
    QVERIFY(made.checkCleaned().faults.empty());
    const ordered_json train = made.cleaned(Part::Train)["images"],
                       val = made.cleaned(Part::Val)["images"];
    // Frames 12 and 15 stay in validation. Training keeps 0, 3, 6 and 9: the others are like one
    // of these or like 12.
    QVERIFY(!entryOf(val, 22).is_null() && !entryOf(val, 25).is_null());
    QCOMPARE(val.size(), 6u);
    for (const int frame : {0, 3, 6, 9}) QVERIFY(!entryOf(train, 10 + frame).is_null());
    QCOMPARE(train.size(), 8u);
  }

  void aPictureOfAnAmbiguousIdDoesNotReplaceAnother() {
    MadeCheck made;
    made.pictures.copyOf = {{"train-3.png", "train-2.png"}, {"train-4.png", "train-2.png"}};
    made.part(Part::Train)["images"].push_back(
        orderedJson(R"({"id": 2, "file_name": "a.png", "width": 40, "height": 30})"));
    QVERIFY(made.checkCleaned().faults.empty());
    const ordered_json images = made.cleaned(Part::Train)["images"];
    QVERIFY(entryOf(images, 2).is_null() && entryOf(images, 4).is_null());
    QVERIFY(!entryOf(images, 3).is_null());
  }

  void oneFileOfBothPartsStaysOne() {
    MadeCheck made;
    made.add(orderedJson(R"({"bbox": [20, 10, 0, 10]})"));
    made.pictures.copyOf["train-4.png"] = "train-2.png";
    made.experiment.dataset.val = made.experiment.dataset.train;
    const auto cleaned =
        dataset_check::cleanDataset(made.check(), made.experiment, "e.yaml", made.cleanFolder());
    QCOMPARE(cleaned.parts.size(), 2u);
    QCOMPARE(cleaned.parts[0].file, cleaned.parts[1].file);
    QCOMPARE(cleaned.parts[1].part, Part::Val);
    QCOMPARE(cleaned.parts[1].images, 3);
    QCOMPARE(cleaned.fixes.at(FindingKind::BoxEmpty).mended, 1);
    QCOMPARE(cleaned.unmended.size(), 1u);
    const std::string yaml = base::readFile(made.cleanFolder() / "experiment.yaml");
    QVERIFY(yaml.find("instances_val") == std::string::npos);
    const std::string name = made.cleanFolder().filename().string();
    QVERIFY2(yaml.find("\nname: " + name + "\n") != std::string::npos, yaml.c_str());
    // What is left to the user, and nothing else.
    QCOMPARE(tests::faultsOf(made.checkCleaned(cleaned)),
             (std::vector<tests::Found>{{"picture_in_both_parts", {}, {}}}));
  }

  void aPartThatIsLeftEmptyIsLeftToTheUser_data() {
    QTest::addColumn<int>("heldOut");
    QTest::addColumn<int>("missing");
    QTest::addColumn<QString>("reason");
    QTest::newRow("held out")
        << 4 << 0
        << QStringLiteral("all of them are also validation images; split the dataset again");
    QTest::newRow("missing") << 0 << 4 << QStringLiteral("all of them have errors");
    QTest::newRow("both")
        << 2 << 2
        << QStringLiteral(
               "all of them are also validation images or have errors; split the dataset again");
  }
  void aPartThatIsLeftEmptyIsLeftToTheUser() {
    QFETCH(int, heldOut);
    QFETCH(int, missing);
    QFETCH(QString, reason);
    MadeCheck made;
    for (int id = 1; id <= 4; ++id) {
      const std::string name = std::to_string(id) + ".png";
      if (id <= heldOut) made.pictures.copyOf["val-" + name] = "train-" + name;
      if (id > 4 - missing) made.pictures.states["train-" + name] = PictureState::Missing;
    }
    const dataset_check::DatasetCheck check = made.check();
    const auto cleaned =
        dataset_check::cleanDataset(check, made.experiment, "e.yaml", made.cleanFolder());
    const std::vector<std::string> expected{"no training image is left: " + reason.toStdString()};
    QCOMPARE(cleaned.refusals, expected);
    QCOMPARE(cleaned.unmended, expected);
    QVERIFY(made.cleaned(Part::Train)["images"].empty());
    QVERIFY(!std::filesystem::exists(made.cleanFolder() / "experiment.yaml"));
    const std::string text = dataset_check::summaryOf(check, made.experiment, &cleaned);
    QVERIFY(text.ends_with("\nusable:     no, as cleaned: " + expected[0] + "\n"));
  }

  void trainingWithoutAnAnnotationIsLeftToTheUser() {
    MadeCheck made;
    for (const Part part : {Part::Train, Part::Val})
      for (ordered_json& annotation : made.part(part)["annotations"]) annotation["category_id"] = 9;
    const auto cleaned =
        dataset_check::cleanDataset(made.check(), made.experiment, "e.yaml", made.cleanFolder());
    QCOMPARE(cleaned.unmended, std::vector<std::string>{"no training annotation is left"});
  }

  void whatNoLongerFitsTheExperimentIsLeftToTheUser() {
    MadeCheck made;
    for (const char* name : {"b", "c"})
      made.part(Part::Train)["categories"].push_back({{"id", 2}, {"name", name}});
    made.experiment.solver.classWeights = {{1, 2}, ""};
    const dataset_check::DatasetCheck check = made.check();
    const auto cleaned =
        dataset_check::cleanDataset(check, made.experiment, "e.yaml", made.cleanFolder());
    const std::vector<std::string> expected{
        "solver.class_weights: has 2 numbers, but the training split has 1 class; give one for "
        "each"};
    QCOMPARE(cleaned.refusals, expected);
    QCOMPARE(cleaned.unmended, expected);
    QVERIFY(std::filesystem::exists(made.cleanFolder() / "experiment.yaml"));
    const std::string text = dataset_check::summaryOf(check, made.experiment, &cleaned);
    QVERIFY(text.find("\nleft:       " + expected[0] + "\n") != std::string::npos);
    QVERIFY(text.find("\nsource:     unusable: ") != std::string::npos);
    QVERIFY(text.ends_with("\nusable:     no, as cleaned: " + expected[0] + "\n"));
    made.part(Part::Train)["categories"].erase(2);
    made.experiment.solver.classWeights = {{1, 2, 3}, ""};
    const dataset_check::DatasetCheck before = made.check();
    std::filesystem::remove_all(made.cleanFolder());
    const auto same =
        dataset_check::cleanDataset(before, made.experiment, "e.yaml", made.cleanFolder());
    QCOMPARE(same.refusals, before.refusals);
    QCOMPARE(dataset_check::refusalsOf(before, &same).size(), 1u);
  }

  void emptyFilesAreLeftToTheUser() {
    MadeCheck made;
    for (const Part part : {Part::Train, Part::Val})
      made.part(part)["images"] = made.part(part)["annotations"] = ordered_json::array();
    const auto cleaned =
        dataset_check::cleanDataset(made.check(), made.experiment, "e.yaml", made.cleanFolder());
    QCOMPARE(cleaned.unmended,
             (std::vector<std::string>{
                 "no training image is left: " + made.fileOf(Part::Train).string() +
                     " has none that can be used",
                 "no validation image is left: " + made.fileOf(Part::Val).string() +
                     " has none that can be used"}));
  }

  void whatWasDoneIsCountedByKind() {
    MadeCheck made;
    made.add(orderedJson(R"({"bbox": [20, 10, 0, 10]})"));
    made.add(orderedJson(R"({"id": 101, "category_id": 9})"));
    made.pictures.states["val-1.png"] = PictureState::Truncated;
    const auto cleaned =
        dataset_check::cleanDataset(made.check(), made.experiment, "e.yaml", made.cleanFolder());
    QCOMPARE(cleaned.fixes.size(), 3u);
    QCOMPARE(cleaned.fixes.at(FindingKind::BoxEmpty).mended, 1);
    QCOMPARE(cleaned.fixes.at(FindingKind::UnknownClass).removed, 1);
    QCOMPARE(cleaned.fixes.at(FindingKind::ImageTruncated).removed, 1);
    QCOMPARE(cleaned.parts.size(), 2u);
    QCOMPARE(cleaned.parts[0].annotations, 5);
    QCOMPARE(cleaned.parts[1].images, 3);
    QCOMPARE(cleaned.parts[1].annotations, 3);
    QVERIFY_EXCEPTION_THROWN(
        dataset_check::cleanDataset(made.check(), made.experiment, "e.yaml", made.cleanFolder()),
        UserError);
  }

  void aFileThatCannotBeReadIsLeftToTheUser() {
    MadeCheck made;
    made.experiment.dataset.val = {};
    made.check();
    base::writeFileAtomically(made.fileOf(Part::Train), "[");
    const auto cleaned =
        dataset_check::cleanDataset(dataset_check::checkDataset(made.experiment, made.pictures),
                                    made.experiment, "e.yaml", made.cleanFolder());
    QCOMPARE(cleaned.unmended.size(), 1u);
    QVERIFY(!std::filesystem::exists(made.cleanFolder()));
  }
};

LOCKSTEP_TEST(TstCleaning)
#include "tst_cleaning.moc"
