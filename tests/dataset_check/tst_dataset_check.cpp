#include <QTest>
#include <atomic>
#include <functional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/dataset_check/check_report.h"
#include "tests/dataset_check/made_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using dataset_check::Part;
using dataset_check::PictureState;
using nlohmann::ordered_json;
using tests::faultsOf;
using tests::Found;
using tests::MadeCheck;
using tests::orderedJson;
using tests::textOf;

using Plant = std::function<void(MadeCheck&)>;
using Faults = std::vector<Found>;
Q_DECLARE_METATYPE(Plant)
Q_DECLARE_METATYPE(Faults)

namespace {

Plant adding(const char* changes) {
  return [changes](MadeCheck& made) { made.add(orderedJson(changes)); };
}

Plant withState(const char* name, PictureState state) {
  return [name, state](MadeCheck& made) { made.pictures.states[name] = state; };
}

Plant copying(const char* name, const char* of) {
  return [name, of](MadeCheck& made) { made.pictures.copyOf[name] = of; };
}

void plantImage(MadeCheck& made, const char* entry) {
  made.part(Part::Train)["images"].push_back(orderedJson(entry));
}

}  // namespace

class TstDatasetCheck : public QObject {
  Q_OBJECT

 private:
  static void row(const char* name, Plant plant, Faults faults) {
    QTest::newRow(name) << std::move(plant) << std::move(faults);
  }

 private Q_SLOTS:
  void aFaultlessDatasetHasNoFault() {
    MadeCheck made;
    made.add();
    const dataset_check::DatasetCheck check = made.check();
    QVERIFY2(check.faults.empty(), qPrintable(textOf(faultsOf(check))));
    QVERIFY(check.refusals.empty());
    QCOMPARE(check.parts.size(), 2u);
  }

