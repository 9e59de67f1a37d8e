#include <QTest>

#include "engine/dataset_check/part_facts.h"
#include "tests/dataset_check/made_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using dataset_check::FindingKind;
using dataset_check::Part;
using nlohmann::ordered_json;
using tests::MadeCheck;
using tests::orderedJson;

namespace {

/// The counts of a histogram that are not 0, by their lower edge.
std::map<double, std::int64_t> filled(const dataset_check::Histogram& histogram) {
  std::map<double, std::int64_t> counts;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
    if (histogram.counts[i] > 0) counts[histogram.edges[i]] = histogram.counts[i];
  return counts;
}

std::vector<dataset_check::Finding> notesOf(const dataset_check::DatasetCheck& check,
                                            FindingKind kind) {
  std::vector<dataset_check::Finding> notes;
  for (const dataset_check::Finding& note : check.notes)
    if (note.kind == kind) notes.push_back(note);
  return notes;
}

}  // namespace

class TstPartFacts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everythingIsCounted() {
    MadeCheck made;
    ordered_json& train = made.part(Part::Train);
    train["images"].push_back(
        orderedJson(R"({"id": 5, "file_name": "train-5.png", "width": 80, "height": 60})"));
    train["categories"].push_back(orderedJson(R"({"id": 7, "name": "dot"})"));
    made.add(orderedJson(R"({"category_id": 7, "bbox": [20, 10, 5, 10], "area": 50,
                      "segmentation": [[20, 10, 25, 10, 25, 20, 20, 20]]})"));
    made.add(orderedJson(R"({"id": 101, "iscrowd": 1, "bbox": [20, 10, 5, 10],
                      "segmentation": [[20, 10, 25, 10, 25, 20, 20, 20]]})"));
    made.add(orderedJson(R"({"id": 102, "image_id": 2, "segmentation": []})"));
    made.experiment.augment.minSize = {300};  // ten times a side of 30
    const dataset_check::DatasetCheck check = made.check();
    const dataset_check::PartFacts& facts = check.parts[0].facts;
    QCOMPARE(facts.images, 5);
    QCOMPARE(facts.objects, 6);
    QCOMPARE(facts.crowds, 1);
    QCOMPARE(facts.boxOnlyObjects, 1);
    QCOMPARE(facts.emptyImages, 1);
    QCOMPARE(facts.fewestObjects, 0);
    QCOMPARE(facts.mostObjects, 2);
    QCOMPARE(facts.meanObjects, 1.2);
    QCOMPARE(facts.mostCrowdedId, 1);
    QCOMPARE(facts.mostCrowdedFile, std::string("train-1.png"));
    QCOMPARE(facts.imageSizes.size(), 2u);
    QCOMPARE(facts.imageSizes[0].width, 40);
    QCOMPARE(facts.imageSizes[0].images, 4);
    QCOMPARE(facts.classes.size(), 2u);
    QCOMPARE(facts.classes[0].objects, 5);
    QCOMPARE(facts.classes[0].images, 4);
    QCOMPARE(facts.classes[1].objects, 1);
    QCOMPARE(filled(facts.objectsPerImage),
             (std::map<double, std::int64_t>{{0, 1}, {1, 2}, {2, 2}}));
    // 10 x 10 px become 100 x 100: large; 5 x 10 px 50 x 100: medium.
    QCOMPARE(facts.bySize, (std::array<std::int64_t, 3>{0, 1, 5}));
    // The anchors' misses are counted by the same sizes.
    for (std::size_t size = 0; size < 3; ++size)
      QCOMPARE(facts.anchors.bySize[size + 1].objects, facts.bySize[size]);
    std::int64_t tall = 0, all = 0;
    for (const auto& [edge, count] : filled(facts.aspectRatios)) {
      all += count;
      if (edge > 1.4) tall += count;
    }
    QCOMPARE(all, 6);
    QCOMPARE(tall, 1);
    QCOMPARE(facts.usableObjects, 6);
  }

  void valuesBeyondTheEdgesAreInTheOutermost() {
    dataset_check::Histogram histogram({1, 2, 4});
    for (const double value : {-3., 0.5, 1., 1.9, 2., 4., 100.}) histogram.add(value);
    QCOMPARE(histogram.counts, (std::vector<std::int64_t>{4, 3}));
  }

  void crowdedImagesAreComparedWithTheLimits() {
    MadeCheck made;
    made.experiment.model.boxHead.detectionsPerImage = 1;
    made.add();
    const dataset_check::DatasetCheck check = made.check();
    QVERIFY(check.parts[0].facts.limitText.find(
                "1 is below the objects of 1 image, which are never all detected: train-1.png has "
                "2") != std::string::npos);
    QVERIFY(check.parts[1].facts.limitText.empty());
  }

  void unusualObjectsAreNoted() {
    MadeCheck made;
    ordered_json& train = made.part(Part::Train);
    for (int id = 5; id <= 100; ++id) {
      train["images"].push_back({{"id", id},
                                 {"file_name", "train-" + std::to_string(id) + ".png"},
                                 {"width", 40},
                                 {"height", 30}});
      made.add({{"id", 1000 + id}, {"image_id", id}, {"area", 95 + id % 10}});
    }
    made.add(orderedJson(R"({"id": 7777, "image_id": 50, "bbox": [1, 1, 30, 3], "area": 2,
                      "segmentation": [[1, 1, 31, 1, 31, 4, 1, 4]]})"));
    const dataset_check::DatasetCheck check = made.check();
    for (const FindingKind kind : {FindingKind::UnusualArea, FindingKind::UnusualAspect}) {
      const auto notes = notesOf(check, kind);
      QCOMPARE(notes.size(), 1u);
      QCOMPARE(notes[0].annotationId, std::optional<std::int64_t>(7777));
      QCOMPARE(notes[0].imageId, std::optional<std::int64_t>(50));
    }
    QVERIFY(notesOf(check, FindingKind::EmptyImage).empty());
  }

  void starvedClassesAreNoted() {
    MadeCheck made;
    for (const Part part : {Part::Train, Part::Val})
      made.part(part)["categories"].push_back(orderedJson(R"({"id": 7, "name": "dot"})"));
    const auto notes = notesOf(made.check(), FindingKind::StarvedClass);
    std::vector<std::string> texts;
    for (const dataset_check::Finding& note : notes)
      texts.push_back(std::string(base::textOf(note.part)) + ": " + note.text);
    QCOMPARE(texts,
             (std::vector<std::string>{"train: 'cell' is in 4 images (class 1); if the name is "
                                       "misspelt, rename the class in the annotation tool",
                                       "train: 'dot' has no object (class 7)",
                                       "val: 'dot' has no object (class 7)"}));
  }
};

LOCKSTEP_TEST(TstPartFacts)
#include "tst_part_facts.moc"
