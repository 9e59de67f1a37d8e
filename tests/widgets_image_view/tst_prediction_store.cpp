#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <memory>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/instances/prediction_store.h"

using namespace lockstep;
using widgets::PredictionStore;

class TstPredictionStore : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anImageWithoutDetectionsCountsAsPredicted() {
    PredictionStore store;
    const coco::Image image{ImageId{1}, "one", 64, 48};
    store.add(10, {tests::boxDetection(image, 1, 0.9, {1, 1, 5, 5})}, {ImageId{1}, ImageId{2}});
    QCOMPARE(store.find(10, ImageId{1}).read()->size(), std::size_t{1});
    QVERIFY(store.find(10, ImageId{2}).read()->empty());
    QVERIFY(!store.find(10, ImageId{3}));
    QVERIFY(!store.find(20, ImageId{1}));
  }

  void imagesPredictedAgainAreReplaced() {
    PredictionStore store;
    const coco::Image image{ImageId{1}, "one", 64, 48};
    store.add(10, {tests::boxDetection(image, 1, 0.9, {1, 1, 5, 5})}, {ImageId{1}});
    store.add(10, {}, {ImageId{2}});
    QCOMPARE(store.find(10, ImageId{1}).read()->size(), std::size_t{1});
    store.add(10, {}, {ImageId{1}});
    QVERIFY(store.find(10, ImageId{1}).read()->empty());
  }

  void detectionsOfAFileAreReadWhenTheyAreAskedFor() {
    const QTemporaryDir folder;
    const coco::Image one{ImageId{1}, "one", 64, 48}, two{ImageId{2}, "two", 64, 48};
    std::string text = coco::detectionsToJson({tests::boxDetection(one, 1, 0.9, {1, 1, 5, 5}),
                                               tests::boxDetection(one, 1, 0.7, {2, 2, 5, 5})});
    text.insert(text.rfind(']'), R"(, {"image_id": 2, "category_id": 1, "score": 0.5,
        "bbox": [1, 1, 1, 1], "segmentation": {"size": [48, 64], "counts": "~"}})");
    const std::string path = folder.filePath(QStringLiteral("r.json")).toStdString();
    base::writeFileAtomically(path, text);
    const auto file = std::make_shared<const coco::ResultsByImage>(path);
    PredictionStore store;
    store.add(10, file);
    const widgets::ImageDetections found = store.find(10, ImageId{1});
    QCOMPARE(found.read()->size(), std::size_t{2});
    QCOMPARE((*found.read())[1].score, 0.7);
    QVERIFY(found == store.find(10, ImageId{1}));
    QVERIFY_THROWS_EXCEPTION(Error, store.find(10, ImageId{2}).read());
    store.add(10, file);
    QVERIFY(!(found == store.find(10, ImageId{1})));  // read anew
  }

  void theLastReadOnesAreKeptWithinALimit() {
    const QTemporaryDir folder;
    std::vector<coco::Detection> all;
    for (std::int64_t id = 1; id <= 9; ++id)
      all.push_back(
          tests::boxDetection({ImageId{id}, "one", 64, 48}, 1, 0.9, {1, 1, double(id), 5}));
    const std::string path = folder.filePath(QStringLiteral("r.json")).toStdString();
    base::writeFileAtomically(path, coco::detectionsToJson(all));
    const auto file = std::make_shared<const coco::ResultsByImage>(path);
    const auto cache = std::make_shared<widgets::DetectionCache>(600);  // of two or three images
    std::vector<widgets::ImageDetections> images;
    for (const ImageId id : file->images()) images.emplace_back(file, id, cache);
    const auto first = images[0].read();
    QCOMPARE(images[0].read(), first);  // the same, not parsed again
    std::weak_ptr<const std::vector<coco::Detection>> second = images[1].read();
    QVERIFY(!second.expired());
    for (const widgets::ImageDetections& image : images) {
      const std::weak_ptr<const std::vector<coco::Detection>> once = image.readOnce();
      QCOMPARE(once.expired(), &image > &images[1]);
    }
    QVERIFY(!second.expired());
    for (std::size_t i = 2; i < images.size(); ++i) images[i].read();
    QVERIFY(second.expired());
    QVERIFY(images[0].read() != first);
    QCOMPARE(images[0].read()->front().boxXywh, first->front().boxXywh);
  }

  void stepsAreSortedAndTheNearestBeforeIsFound() {
    PredictionStore store;
    QCOMPARE(store.positionOf(5), -1);
    store.setCheckpoints({300, 100, 200, 100}, {300});
    store.add(250, {}, {ImageId{1}});
    QCOMPARE(store.checkpoints(), (std::vector<qint64>{100, 200, 250, 300}));
    QCOMPARE(store.positionOf(260), 2);
    QCOMPARE(store.positionOf(50), 0);
    store.setCheckpoints({100}, {});
    QCOMPARE(store.checkpoints(), (std::vector<qint64>{100, 250}));
  }

  void predictionsEndARequest() {
    PredictionStore store;
    using State = PredictionStore::RequestState;
    store.setRequest(10, ImageId{1}, {State::Waiting, {}});
    QVERIFY(store.request(10, ImageId{1}).state == State::Waiting);
    QVERIFY(store.request(20, ImageId{1}).state == State::None);
    store.add(10, {}, {ImageId{1}});
    QVERIFY(store.request(10, ImageId{1}).state == State::None);
  }

  void aResumedRunDropsLaterSteps() {
    PredictionStore store;
    store.setCheckpoints({10, 20, 30}, {20, 30});
    for (qint64 step : {10, 20, 30}) store.add(step, {}, {ImageId{1}});
    store.setAveragePrecisions({{20, 0.4}, {30, 0.5}});
    store.forgetAfter(20);
    QVERIFY(store.isKept(20) && !store.isKept(10) && !store.isKept(30));
    QCOMPARE(store.nearestKept(10), std::optional<qint64>(20));
    QCOMPARE(store.checkpoints(), (std::vector<qint64>{10, 20}));
    QVERIFY(store.find(20, ImageId{1}));
    QVERIFY(!store.find(30, ImageId{1}));
    QVERIFY(std::isnan(store.averagePrecision(30)));
  }

  void unknownPrecisionIsNotANumber() {
    PredictionStore store;
    store.setAveragePrecisions({{10, 0.5}, {20, -1}});
    QCOMPARE(store.averagePrecision(10), 0.5);
    QVERIFY(std::isnan(store.averagePrecision(20)));
    QVERIFY(std::isnan(store.averagePrecision(30)));
  }
};

LOCKSTEP_TEST(TstPredictionStore)
#include "tst_prediction_store.moc"
