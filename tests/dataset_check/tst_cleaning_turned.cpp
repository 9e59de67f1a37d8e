// What becomes of images that were turned, which only their EXIF orientation says.
#include <QTest>
#include <random>

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

class TstCleaningTurned : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTurnedPictureIsTheSameAsItsStoredPixels() {
    MadeCheck made;
    made.pictures.states["train-1.png"] = PictureState::Turned;
    made.pictures.orientations["train-1.png"] = 6;
    made.pictures.thumbnails["train-2.png"] = tests::transposed(tests::madeThumbnail(4));
    made.pictures.thumbnails["train-1.png"] = tests::madeThumbnail(4);
    made.pictures.copyOf["train-3.png"] = "train-1.png";
    const dataset_check::DatasetCheck again = made.checkCleaned();
    QVERIFY2(again.faults.empty(), again.faults.empty() ? "" : again.faults[0].text.c_str());
    const ordered_json images = made.cleaned(Part::Train)["images"];
    QVERIFY(!entryOf(images, 1).is_null() && !entryOf(images, 4).is_null());
    QCOMPARE(images.size(), 2u);
  }

  void annotationsOfATurnedImageAreTurned() {
    MadeCheck made;
    made.pictures.states["train-1.png"] = PictureState::Turned;
    made.pictures.orientations["train-1.png"] = 6;
    const dataset_check::DatasetCheck again = made.checkCleaned();
    QVERIFY2(again.faults.empty(), again.faults.empty() ? "" : again.faults[0].text.c_str());
    const ordered_json train = made.cleaned(Part::Train);
    const ordered_json image = entryOf(train["images"], 1);
    QCOMPARE(image["width"].get<int>(), 30);
    QCOMPARE(image["height"].get<int>(), 40);
    // Stored x is y as displayed, stored y is 40 - x.
    const ordered_json annotation = entryOf(train["annotations"], 1);
    QVERIFY(annotation["bbox"] == (ordered_json{2.0, 28.0, 10.0, 10.0}));
    QVERIFY(annotation["segmentation"][0] ==
            (ordered_json{2.0, 38.0, 2.0, 28.0, 12.0, 28.0, 12.0, 38.0}));
    QCOMPARE(annotation["attributes"]["by"].get<std::string>(), std::string("a"));
  }

  void keypointsOfATurnedImageAreTurned() {
    MadeCheck made;
    made.pictures.states["train-1.png"] = PictureState::Turned;
    made.pictures.orientations["train-1.png"] = 6;
    made.add(
        orderedJson(R"({"keypoints": [21, 12, 2, 0, 0, 0, 29.5, 19, 1], "num_keypoints": 2})"));
    made.add(orderedJson(R"({"id": 101, "bbox": [5, 15, 10, 10], "keypoints": [3, "a", 1, 7],
                      "segmentation": [[5, 15, 15, 15, 15, 25, 5, 25]]})"));
    QVERIFY(made.checkCleaned().faults.empty());
    const ordered_json annotations = made.cleaned(Part::Train)["annotations"];
    // Pixels from 0: stored x is y as displayed, stored y is 39 - x.
    QVERIFY(entryOf(annotations, 100)["keypoints"] ==
            (ordered_json{12.0, 18.0, 2, 0, 0, 0, 19.0, 9.5, 1}));
    QVERIFY(entryOf(annotations, 101)["keypoints"] == orderedJson(R"([3, "a", 1, 7])"));
    QVERIFY(!entryOf(annotations, 1).contains("keypoints"));
  }

  void turnedPolygonsThatComeToCoverOthersPixelsAreFaultless() {
    // Small triangles, of which other pairs have a mask IoU over 0.6 once they are turned.
    std::mt19937 random(1);
    const auto at = [&](unsigned last) { return double(random() % (10 * last + 1)) / 10; };
    std::size_t found = 0, removed = 0;
    for (int round = 0; round < 4; ++round) {
      MadeCheck made;
      made.pictures.states["train-1.png"] = PictureState::Turned;
      made.pictures.orientations["train-1.png"] = 5 + round;
      for (int id = 100; id < 250; ++id) {
        const double x = at(30), y = at(20);
        const std::vector<double> xy{x + at(2), y + at(2), x + 10 - at(2),
                                     y + at(2), x + at(9), y + 10};
        ordered_json& added = made.add({{"id", id}, {"segmentation", {xy}}});
        added.erase("bbox");
        added.erase("area");
      }
      const dataset_check::DatasetCheck check = made.check();
      const auto cleaned =
          dataset_check::cleanDataset(check, made.experiment, "e.yaml", made.cleanFolder());
      found += tests::faultsOf(check).size() - 1;  // of the image
      removed += static_cast<std::size_t>(cleaned.fixes.at(FindingKind::DoubledObject).removed);
      const auto again = tests::faultsOf(made.checkCleaned(cleaned));
      QVERIFY2(again.empty(), qPrintable(tests::textOf(again)));
    }
    QVERIFY(found > 100 && found != removed);
  }

  void anAnnotationOfATurnedImageWithoutABoxGetsNone() {
    MadeCheck made;
    made.pictures.states["train-1.png"] = PictureState::Turned;
    made.pictures.orientations["train-1.png"] = 6;
    ordered_json& added =
        made.add(orderedJson(R"({"segmentation": [[30, 10, 50, 10, 50, 20, 30, 20]]})"));
    added.erase("bbox");
    const dataset_check::DatasetCheck again = made.checkCleaned();
    QVERIFY2(again.faults.empty(), again.faults.empty() ? "" : again.faults[0].text.c_str());
    const ordered_json annotation = entryOf(made.cleaned(Part::Train)["annotations"], 100);
    QVERIFY(!annotation.contains("bbox"));
    QVERIFY(annotation["segmentation"][0] ==
            (ordered_json{10.0, 10.0, 10.0, -10.0, 20.0, -10.0, 20.0, 10.0}));
  }
};

LOCKSTEP_TEST(TstCleaningTurned)
#include "tst_cleaning_turned.moc"
