#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/counter_hash.h"
#include "engine/base/error.h"
#include "engine/coco/files/results_by_image.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

/// Of 40 images, in any order or image by image: some have none.
std::vector<Detection> madeDetections(bool isSorted) {
  std::vector<Detection> detections;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const auto image = static_cast<std::int64_t>(
        isSorted ? i / 100 : std::uint64_t(40 * base::counterUniform({i, 1})));
    if (image % 7 == 0) continue;
    std::vector<std::uint8_t> pixels(20 * 30);
    for (std::size_t p = 0; p < pixels.size(); ++p) pixels[p] = base::counterUniform({i, p}) < .1;
    detections.push_back({{image},
                          {std::int64_t(i % 5)},
                          base::counterUniform({i}),
                          {double(i), 1, 2, 3},
                          i % 11 == 0 ? Rle() : encodeMask(pixels.data(), 20, 30, 30)});
  }
  return detections;
}

std::vector<Detection> ofImage(const std::vector<Detection>& all, ImageId image) {
  std::vector<Detection> own;
  for (const Detection& one : all)
    if (one.imageId == image) own.push_back(one);
  return own;
}

bool same(const std::vector<Detection>& one, const std::vector<Detection>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Detection& a, const Detection& b) {
                      return a.imageId == b.imageId && a.categoryId == b.categoryId &&
                             a.score == b.score && a.boxXywh == b.boxXywh && a.mask == b.mask &&
                             a.areaPx == b.areaPx;
                    });
}

}  // namespace