  void faultsOfAnnotationsAreFound_data() {
    QTest::addColumn<Plant>("plant");
    QTest::addColumn<Faults>("faults");
    row("box outside", adding(R"({"bbox": [33, 10, 10, 10]})"),
        {{"box_outside", 1, 100}, {"box_not_mask", 1, 100}});
    row("box outside by rounding", adding(R"({"bbox": [30, 10, 12, 10],
        "segmentation": [[30, 10, 40, 10, 40, 20, 30, 20]]})"),
        {});
    row("box above", adding(R"({"bbox": [20, -3, 10, 23],
        "segmentation": [[20, 0, 30, 0, 30, 20, 20, 20]]})"),
        {{"box_outside", 1, 100}});
    row("box without width", adding(R"({"bbox": [20, 10, 0, 10]})"), {{"box_empty", 1, 100}});
    row("negative box", adding(R"({"bbox": [20, 10, 10, -10]})"), {{"box_empty", 1, 100}});
    row("negative box, and a field of the wrong type",
        adding(R"({"bbox": [0, 0, -1, 5], "iscrowd": "x"})"), {{"invalid_entry", 1, 100}});
    row("a field of the wrong type, and a negative box",
        adding(R"({"category_id": "x", "bbox": [0, 0, -1, 5]})"), {{"invalid_entry", 1, 100}});
    row("negative box alone", adding(R"({"bbox": [20, 10, 10, -10], "segmentation": []})"),
        {{"box_empty", 1, 100}});
    row("box 2 px off", adding(R"({"bbox": [18, 10, 12, 10]})"), {});
    row("box 2.5 px off", adding(R"({"bbox": [20, 10, 12.5, 10]})"), {{"box_not_mask", 1, 100}});
    row("no box", adding(R"({"bbox": []})"), {});
    row("box of a crowd", adding(R"({"iscrowd": 1, "bbox": [20, 10, 10, 15]})"),
        {{"box_not_mask", 1, 100}});
    row("box alone", adding(R"({"segmentation": [], "bbox": [20, 10, 12, 10]})"), {});
    row("polygon on a line", adding(R"({"segmentation": [[20, 10, 25, 15, 30, 20]]})"),
        {{"polygon_empty", 1, 100}});
    row("polygon of two points", adding(R"({"segmentation": [[20, 10, 30, 20]]})"),
        {{"polygon_empty", 1, 100}});
    row("second polygon of two points", adding(R"({"segmentation": [
        [20, 10, 30, 10, 30, 20, 20, 20], [20, 10, 30, 20]]})"),
        {{"polygon_empty", 1, 100}});
    row("bow tie", adding(R"({"segmentation": [[20, 10, 30, 20, 30, 10, 20, 20]]})"),
        {{"polygon_crossing", 1, 100}});
    row("RLE of another size", adding(R"({"segmentation": {"size": [40, 30], "counts": [1200]}})"),
        {{"mask_invalid", 1, 100}});
    row("RLE too short", adding(R"({"segmentation": {"size": [30, 40], "counts": [1100]}})"),
        {{"mask_invalid", 1, 100}});
    row("RLE without a pixel", adding(R"({"segmentation": {"size": [30, 40], "counts": [1200]}})"),
        {{"mask_empty", 1, 100}});
    row("mask beside the image", adding(R"({"segmentation": [[60, 10, 70, 10, 70, 20, 60, 20]]})"),
        {{"mask_empty", 1, 100}});
    row("crowd beside the image", adding(R"({"iscrowd": 1, "bbox": [60, 10, 10, 10],
        "segmentation": [[60, 10, 70, 10, 70, 20, 60, 20]]})"),
        {{"box_outside", 1, 100}, {"mask_empty", 1, 100}});
    row("less than a pixel", adding(R"({"bbox": [20.1, 10.1, 0.2, 0.2],
        "segmentation": [[20.1, 10.1, 20.3, 10.1, 20.3, 10.3, 20.1, 10.3]]})"),
        {});
    row("doubled", adding(R"({"bbox": [2, 2, 11, 10],
        "segmentation": [[2, 2, 13, 2, 13, 12, 2, 12]]})"),
        {{"doubled_object", 1, 1}});
    row("doubled, of a crowd", adding(R"({"iscrowd": 1, "bbox": [2, 2, 10, 10],
        "segmentation": [[2, 2, 12, 2, 12, 12, 2, 12]]})"),
        {});
  }
  void faultsOfAnnotationsAreFound() { compareRow(); }

  void faultsOfEntriesAreFound_data() {
    QTest::addColumn<Plant>("plant");
    QTest::addColumn<Faults>("faults");
    row("id of another", adding(R"({"id": 3})"), {{"duplicate_id", 1, 3}});
    row("no id", adding(R"({"id": null})"), {{"missing_id", 1, {}}});
    row("unknown class", adding(R"({"category_id": 9})"), {{"unknown_class", 1, 100}});
    row("unknown image", adding(R"({"image_id": 9})"), {{"unknown_image", 9, 100}});
    row("image id is text", adding(R"({"image_id": "1"})"), {{"invalid_entry", {}, 100}});
    row("id is text", adding(R"({"id": "5f0c-11"})"), {{"missing_id", 1, {}}});
    row("area is text", adding(R"({"area": "100"})"), {{"invalid_entry", 1, 100}});
    row("odd polygon", adding(R"({"segmentation": [[20, 10, 30, 10, 30, 20, 20]]})"),
        {{"polygon_empty", 1, 100}});
    row("flat polygon", adding(R"({"segmentation": [20, 10, 30, 10, 30, 20, 20, 20]})"),
        {{"polygon_empty", 1, 100}});
    row("flat polygon and negative box",
        adding(R"({"segmentation": [20, 10, 30, 10, 30, 20, 20, 20], "bbox": [1, 1, -1, 1]})"),
        {{"box_empty", 1, 100}, {"polygon_empty", 1, 100}});
    row("neither box nor mask", adding(R"({"segmentation": [], "bbox": []})"),
        {{"invalid_entry", 1, 100}});
    row("no object", [](MadeCheck& made) { made.part(Part::Train)["annotations"].push_back(7); },
        {{"invalid_entry", {}, {}}});
    row("image without width, and its annotation",
        [](MadeCheck& made) {
          plantImage(made, R"({"id": 5, "file_name": "a.png", "width": 0, "height": 3})");
          made.add(orderedJson(R"({"image_id": 5})"));
        },
        {{"invalid_entry", 5, {}}});
    row("image entry twice",
        [](MadeCheck& made) {
          ordered_json& images = made.part(Part::Train)["images"];
          images.push_back(ordered_json(images[2]));
        },
        {{"duplicate_id", 3, {}}});
    row("image id twice",
        [](MadeCheck& made) {
          plantImage(made, R"({"id": 3, "file_name": "a.png", "width": 40, "height": 30})");
        },
        {{"duplicate_id", 3, {}}});
    row("class without a name, and its annotation",
        [](MadeCheck& made) {
          made.part(Part::Train)["categories"].push_back(orderedJson(R"({"id": 2})"));
          made.add(orderedJson(R"({"category_id": 2})"));
        },
        {{"invalid_entry", {}, {}}});
    row("class id twice",
        [](MadeCheck& made) {
          made.part(Part::Train)["categories"].push_back(orderedJson(R"({"id": 1, "name": "b"})"));
        },
        {{"duplicate_id", {}, {}}});
  }
  void faultsOfEntriesAreFound() { compareRow(); }

  void faultsOfImagesAreFound_data() {
    QTest::addColumn<Plant>("plant");
    QTest::addColumn<Faults>("faults");
    row("missing", withState("train-2.png", PictureState::Missing), {{"image_missing", 2, {}}});
    row("unreadable", withState("val-2.png", PictureState::Unreadable),
        {{"image_unreadable", 2, {}}});
    row("truncated", withState("train-3.png", PictureState::Truncated),
        {{"image_truncated", 3, {}}});
    row("another size", withState("train-3.png", PictureState::WrongSize), {{"image_size", 3, {}}});
    row("turned", withState("train-3.png", PictureState::Turned), {{"image_rotated", 3, {}}});
    row("twice", copying("train-4.png", "train-2.png"), {{"picture_twice", 4, {}}});
    row("in both parts", copying("val-1.png", "train-4.png"), {{"picture_in_both_parts", 4, {}}});
    row("twice in one and in the other part",
        [](MadeCheck& made) {
          made.pictures.copyOf = {{"train-4.png", "train-1.png"}, {"val-3.png", "train-1.png"}};
        },
        {{"picture_in_both_parts", 1, {}}, {"picture_in_both_parts", 4, {}}});
    row("with other small objects",
        [](MadeCheck& made) {
          made.pictures.copyOf["train-4.png"] = "train-2.png";
          made.pictures.smallObjects["train-4.png"] = 7;
        },
        {});
    row("twice, of another size",
        [](MadeCheck& made) {
          made.pictures.copyOf["train-4.png"] = "train-2.png";
          made.part(Part::Train)["images"][3]["width"] = 80;
          made.part(Part::Train)["images"][3]["height"] = 60;
        },
        {{"picture_twice", 4, {}}});
    row("the same as one that cannot be used",
        [](MadeCheck& made) {
          made.pictures.copyOf["train-4.png"] = "train-2.png";
          made.pictures.states["train-2.png"] = PictureState::WrongSize;
        },
        {{"image_size", 2, {}}});
  }
  void faultsOfImagesAreFound() { compareRow(); }

  void everyFaultHasItsPlace() {
    MadeCheck made;
    made.add(orderedJson(R"({"bbox": [20, 10, 0, 10]})"));
    made.add(orderedJson(R"({"id": 101, "category_id": 9})"));
    made.pictures.states["val-2.png"] = PictureState::Truncated;
    const dataset_check::DatasetCheck check = made.check();
    QCOMPARE(check.faults.size(), 3u);
    const std::string text = base::readFile(made.fileOf(Part::Train));
    for (const dataset_check::Finding& fault : check.faults) {
      if (fault.kind == dataset_check::FindingKind::ImageTruncated) {
        QCOMPARE(fault.part, Part::Val);
        QCOMPARE(fault.file, made.experiment.dataset.val.images + "/val-2.png");
        QCOMPARE(fault.byte, 0u);
        continue;
      }
      QCOMPARE(fault.part, Part::Train);
      QCOMPARE(fault.file, made.fileOf(Part::Train).string());
      const std::string entry = "{\"id\":" + std::to_string(*fault.annotationId);
      QCOMPARE(text.substr(fault.byte - 1, entry.size()), entry);
    }
  }

  void aFileThatIsNoJsonIsAFaultAndTheOtherPartIsChecked() {
    MadeCheck made;
    made.part(Part::Val)["annotations"][0]["bbox"] = {2, 2, 0, 10};
    made.check();
    base::writeFileAtomically(made.fileOf(Part::Train), "{\"images\": [}");
    const dataset_check::DatasetCheck check =
        dataset_check::checkDataset(made.experiment, made.pictures);
    QCOMPARE(faultsOf(check), (Faults{{"invalid_file", {}, {}}, {"box_empty", 1, 1}}));
    QCOMPARE(check.faults[0].byte, 13u);
    QCOMPARE(check.refusals.size(), 1u);
    QVERIFY(check.refusals[0].starts_with(
        "dataset.train.annotations: " + made.fileOf(Part::Train).string() +
        ":1:13: invalid JSON at byte 13: "));
    QVERIFY(!check.parts[0].isRead);
  }

  void whatTheMachineCannotReadIsNoFault() {
    MadeCheck made;
    made.check();
    // A file whose first byte cannot be read: EIO.
    made.experiment.dataset.train.annotations = "/proc/self/mem";
    QVERIFY_EXCEPTION_THROWN(dataset_check::checkDataset(made.experiment, made.pictures),
                             base::SystemError);
  }

  void everyPictureIsDecodedOnceAndAgainIfItMayBeThereTwice() {
    MadeCheck made;
    made.check();
    QCOMPARE(made.pictures.reads.load(), 8);
    made.pictures.reads = 0;
    made.pictures.copyOf = {{"train-4.png", "train-2.png"}, {"val-4.png", "train-2.png"}};
    made.check();
    QCOMPARE(made.pictures.reads.load(), 8 + 3);
  }

  void oneFileForBothPartsIsOneFault() {
    MadeCheck made;
    made.experiment.dataset.val = made.experiment.dataset.train;
    QCOMPARE(faultsOf(made.check()), (Faults{{"picture_in_both_parts", {}, {}}}));
  }

  void onePartAloneIsEnough() {
    MadeCheck made;
    made.experiment.dataset.train = {};
    const dataset_check::DatasetCheck check = made.check();
    QCOMPARE(check.parts.size(), 1u);
    QCOMPARE(check.parts[0].data.part, Part::Val);
    made.experiment.dataset.val = {};
    QVERIFY_EXCEPTION_THROWN(made.check(), UserError);
  }

  void whatTrainingRefusesIsSaidInItsWords() {
    MadeCheck made;
    made.add(orderedJson(R"({"category_id": 9})"));
    made.add(orderedJson(R"({"id": 101, "image_id": 9})"));
    made.pictures.states["train-2.png"] = PictureState::Missing;
    const dataset_check::DatasetCheck check = made.check();
    QCOMPARE(check.refusals.size(), 2u);
    try {
      coco::Dataset::load(made.fileOf(Part::Train));
    } catch (const Error& error) {
      QCOMPARE(check.refusals[0], std::string("dataset.train.annotations: ") + error.what());
    }
    QCOMPARE(check.refusals[1],
             "dataset.train.images: " + made.experiment.dataset.train.images +
                 ": 1 of the 4 images in the annotations is missing, such as train-2.png; restore "
                 "them, or skip them with dataset.bad_images: skip");
  }

  void settingsThatDoNotFitTheAnnotationsAreRefused() {
    MadeCheck made;
    made.part(Part::Val)["categories"].push_back(orderedJson(R"({"id": 2, "name": "o\nther"})"));
    QCOMPARE(made.check().refusals, std::vector<std::string>{"dataset.val.annotations: category 2 "
                                                             "'o ther' is missing in the training "
                                                             "split"});
  }

  void imagesThatCannotBeUsedAreRefusedUnlessTheyAreSkipped() {
    MadeCheck made;
    made.pictures.states = {{"train-2.png", PictureState::Truncated},
                            {"train-3.png", PictureState::Turned}};
    QCOMPARE(made.check().refusals.size(), 1u);
    made.experiment.dataset.badImages = config::BadImages::Skip;
    QVERIFY(made.check().refusals.empty());
    for (int i = 1; i <= 4; ++i)
      made.pictures.states["train-" + std::to_string(i) + ".png"] = PictureState::WrongSize;
    QCOMPARE(made.check().refusals, std::vector<std::string>{"dataset.train.images: none of the 4 "
                                                             "images can be used"});
  }

  void whatProgressThrowsStopsTheCheck() {
    MadeCheck made;
    constexpr int kImages = 500;
    for (int id = 5; id <= kImages; ++id)
      made.part(Part::Train)["images"].push_back(
          {{"id", id}, {"file_name", std::to_string(id) + ".png"}, {"width", 40}, {"height", 30}});
    made.check();
    made.pictures.reads = 0;
    std::atomic<int> calls = 0;
    const auto stop = [&](const std::string& what, std::size_t, std::size_t) {
      if (what == "checking images" && ++calls == 2) throw Error("stopped");
    };
    QVERIFY_EXCEPTION_THROWN(dataset_check::checkDataset(made.experiment, made.pictures, stop),
                             Error);
    QCOMPARE(calls.load(), 2);
    QVERIFY(made.pictures.reads < kImages / 2);  // other threads end theirs
  }

  void exifOrientationsThatAreNotAppliedAreNoted() {
    MadeCheck made;
    made.pictures.orientations = {{"train-2.png", 3}, {"val-4.png", 6}, {"val-1.png", 1}};
    const dataset_check::DatasetCheck check = made.check();
    QVERIFY(check.faults.empty());
    std::vector<Found> found;
    for (const dataset_check::Finding& note : check.notes)
      if (note.kind == dataset_check::FindingKind::ExifIgnored)
        found.push_back({base::textOf(note.part), note.imageId, {}});
    QVERIFY2(found == (std::vector<Found>{{"train", 2, {}}, {"val", 4, {}}}),
             qPrintable(tests::textOf(found)));
  }

  void theReportAsJsonHasEveryFinding() {
    MadeCheck made;
    made.add(orderedJson(R"({"id": null, "bbox": [20, 10, 0, 10]})"));
    made.part(Part::Val)["annotations"].erase(0);
    const dataset_check::DatasetCheck check = made.check();
    const auto report = ordered_json::parse(jsonOf(check, made.experiment, nullptr));
    QCOMPARE(report["usable"].get<bool>(), true);
    QCOMPARE(report["faults"].size(), 2u);
    const auto& empty = report["faults"][0];
    QCOMPARE(empty["kind"].get<std::string>(), std::string("box_empty"));
    QCOMPARE(empty["part"].get<std::string>(), std::string("train"));
    QCOMPARE(empty["file"].get<std::string>(), made.fileOf(Part::Train).string());
    QCOMPARE(empty["image_id"].get<int>(), 1);
    QVERIFY(empty["annotation_id"].is_null());
    QVERIFY(empty["byte"].get<int>() > 0);
    QCOMPARE(empty["text"].get<std::string>(), std::string("box [20, 10, 0, 10] has no area"));
    std::vector<std::string> kinds;
    for (const auto& note : report["notes"]) kinds.push_back(note["kind"]);
    QCOMPARE(kinds, (std::vector<std::string>{"empty_image", "starved_class"}));
    const auto& sizes = report["parts"][0]["sizes"];
    const std::array<std::int64_t, 3>& counts = check.parts[0].facts.bySize;
    QCOMPARE(
        sizes.dump(),
        ordered_json({{"small", counts[0]}, {"medium", counts[1]}, {"large", counts[2]}}).dump());
  }

 private:
  void compareRow() {
    QFETCH(Plant, plant);
    QFETCH(Faults, faults);
    MadeCheck made;
    plant(made);
    const Faults found = faultsOf(made.check());
    QVERIFY2(found == faults, qPrintable(textOf(found)));
  }
};

LOCKSTEP_TEST(TstDatasetCheck)
#include "tst_dataset_check.moc"
