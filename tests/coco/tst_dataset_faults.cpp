#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/coco/files/dataset.h"
#include "tests/coco/reference.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

constexpr const char* kImageJson = R"({"id": 1, "file_name": "a.png", "width": 8, "height": 6})";
constexpr const char* kCategory = R"({"id": 1, "name": "cell"})";

std::string annotation(const std::string& rest) {
  return R"({"id": 7, "image_id": 1, "category_id": 1, "bbox": [0, 0, 3, 3], "area": 9, )" + rest +
         "}";
}

std::string fileOf(const std::string& annotations, const std::string& images = kImageJson,
                   const std::string& categories = kCategory) {
  return "{\"images\": [" + images + "], \"annotations\": [" + annotations +
         "], \"categories\": [" + categories + "]}";
}

constexpr const char* kTriangle = R"("segmentation": [[0, 0, 3, 0, 3, 3]])";

}  // namespace

class TstDatasetFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void invalidJsonIsReportedWithItsPosition_data() {
    table();
    const std::string whole = fileOf(annotation(kTriangle));
    row("empty", "", ": the file is empty; it must hold COCO JSON");
    row("blank", " \n ", ": the file is empty; it must hold COCO JSON");
    row("truncated", whole.substr(0, 150),
        ":1:151: invalid JSON at byte 151: unexpected end of input");
    row("comma lost", "{\"images\": []\n \"annotations\": []}",
        ":2:14: invalid JSON at byte 28: unexpected string literal");
    row("a comma too many", "{\"images\": [],\n\"annotations\": [],}",
        ":2:19: invalid JSON at byte 34");
    row("text after the end", "{}\n}", ":2:1: invalid JSON at byte 4");
    row("nan", "{\"images\": [nan]}", ":1:14: invalid JSON at byte 14");
    row("no UTF-8", "{\"images\": \"\xff\xfe\"}", ":1:13: invalid JSON at byte 13");
    row("number out of range", fileOf(annotation("\"score\": 1e999, ") + kTriangle),
        ":1:173: invalid JSON at byte 173: the number 1e999 is out of range; correct it there, or");
    row("long number", "{\"images\": [1" + std::string(400, '0') + "]}",
        "0000… is out of range; correct it there, or export the file again");
    row("bytes that are not UTF-8", "{\"images\": [4\xe9]}", "last read: '4?'; expected ']'");
    row("an image file", std::string("\x89PNG\r\n\x1a\n\0\0", 10), ":1:1: invalid JSON at byte 1");
    row("nested too deep",
        "{\"images\": " + std::string(200000, '[') + std::string(200000, ']') + "}",
        ": JSON is nested deeper than 1024 levels");
    row("nested and truncated", "{\"images\": " + std::string(200000, '['),
        ": JSON is nested deeper than 1024 levels");
    row("a list", "[]", ": is an array, not a COCO instances file");
    row("no images", "{}",
        ": has no \"images\"; a COCO instances file has images, annotations and categories");
    row("no annotations", R"({"images": [], "categories": []})", ": has no \"annotations\"");
    row("no categories", R"({"images": [], "annotations": []})", ": has no \"categories\"");
    row("images is an object", R"({"images": {}, "annotations": [], "categories": []})",
        ": \"images\" is an object; it must be an array");
  }
  void invalidJsonIsReportedWithItsPosition() { checkRow(); }

  void invalidImageIsReported_data() {
    table();
    const auto image = [](const char* text) { return fileOf("", text); };
    row("no id", image(R"({"file_name": "a", "width": 8, "height": 6})"),
        ": images[0]: has no \"id\"");
    row("id is a string", image(R"({"id": "1", "file_name": "a", "width": 8, "height": 6})"),
        ": images[0]: id is a string; it must be an integer");
    row("id is a fraction", image(R"({"id": 1.5, "file_name": "a", "width": 8, "height": 6})"),
        ": images[0]: id is not an integer");
    row("no width", image(R"({"id": 3, "file_name": "a", "height": 6})"),
        ": image 3: has no \"width\"");
    row("no height", image(R"({"id": 3, "file_name": "a", "width": 6, "height": 0})"),
        ": image 3: width and height must be greater than 0, they are 6 and 0");
    row("height is negative", image(R"({"id": 3, "file_name": "a", "width": 6, "height": -4})"),
        ": image 3: width and height must be greater than 0, they are 6 and -4");
    row("height is null", image(R"({"id": 3, "file_name": "a", "width": 6, "height": null})"),
        ": image 3: has no \"height\"");
    row("too large", image(R"({"id": 3, "file_name": "a", "width": 100000, "height": 100000})"),
        ": image 3: width x height exceeds the 2^32 pixels");
    row("no file name", image(R"({"id": 3, "width": 6, "height": 4})"),
        ": image 3: has no \"file_name\"");
    row("file name is a number", image(R"({"id": 3, "file_name": 5, "width": 6, "height": 4})"),
        ": image 3: file_name is a number; it must be a string");
    row("a number", image("17"), ": images[0]: is a number, not an object");
    row("duplicate id", image(R"({"id": 3, "file_name": "a", "width": 8, "height": 6},
                 {"id": 3, "file_name": "b", "width": 8, "height": 6})"),
        ": image 3: duplicate id, of a of 6 x 8 px (height x width) and of b of 6 x 8 px (height x "
        "width); ids must be unique: change one of them");
  }
  void invalidImageIsReported() { checkRow(); }

  void invalidCategoryIsReported_data() {
    table();
    row("no name", fileOf("", kImageJson, R"({"id": 2})"), ": category 2: has no \"name\"");
    row("name is a number", fileOf("", kImageJson, R"({"id": 2, "name": 3})"),
        ": category 2: name is a number; it must be a string");
    std::string many = kCategory;
    for (std::size_t i = 0; i < kMaxCategories; ++i) many += std::string(",") + kCategory;
    row("many", fileOf("", kImageJson, many),
        ": has 100001 categories; at most 100000 are supported");
    row("duplicate id", fileOf("", kImageJson, R"({"id": 2, "name": "a"}, {"id": 2, "name": "b"})"),
        ": category 2: duplicate id, of a and of b; ids must be unique: change one of them");
  }
  void invalidCategoryIsReported() { checkRow(); }

  void invalidAnnotationIsReported_data() {
    table();
    const auto changed = [](const char* key, const char* value) {
      std::string text =
          R"({"id": 7, "image_id": 1, "category_id": 1, "segmentation": [[0, 0, 3, 0, 3, 3]]})";
      const std::size_t at = text.find(std::string("\"") + key + "\": ") + std::strlen(key) + 4;
      return fileOf(text.replace(at, 1, value));
    };
    row("no id and no image", fileOf(R"({"image_id": 9, "category_id": 1})"),
        ": annotation without an id (image 9): image_id 9 is not in \"images\"");
    row("NaN", fileOf("NaN"), ": annotations[0]: is NaN, not an object");
    row("category is NaN", changed("category_id", "NaN"), ": annotation 7: has no \"category_id\"");
    row("image unknown", changed("image_id", "99"),
        ": annotation 7 (image 99): image_id 99 is not in \"images\"; add the image or remove the "
        "annotation");
    row("category unknown", changed("category_id", "5"),
        ": annotation 7 (image 1): category 5 is not in \"categories\"; add the category or "
        "correct category_id");
    row("image id is a string", changed("image_id", "\"1\""),
        ": annotation 7: image_id is a string; it must be an integer");
    row("category is null", changed("category_id", "null"),
        ": annotation 7: has no \"category_id\"");
    row("crowd is 2", fileOf(annotation(std::string("\"iscrowd\": 2, ") + kTriangle)),
        ": annotation 7: iscrowd is a number; it must be 0 or 1");
  }
  void invalidAnnotationIsReported() { checkRow(); }

  void invalidBoxOrAreaIsReported_data() {
    table();
    const auto with = [](const std::string& numbers) {
      return fileOf(R"({"id": 7, "image_id": 1, "category_id": 1, )" + numbers + ", " + kTriangle +
                    "}");
    };
    row("box of three", with("\"bbox\": [1, 2, 3]"),
        ": annotation 7: bbox has 3 numbers; it must be [x, y, width, height]");
    row("box of strings", with(R"("bbox": [1, 2, "3", 4])"),
        ": annotation 7: bbox contains a string; it must be four numbers");
    row("box of NaN", with(R"("bbox": [1, 2, NaN, 4])"),
        ": annotation 7: bbox contains NaN; it must be four numbers");
    row("endless box", with(R"("bbox": [-Infinity, 2, Infinity, 4])"),
        ": annotation 7: bbox contains NaN; it must be four numbers");
    row("box is an object", with(R"("bbox": {"x": 1})"),
        ": annotation 7: bbox is an object; it must be [x, y, width, height]");
    row("negative width", with("\"bbox\": [1, 2, -3, 4]"),
        ": annotation 7: negative bbox width or height");
    row("negative width, and a crowd that is text",
        with(R"("bbox": [1, 2, -3, 4], "iscrowd": "x")"), ": annotation 7: iscrowd is a string");
    row("negative area", with("\"area\": -1"),
        ": annotation 7 (image 1): area must be a number >= 0");
    row("area is a string", with("\"area\": \"9\""),
        ": annotation 7: area is a string; it must be a number");
  }
  void invalidBoxOrAreaIsReported() { checkRow(); }

  void invalidSegmentationIsReported_data() {
    table();
    const auto with = [](const char* value) {
      return fileOf(annotation(std::string("\"segmentation\": ") + value));
    };
    const char* none =
        ": annotation 7 (image 1): neither a segmentation nor a box; add one, or remove the "
        "annotation";
    const auto withoutBox = [](const char* rest) {
      return fileOf(R"({"id": 7, "image_id": 1, "category_id": 1, "area": 9)" + std::string(rest) +
                    "}");
    };
    row("missing", withoutBox(""), none);
    row("null", withoutBox(", \"segmentation\": null"), none);
    row("no polygons", withoutBox(", \"segmentation\": [], \"bbox\": []"), none);
    row("two points", with("[[0, 0, 3, 3]]"),
        ": annotation 7 (image 1): polygon has 2 points; a polygon needs at least 3: correct "
        "or remove it");
    row("two points in the second", with("[[0, 0, 3, 0, 3, 3], [0, 0, 1, 1]]"),
        ": annotation 7 (image 1): polygon 2 of 2 has 2 points");
    row("an empty polygon", with("[[]]"), ": annotation 7 (image 1): polygon has no points");
    row("odd count", with("[[0, 0, 3, 0, 3, 3, 1]]"),
        ": annotation 7 (image 1): polygon has 7 numbers; it must hold pairs");
    row("a flat list", with("[0, 0, 3, 0, 3, 3]"),
        ": annotation 7: segmentation contains a number; it must be a list of polygons");
    row("a list of points", with("[[0, 0], [3, 0], [3, 3]]"),
        ": annotation 7: segmentation is a list of points; it must be a list of polygons");
    row("nested too deep", with("[[[0, 0], [3, 0], [3, 3]]]"),
        ": annotation 7: a polygon contains an array; coordinates must be numbers");
    row("NaN in a polygon", with("[[0, 0, NaN, 0, 3, 3]]"),
        ": annotation 7: a polygon contains NaN; coordinates must be numbers");
    row("string in a polygon", with(R"([[0, 0, "3", 0, 3, 3]])"),
        ": annotation 7: a polygon contains a string; coordinates must be numbers");
    row("a string", with("\"abc\""),
        ": annotation 7: segmentation is a string; it must be a list of polygons or an RLE object");
    row("RLE of another size", with(R"({"size": [8, 6], "counts": [48]})"),
        ": annotation 7 (image 1): RLE is 8 x 6 px (height x width) but the image is 6 x 8");
    row("counts of wrong sum", with(R"({"size": [6, 8], "counts": [40, 7]})"),
        ": annotation 7: RLE of 6 x 8 px (height x width): counts do not sum to height x "
        "width");
    row("negative run", with(R"({"size": [6, 8], "counts": [40, -2, 10]})"),
        ": annotation 7: RLE of 6 x 8 px (height x width): counts must be non-negative "
        "integers");
    row("compressed counts of wrong sum", with(R"({"size": [6, 8], "counts": "21"})"),
        "do not sum to height x width");
    row("truncated compressed counts", with(R"({"size": [6, 8], "counts": "X"})"),
        "compressed counts are truncated");
    row("invalid compressed counts", with(R"({"size": [6, 8], "counts": "hello, world"})"),
        "compressed counts");
    row("no counts", with(R"({"size": [6, 8]})"),
        ": annotation 7: the RLE must be {\"size\": [height, width], \"counts\": …}");
    row("no size", with(R"({"counts": [48]})"), ": annotation 7: the RLE must be");
    row("size of 0", with(R"({"size": [0, 8], "counts": []})"),
        "the RLE's size must be [height, width], both greater than 0");
    row("size out of range", with(R"({"size": [9999999999, 9999999999], "counts": []})"),
        "the RLE's size must be");
    row("counts are a number", with(R"({"size": [6, 8], "counts": 48})"),
        "counts must be a string or a list of numbers");
  }
  void invalidSegmentationIsReported() { checkRow(); }

  void manyErrorsAreCountedAndTheFirstListed() {
    std::string annotations;
    for (int id = 1; id <= 6; ++id) {
      if (id > 1) annotations += ",";
      annotations += "{\"id\": " + std::to_string(id) + R"(, "image_id": 4, "category_id": 1, )";
      annotations += kTriangle;
      annotations += "}";
    }
    const QString error = loadError(fileOf(annotations));
    QVERIFY2(error.contains(QStringLiteral(": 6 errors: annotation 1 (image 4): ")),
             qPrintable(error));
    QVERIFY2(error.endsWith(QStringLiteral("; and 3 more")), qPrintable(error));
    QVERIFY(!error.contains(QLatin1Char('\n')));
  }

  void missingFileIsAUserError() {
    try {
      Dataset::load("/nowhere/gt.json");
      QFAIL("a missing file was read");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QCOMPARE(error.what(), "/nowhere/gt.json: no such annotation file");
    }
    QVERIFY(errorOf([&] {
              Dataset::load(folder_.path().toStdString());
            }).endsWith(QStringLiteral(": is a folder; name the annotation file in it")));
  }

  void errorsThatQuoteTheFileAreShort() {
    const std::string name(100000, 'x');
    const std::string start = "{\"id\": 3, \"file_name\": \"" + name;
    const QString error = loadError(fileOf("", start + "\", \"width\": 8, \"height\": 6}," + start +
                                                   "\", \"width\": 8, \"height\": 7}"));
    QVERIFY(error.size() < 2000);
    QVERIFY2(error.contains(QStringLiteral("… of 6 x 8 px")), qPrintable(error));
  }

  void everyTruncationOfARealFileIsRefused() {
    const std::filesystem::path path = realData("droplets/annotations/instances_val.json");
    if (path.empty()) QSKIP("LOCKSTEP_TEST_DATA has no droplets");
    const std::string text = base::readFile(path);
    const std::size_t end = text.find_last_of('}');
    for (std::size_t length = 0; length <= end; length += 9973) {
      const QString error = loadError(text.substr(0, length));
      QVERIFY2(error.contains(length == 0 ? QStringLiteral("empty")
                                          : QStringLiteral("invalid JSON at byte")),
               qPrintable(error));
    }
  }

 private:
  static void table() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
  }
  static void row(const char* name, const std::string& text, const char* message) {
    QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromUtf8(message);
  }
  void checkRow() {
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    const QString error = loadError(text.toStdString());
    QVERIFY2(error.startsWith(folder_.path()) && error.contains(message), qPrintable(error));
    QVERIFY2(!error.contains(QLatin1Char('\n')), qPrintable(error));
  }
  QString loadError(const std::string& text) {
    const std::filesystem::path file = folder_.filePath(QStringLiteral("gt.json")).toStdString();
    base::writeFileAtomically(file, text);
    return errorOf([&] { Dataset::load(file); });
  }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstDatasetFaults)
#include "tst_dataset_faults.moc"
