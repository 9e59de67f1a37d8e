#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/coco/files/dataset.h"
#include "tests/coco/reference.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

/// Images and categories out of order, unknown keys, nulls, compressed and uncompressed RLE.
constexpr const char* kFile = R"({
  "info": {"year": 2026, "nested": [[[{"a": null}]]]}, "licenses": null,
  "images": [
    {"id": 9, "file_name": "nine.png", "width": 6, "height": 4, "flickr_url": null},
    {"id": 2, "file_name": "sub/\u00e4.png", "width": 10, "height": 8, "date": "x"}
  ],
  "categories": [{"id": 7, "name": "b", "supercategory": "s"}, {"id": 3, "name": "a"}],
  "annotations": [
    {"id": 5, "image_id": 2, "category_id": 7, "bbox": [1, 2, 3.5, 4], "area": 11.25, "iscrowd": 0,
     "segmentation": [[1, 2, 4.5, 2, 4.5, 6, 1, 6]], "keypoints": null, "score": {"deep": [1]}},
    {"id": 4, "image_id": 9, "category_id": 3, "iscrowd": true,
     "segmentation": {"size": [4, 6], "counts": [4, 4, 16]}},
    {"id": 6, "image_id": 2.0, "category_id": 3, "bbox": null, "area": null, "iscrowd": null,
     "segmentation": [[0, 0, 4, 0, 4, 4, 0, 4], [6, 1, 8, 1, 8, 3]]},
    {"id": 8, "image_id": 9, "category_id": 3, "bbox": [1, 1, 2, 2], "iscrowd": 1}
  ]})";

}  // namespace