class TstResultsByImage : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path write(const char* name, const std::string& text) {
    const std::filesystem::path file = folder_.filePath(QString::fromLatin1(name)).toStdString();
    base::writeFileAtomically(file, text);
    return file;
  }

 private Q_SLOTS:
  void everyImageHasItsResults_data() {
    QTest::addColumn<bool>("isSorted");
    QTest::newRow("image by image") << true;
    QTest::newRow("in any order") << false;
  }
  void everyImageHasItsResults() {
    QFETCH(bool, isSorted);
    const std::vector<Detection> all = madeDetections(isSorted);
    const auto list = write("list.json", detectionsToJson(all));
    const auto object =
        write("object.json", R"({"image_ids": [900, 7, 900], "score_threshold": 0.05,
                                 "detections" : )" +
                                 detectionsToJson(all) + R"(, "more": {"a": [1]}})");
    for (const auto& file : {list, object}) {
      const ResultsByImage results(file);
      for (std::int64_t id = -1; id < 41; ++id) {
        QVERIFY(same(results.detectionsOf({id}), ofImage(all, {id})));
        const bool isThere = std::ranges::binary_search(results.images(), ImageId{id});
        QCOMPARE(isThere, !ofImage(all, {id}).empty() || (file == object && id == 7));
      }
      QCOMPARE(std::ranges::count(results.images(), ImageId{900}), file == object ? 1 : 0);
      QVERIFY(results.detectionsOf({900}).empty());
    }
  }

  void whetherEveryResultHasAMaskIsKnown() {
    std::vector<Detection> all = madeDetections(true);
    const auto haveMasks = [&] {
      return ResultsByImage(write("masks.json", detectionsToJson(all))).haveMasks();
    };
    QVERIFY(!haveMasks());
    std::erase_if(all, [](const Detection& one) { return one.mask.height == 0; });
    QVERIFY(haveMasks());
    all.back().mask = {};
    QVERIFY(!haveMasks());
    all.clear();
    QVERIFY(haveMasks());  // none lacks one
  }

  void allMayBeOfOneImage() {
    const std::vector<Detection> all = madeDetections(false);
    const ResultsByImage results(write("one.json", detectionsToJson(all)), {ImageId{5}});
    QCOMPARE(results.images(), (std::vector<ImageId>{ImageId{5}}));
    const auto own = results.detectionsOf({5});
    QCOMPARE(own.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      QVERIFY(own[i].imageId == ImageId{5} && own[i].boxXywh == all[i].boxXywh);
    const ResultsByImage none(write("none.json", "[]"), {ImageId{5}});
    QCOMPARE(none.images(), (std::vector<ImageId>{ImageId{5}}));
    QVERIFY(none.detectionsOf({5}).empty());
  }

  /// Also of two images that are the same one.
  void renamedImagesHaveTheirResults() {
    const std::vector<Detection> all = madeDetections(false);
    ResultsByImage results(write("renamed.json", detectionsToJson(all)));
    results.renameImages({{ImageId{1}, ImageId{100}},
                          {ImageId{2}, ImageId{3}},
                          {ImageId{3}, ImageId{2}},
                          {ImageId{4}, ImageId{100}}});
    const auto as = [](std::vector<Detection> own, std::int64_t id) {
      for (Detection& one : own) one.imageId = ImageId{id};
      return own;
    };
    std::vector<Detection> both = ofImage(all, {1});
    for (const Detection& one : ofImage(all, {4})) both.push_back(one);
    QVERIFY(same(results.detectionsOf({100}), as(both, 100)));
    QVERIFY(same(results.detectionsOf({2}), as(ofImage(all, {3}), 2)));
    QVERIFY(same(results.detectionsOf({3}), as(ofImage(all, {2}), 3)));
    QVERIFY(same(results.detectionsOf({5}), ofImage(all, {5})));
    QVERIFY(results.detectionsOf({1}).empty() && results.detectionsOf({4}).empty());
    QVERIFY(std::ranges::is_sorted(results.images()));
    QCOMPARE(std::ranges::count(results.images(), ImageId{100}), 1);
    QCOMPARE(std::ranges::count(results.images(), ImageId{1}), 0);
  }

  /// Of several images, those that a file leaves out of its list were not looked at.
  void unreadableImagesAreNamedAndNotAmongTheImages() {
    const std::string text =
        R"({"image_ids": [2], "unreadable": ["/a, [b].png: is no image", "/ä.png: truncated"],
            "detections": [{"image_id": 2, "category_id": 1, "score": 0.5, "bbox": [0, 0, 9, 9]}]})";
    const ResultsByImage results(write("some.json", text), {ImageId{7}, ImageId{8}, ImageId{9}});
    QCOMPARE(results.images(), (std::vector<ImageId>{ImageId{8}}));
    QCOMPARE(results.detectionsOf({8}).size(), std::size_t{1});
    QCOMPARE(results.unreadable(),
             (std::vector<std::string>{"/a, [b].png: is no image", "/ä.png: truncated"}));
    const std::string none = R"({"image_ids": [], "unreadable": ["x"], "detections": []})";
    QVERIFY(ResultsByImage(write("none.json", none), {ImageId{7}}).images().empty());
  }

  void ofSeveralImagesThoseThatAreUnwantedAreLeftOut() {
    const std::string text =
        R"({"image_ids": [1, 2], "detections": [
            {"image_id": 1, "category_id": 1, "score": 0.5, "bbox": [0, 0, 9, 9]},
            {"image_id": 2, "category_id": 1, "score": 0.6, "bbox": [0, 0, 9, 9]}]})";
    const ResultsByImage results(write("both.json", text), {ResultsByImage::kUnwanted, ImageId{8}});
    QCOMPARE(results.images(), (std::vector<ImageId>{ImageId{8}}));
    QCOMPARE(results.detectionsOf({8}).size(), std::size_t{1});
    QCOMPARE(results.detectionsOf({8})[0].score, 0.6);
    QVERIFY(results.detectionsOf(ResultsByImage::kUnwanted).empty());
  }

  /// The first entry of the file decides, also for images that come later.
  void areasAreThoseOfMasksIfTheFirstEntryHasNoBox() {
    const std::string mask = R"("segmentation": {"size": [2, 3], "counts": "24"}})";
    const std::string entry = R"({"image_id": 1, "category_id": 1, "score": 0.5, )";
    const std::string later =
        R"({"image_id": 2, "category_id": 1, "score": 0.5, "bbox": [0, 0, 9, 9], )" + mask;
    const ResultsByImage masks(write("m.json", " [ " + entry + mask + " , " + later + "\n]"));
    QCOMPARE(masks.detectionsOf({2}).front().areaPx, 4.0);
    QCOMPARE(masks.detectionsOf({1}).front().boxXywh, (std::array<double, 4>{1, 0, 2, 2}));
    const ResultsByImage boxes(write("b.json", "[" + later + ", " + entry + mask + "]"));
    QCOMPARE(boxes.detectionsOf({1}).front().areaPx, -1.0);
  }

  void whatIsWrongIsNamedWithItsPlace_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("cut off") << QByteArray("{\"image_ids\": [1") << QByteArray("x.json:1:");
    QTest::newRow("no list") << QByteArray("{\"image_ids\": []}") << QByteArray("\"detections\"");
    QTest::newRow("a number") << QByteArray("7") << QByteArray("a number");
    QTest::newRow("empty") << QByteArray() << QByteArray("empty");
    QTest::newRow("no score") << QByteArray(
                                     R"([{"image_id": 1, "category_id": 1, "bbox": [1,1,1,1]}])")
                              << QByteArray("result 1: has no \"score\" (at byte 2)");
  }
  void whatIsWrongIsNamedWithItsPlace() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, expected);
    try {
      const ResultsByImage results(write("x.json", text.toStdString()));
      QFAIL("not refused");
    } catch (const Error& error) {
      QVERIFY2(QByteArray(error.what()).contains(expected), error.what());
      QVERIFY2(QByteArray(error.what()).contains("x.json"), error.what());
    }
  }

  void anInvalidMaskIsNamedWhenItsImageIsRead() {
    std::string text = detectionsToJson(ofImage(madeDetections(true), {3}));
    text.insert(text.size() - 2,
                R"(,{"image_id": 8, "category_id": 1, "score": 0.5, "bbox": [1, 1, 1, 1],
                "segmentation": {"size": [2, 3], "counts": "2"}})");
    const ResultsByImage results(write("wrong.json", text));
    QCOMPARE(results.detectionsOf({3}).size(), std::size_t{100});
    try {
      results.detectionsOf({8});
      QFAIL("not refused");
    } catch (const Error& error) {
      const QByteArray said(error.what());
      const auto at = text.find(R"({"size": [2, 3])") + 1;
      QVERIFY2(said.contains("wrong.json: result 101: "), said.constData());
      QVERIFY2(said.contains("(at byte " + QByteArray::number(qulonglong(at)) + ")"),
               said.constData());
    }
  }
};

LOCKSTEP_TEST(TstResultsByImage)
#include "tst_results_by_image.moc"