class TstDataset : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void imagesAndCategoriesAreSortedById() {
    const Dataset dataset = load(kFile);
    QCOMPARE(dataset.images().size(), 2U);
    QCOMPARE(dataset.images()[0].id.value, 2);
    QCOMPARE(dataset.images()[0].fileName, std::string("sub/\xc3\xa4.png"));
    QCOMPARE(dataset.images()[1].width, 6);
    QCOMPARE(dataset.categories()[0].name, std::string("a"));
    QCOMPARE(dataset.classOf({7}).value, 2);
    QCOMPARE(dataset.categoryOf({2}).value, 7);
    QCOMPARE(dataset.imageIndex({9}), 1U);
  }

  void annotationsKeepTheirOrderWithinAnImage() {
    const Dataset dataset = load(kFile);
    QCOMPARE(dataset.annotationCount(), 4U);
    QCOMPARE(dataset.annotationsOf(0)[0].id, 5);
    QCOMPARE(dataset.annotationsOf(0)[1].id, 6);
    QCOMPARE(dataset.annotationsOf(1)[0].id, 4);
    QCOMPARE(dataset.annotationsOf(0)[0].area, 11.25);
    QCOMPARE(dataset.annotationsOf(0)[0].boxXywh, (std::array<double, 4>{1, 2, 3.5, 4}));
  }

  void missingBoxAndAreaComeFromTheMask() {
    const Dataset dataset = load(kFile);
    const Annotation& polygons = dataset.annotationsOf(0)[1];
    QCOMPARE(polygons.boxXywh, (std::array<double, 4>{0, 0, 8, 4}));
    QCOMPARE(polygons.area, double(areaPx(annotationMask(polygons, dataset.images()[0]))));
    QVERIFY(!polygons.isCrowd);
    const Annotation& runs = dataset.annotationsOf(1)[0];
    QVERIFY(runs.isCrowd);
    QCOMPARE(runs.boxXywh, (std::array<double, 4>{1, 0, 1, 4}));
    QCOMPARE(runs.area, 4.0);
  }

  void crowdWithoutSegmentationIsItsBox() {
    const Dataset dataset = load(kFile);
    const Annotation& crowd = dataset.annotationsOf(1)[1];
    QCOMPARE(annotationMask(crowd, dataset.images()[1]),
             drawn({"......", ".##...", ".##...", "......"}));
    QCOMPARE(crowd.area, 4.0);
  }

  void anObjectWithOnlyABoxHasNoMask() {
    const std::filesystem::path file =
        folder_->filePath(QStringLiteral("boxes.json")).toStdString();
    base::writeFileAtomically(
        file, R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 8}],
      "categories": [{"id": 1, "name": "cell"}],
      "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "segmentation": []},
                      {"id": 2, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}]})");
    const Dataset dataset = Dataset::load(file);
    for (const Annotation& annotation : dataset.annotationsOf(0)) {
      QVERIFY(!annotation.hasMask);
      QCOMPARE(annotation.area, 12.0);
    }
    saveDataset(dataset, file);
    const Dataset again = Dataset::load(file);
    for (const Annotation& annotation : again.annotationsOf(0)) QVERIFY(!annotation.hasMask);
  }

  /// kFile lacks boxes and areas, which come from the masks then.
  void boxesAreReadWithoutMasks() {
    const std::filesystem::path file = folder_->filePath(QStringLiteral("f.json")).toStdString();
    const std::string whole =
        R"({"images": [{"id": 2, "file_name": "a.png", "width": 10, "height": 8}],
      "categories": [{"id": 7, "name": "b"}],
      "annotations": [
        {"id": 5, "image_id": 2, "category_id": 7, "bbox": [1, 2, 3.5, 4], "area": 11.25,
         "segmentation": [[1, 2, 4.5, 2, 4.5, 6, 1, 6]]},
        {"id": 9, "image_id": 2, "category_id": 7, "bbox": [0, 0, 4, 4], "area": 9, "iscrowd": 1,
         "segmentation": {"size": [8, 10], "counts": [0, 4, 76]}}]})";
    for (const std::string& text : {whole, std::string(kFile)}) {
      base::writeFileAtomically(file, text);
      const Dataset boxes = Dataset::loadBoxes(file), all = Dataset::load(file);
      QCOMPARE(boxes.images().size(), all.images().size());
      QCOMPARE(boxes.categories().size(), all.categories().size());
      for (std::size_t image = 0; image < all.images().size(); ++image) {
        const auto &own = boxes.annotationsOf(image), &other = all.annotationsOf(image);
        QCOMPARE(own.size(), other.size());
        for (std::size_t i = 0; i < own.size(); ++i) {
          QCOMPARE(own[i].id, other[i].id);
          QVERIFY(own[i].categoryId == other[i].categoryId);
          QCOMPARE(own[i].boxXywh, other[i].boxXywh);
          QCOMPARE(own[i].area, other[i].area);
          QCOMPARE(own[i].isCrowd, other[i].isCrowd);
        }
      }
    }
  }

  void usableAnnotationsAreNotCrowdsAndOverOnePixel() {
    QCOMPARE(load(kFile).usableImageCount(), 1U);
    Annotation thin;
    thin.boxXywh = {0, 0, 1, 9};
    QVERIFY(!thin.isUsable());
    thin.boxXywh[2] = 1.5;
    QVERIFY(thin.isUsable());
  }

  void byteOrderMarkAndEmptyTablesAreAccepted() {
    const Dataset dataset =
        load("\xef\xbb\xbf{\"images\": [], \"annotations\": [], \"categories\": []}");
    QCOMPARE(dataset.images().size(), 0U);
    QCOMPARE(dataset.usableImageCount(), 0U);
  }

  void missingAndDuplicateAnnotationIdsAreReplaced() {
    const auto triangle = [](const std::string& id, int image) {
      return "{" + id + R"("image_id": )" + std::to_string(image) +
             R"(, "category_id": 3, "segmentation": [[0, 0, 3, 0, 3, 3]]})";
    };
    const std::string start(kFile, std::string_view(kFile).find("\"annotations\""));
    const auto fileOf = [&](const std::string& annotations) {
      return start + "\"annotations\": [" + annotations + "]}";
    };
    const Dataset whole =
        load(fileOf(triangle("\"id\": 7, ", 2) + "," + triangle("\"id\": 0, ", 9)));
    QCOMPARE(whole.newIds().text(), std::string());
    QCOMPARE(whole.annotationsOf(1)[0].id, 0);
    const Dataset dataset =
        load(fileOf(triangle("", 2) + "," + triangle("\"id\": 7, ", 9) + "," +
                    triangle("\"id\": 7, ", 2) + "," + triangle("\"id\": null, ", 9) + "," +
                    triangle("\"id\": 6, ", 2) + "," + triangle("\"id\": 7, ", 2)));
    const auto idsOf = [&](std::size_t image) {
      std::vector<std::int64_t> ids;
      for (const Annotation& annotation : dataset.annotationsOf(image))
        ids.push_back(annotation.id);
      return ids;
    };
    // The first annotation with id 7 keeps it; new ids follow the six existing ones.
    QCOMPARE(idsOf(0), (std::vector<std::int64_t>{8, 9, 6, 11}));
    QCOMPARE(idsOf(1), (std::vector<std::int64_t>{7, 10}));
    QCOMPARE(dataset.newIds().text(),
             std::string("2 annotations without an id and 2 annotations with a duplicate id got "
                         "new ids"));
    QCOMPARE(load(fileOf(triangle("", 2))).newIds().text(),
             std::string("1 annotation without an id got a new id"));
    const Dataset texts = load(fileOf(triangle("\"id\": \"5f0c-11\", ", 2) + "," +
                                      triangle("\"id\": 1.5, ", 2) + "," + triangle("", 2)));
    QCOMPARE(texts.annotationsOf(0).size(), std::size_t{3});
    QCOMPARE(texts.newIds().text(),
             std::string("1 annotation without an id and 2 annotations with an id that is not an "
                         "integer got new ids"));
  }

  void whatIsNaNAsAWholeIsMissing() {
    std::string text = kFile;
    text.replace(text.find("11.25"), 5, "NaN");
    text.replace(text.find("\"date\": \"x\""), 11, "\"date\": [-Infinity, Infinity]");
    const Dataset dataset = load(text);
    QCOMPARE(dataset.annotationsOf(0)[0].area,
             static_cast<double>(
                 areaPx(rasterisePolygon(std::vector<double>{1, 2, 4.5, 2, 4.5, 6, 1, 6}, 8, 10))));
    QCOMPARE(dataset.annotationsOf(0)[0].id, 5);
  }

  void utf16IsRead() {
    QByteArray bytes("\xff\xfe");
    const QString text = QString::fromUtf8(kFile);
    bytes += QByteArray(reinterpret_cast<const char*>(text.utf16()), 2 * text.size());
    compare(load(bytes.toStdString()), load(kFile));
  }

  void identicalDuplicatesOfAnImageOrCategoryAreMerged() {
    constexpr const char* kImage = R"({"id": 4, "file_name": "a", "width": 8, "height": 6})";
    constexpr const char* kCategory = R"({"id": 2, "name": "a"})";
    const Dataset dataset =
        load(std::string(R"({"annotations": [], "images": [)") + kImage + "," + kImage +
             R"(], "categories": [)" + kCategory + "," + kCategory + "]}");
    QCOMPARE(dataset.images().size(), std::size_t{1});
    QCOMPARE(dataset.categories().size(), std::size_t{1});
  }

  void unknownIdsAreErrors() {
    const Dataset dataset = load(kFile);
    QVERIFY(errorOf([&] { dataset.imageIndex({1}); }).contains(QStringLiteral("no image 1")));
    QVERIFY(errorOf([&] { dataset.classOf({1}); }).contains(QStringLiteral("no category 1")));
  }

  void savedDatasetReadsBackTheSame() {
    const Dataset first = load(kFile);
    const std::filesystem::path file =
        folder_->filePath(QStringLiteral("again.json")).toStdString();
    saveDataset(first, file);
    const Dataset again = Dataset::load(file);
    compare(first, again);
    QCOMPARE(QDir(folder_->path()).entryList(QDir::Files).size(), 2);  // and nothing half-written
  }

  void realAnnotationsReadBackTheSame_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("coco-tiny") << QStringLiteral("coco-tiny/annotations/instances_train2017.json");
    QTest::newRow("droplets") << QStringLiteral("droplets/annotations/instances_train.json");
  }
  void realAnnotationsReadBackTheSame() {
    QFETCH(QString, file);
    const std::filesystem::path path = realData(file.toStdString());
    if (path.empty()) QSKIP("LOCKSTEP_TEST_DATA has no such file");
    const Dataset first = Dataset::load(path);
    const std::filesystem::path copy = folder_->filePath(QStringLiteral("copy.json")).toStdString();
    saveDataset(first, copy);
    compare(first, Dataset::load(copy));
  }

  void partsAreCheckedAndCompletedLikeAFile() {
    Annotation annotation;
    annotation.id = 1;
    annotation.imageId = {1};
    annotation.categoryId = {1};
    annotation.segmentation = drawn({"....", ".##.", ".##.", "...."});
    const Dataset dataset =
        Dataset::fromParts({{{1}, "a.png", 4, 4}}, {{{1}, "cell"}}, {annotation}, "made scenes");
    QCOMPARE(dataset.annotationsOf(0)[0].area, 4.0);
    QCOMPARE(dataset.annotationsOf(0)[0].boxXywh, (std::array<double, 4>{1, 1, 2, 2}));
    const QString error = errorOf([&] {
      Dataset::fromParts({{{1}, "a.png", 5, 4}}, {{{1}, "cell"}}, {annotation}, "made scenes");
    });
    QCOMPARE(error, QStringLiteral("made scenes: annotation 1 (image 1): RLE is 4 x 4 px (height x "
                                   "width) but the image is 4 x 5"));
  }

  void partsWithNonFiniteNumbersAreRefused() {
    Annotation annotation;
    annotation.id = 1;
    annotation.imageId = {1};
    annotation.categoryId = {1};
    annotation.segmentation = std::vector<std::vector<double>>{{0, 0, 3, 0, 3, 3}};
    annotation.boxXywh = {0, 0, std::nan(""), 3};
    const auto make = [&] {
      Dataset::fromParts({{{1}, "a.png", 4, 4}}, {{{1}, "cell"}}, {annotation}, "parts");
    };
    QVERIFY(errorOf(make).contains(QStringLiteral("bbox has a value that is not finite")));
    annotation.boxXywh = {0, 0, 3, 3};
    annotation.area = -1;
    QVERIFY(errorOf(make).contains(QStringLiteral("area must be a number >= 0")));
    annotation.area = 4;
    annotation.segmentation = std::vector<std::vector<double>>{{0, 0, 3, HUGE_VAL, 3, 3}};
    QVERIFY(errorOf(make).contains(QStringLiteral("coordinate that is not finite")));
  }

 private:
  Dataset load(const std::string& text) {
    const std::filesystem::path file = folder_->filePath(QStringLiteral("gt.json")).toStdString();
    base::writeFileAtomically(file, text);
    return Dataset::load(file);
  }

  static void compare(const Dataset& first, const Dataset& second) {
    QCOMPARE(first.images().size(), second.images().size());
    QCOMPARE(first.annotationCount(), second.annotationCount());
    for (std::size_t k = 0; k < first.categories().size(); ++k) {
      QVERIFY(first.categories()[k].id == second.categories()[k].id);
      QCOMPARE(first.categories()[k].name, second.categories()[k].name);
    }
    for (std::size_t i = 0; i < first.images().size(); ++i) {
      QCOMPARE(first.images()[i].fileName, second.images()[i].fileName);
      for (std::size_t a = 0; a < first.annotationsOf(i).size(); ++a) {
        const Annotation &one = first.annotationsOf(i)[a], &other = second.annotationsOf(i)[a];
        QCOMPARE(one.id, other.id);
        QVERIFY(one.categoryId == other.categoryId && one.isCrowd == other.isCrowd);
        QCOMPARE(one.boxXywh, other.boxXywh);
        QCOMPARE(one.area, other.area);
        QVERIFY(one.segmentation == other.segmentation);
      }
    }
  }

  std::unique_ptr<QTemporaryDir> folder_;
};

LOCKSTEP_TEST(TstDataset)
#include "tst_dataset.moc"
