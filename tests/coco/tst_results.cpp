#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <limits>

#include "engine/base/atomic_file.h"
#include "engine/base/counter_hash.h"
#include "engine/base/error.h"
#include "engine/coco/files/results.h"
#include "engine/coco/files/results_file.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

class TstResults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void writtenAsCocoResults() {
    const Detection box{{42}, {18}, 0.236, {258.15, 41.29, 348, 243.78}, {}};
    const Detection mask{{7}, {1}, 1, {1, 0, 2, 2}, drawn({".##", ".##"})};
    const std::string json = detectionsToJson({box, mask});
    QCOMPARE(json,
             std::string("[{\"image_id\":42,\"category_id\":18,\"bbox\":[258.15,41.29,348,243.78],"
                         "\"score\":0.236},\n"
                         "{\"image_id\":7,\"category_id\":1,\"bbox\":[1,0,2,2],\"score\":1,"
                         "\"segmentation\":{\"size\":[2,3],\"counts\":\"24\"}}]\n"));
    QVERIFY(nlohmann::json::accept(json));
    QCOMPARE(detectionsToJson({}), std::string("[]\n"));
  }

  void fileNamesEndTheEntriesAndChangeNothingElse() {
    const Detection box{{42}, {18}, 0.236, {258.15, 41.29, 348, 243.78}, {}};
    const Detection mask{{7}, {1}, 1, {1, 0, 2, 2}, drawn({".##", ".##"})};
    const FileNames names{{7, "a \"b\"/c.png"}, {42, "\xff.png"}};
    std::string named = detectionsToJson({box, mask}, MaskForm::Rle, &names);
    for (const char* name :
         {",\"file_name\":\"a \\\"b\\\"/c.png\"}", ",\"file_name\":\"\xef\xbf\xbd.png\"}"}) {
      const std::size_t at = named.find(name);
      QVERIFY2(at != std::string::npos, named.c_str());
      named.replace(at, std::strlen(name), "}");
    }
    QCOMPARE(named, detectionsToJson({box, mask}));
  }

  void numbersAndMasksReadBackTheSame() {
    std::vector<Detection> detections;
    for (std::uint64_t i = 0; i < 300; ++i) {
      std::vector<std::uint8_t> pixels(37 * 53);
      for (std::size_t p = 0; p < pixels.size(); ++p) pixels[p] = base::counterUniform({i, p}) < .3;
      Detection detection{{std::int64_t(i * 1000003)},
                          {std::int64_t(i % 9)},
                          base::counterUniform({i}),
                          {},
                          encodeMask(pixels.data(), 37, 53, 53)};
      for (std::size_t k = 0; k < 4; ++k) {
        detection.boxXywh[k] = base::counterUniform({i, k, 1}) * (i % 2 ? 1e-7 : 1e5);
      }
      detections.push_back(detection);
    }
    const std::vector<Detection> again = parseDetections(detectionsToJson(detections), "made");
    QCOMPARE(again.size(), detections.size());
    for (std::size_t i = 0; i < again.size(); ++i) {
      QVERIFY(again[i].imageId == detections[i].imageId);
      QVERIFY(again[i].categoryId == detections[i].categoryId);
      QVERIFY(again[i].score == detections[i].score);
      QVERIFY(again[i].boxXywh == detections[i].boxXywh);
      QCOMPARE(again[i].mask, detections[i].mask);
    }
  }

  void nonFiniteNumbersAreWrittenAsStrings() {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::string json = detectionsToJson(
        {{{1}, {1}, std::numeric_limits<double>::quiet_NaN(), {infinity, -infinity, 1, 1}, {}}});
    QVERIFY(json.find("\"score\":\"NaN\"") != std::string::npos);
    QVERIFY(json.find("\"bbox\":[\"Infinity\",\"-Infinity\",1,1]") != std::string::npos);
    QVERIFY(
        errorOf([&] { parseDetections(json, "r"); }).contains(QStringLiteral("score is a string")));
  }

  void masksAreReadFromBothRleForms() {
    const auto detections = parseDetections(
        R"([{"image_id": 1, "category_id": 2, "score": 0.5, "segmentation": {"size": [2, 3], "counts": "24"}},
            {"image_id": 1, "category_id": 2, "score": 1, "segmentation": {"size": [2, 3], "counts": [2, 4]}}])",
        "r.json");
    QCOMPARE(detections[0].mask, drawn({".##", ".##"}));
    QCOMPARE(detections[1].mask, detections[0].mask);
    QCOMPARE(detections[0].boxXywh, (std::array<double, 4>{1, 0, 2, 2}));
    QCOMPARE(detections[0].areaPx, 4.0);
  }

  /// "\\" in JSON is one backslash of the counts, which are 44 and 56 here.
  void masksAreReadHoweverTheyAreWritten_data() {
    QTest::addColumn<QByteArray>("rle");
    QTest::newRow("as usual") << QByteArray(R"({"size": [100, 1], "counts": "\\1h1"})");
    QTest::newRow("compact") << QByteArray(R"({"size":[100,1],"counts":"\\1h1"})");
    QTest::newRow("counts first") << QByteArray(
        "{ \"counts\" : \"\\\\1h1\" ,\n\t\"size\" : [ 100 , 1 ] }");
    QTest::newRow("unicode escape") << QByteArray(R"({"size": [100, 1], "counts": "\u005c1h1"})");
    QTest::newRow("escaped key") << QByteArray(R"({"\u0073ize": [100, 1], "counts": "\\1h1"})");
    QTest::newRow("size with a point") << QByteArray(R"({"size": [100.0, 1], "counts": "\\1h1"})");
    QTest::newRow("another key") << QByteArray(R"({"size": [100, 1], "id": 3, "counts": "\\1h1"})");
    QTest::newRow("the last of two counts")
        << QByteArray(R"({"counts": "1", "size": [100, 1], "counts": "\\1h1"})");
    QTest::newRow("numbers") << QByteArray(R"({"size": [100, 1], "counts": [44, 56]})");
  }
  void masksAreReadHoweverTheyAreWritten() {
    QFETCH(QByteArray, rle);
    const auto detections =
        parseDetections(R"([{"image_id": 1, "category_id": 2, "score": 0.5, "segmentation": )" +
                            rle.toStdString() + "}]",
                        "r.json");
    QCOMPARE(detections[0].mask, (Rle{100, 1, {44, 56}}));
  }

  void aFileThatShrinksIsAnError() {
    const Dataset groundTruth =
        Dataset::fromParts({{{1}, "a.png", 3, 2}}, {{{1}, "cell"}}, {}, "made");
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("r.json")).toStdString();
    const Detection mask{{1}, {1}, .5, {1, 0, 2, 2}, drawn({".##", ".##"})};
    base::writeFileAtomically(file, detectionsToJson(std::vector<Detection>(20000, mask)));
    const ResultsFile results = ResultsFile::load(file, groundTruth);
    QCOMPARE(results.detectionsOf(0).size(), 20000U);
    std::filesystem::resize_file(file, 0);
    QCOMPARE(errorOf([&] { results.detectionsOf(0); }),
             QString::fromStdString(file.string()) +
                 QStringLiteral(": changed while it was read; try again"));
  }

  void areasAreTheBoxesWhereTheFirstResultHasABox() {
    const auto detections = parseDetections(
        R"([{"image_id": 1, "category_id": 2, "score": 0.5, "bbox": [0, 0, 3, 2], "keypoints": null,
             "segmentation": {"size": [2, 3], "counts": "24"}, "file_name": "a.png"},
            {"image_id": 1, "category_id": 2, "score": 1, "bbox": [], "segmentation": {"size": [2, 3], "counts": "24"}}])",
        "r.json");
    QCOMPARE(detections[0].areaPx, -1.0);
    QCOMPARE(detections[1].areaPx, -1.0);
    QCOMPARE(detections[1].boxXywh, (std::array<double, 4>{1, 0, 2, 2}));
  }

  void invalidResultIsReported_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* text, const char* message) {
      QTest::newRow(name) << QByteArray(text) << QString::fromUtf8(message);
    };
    row("empty", "", "r.json: the file is empty");
    row("truncated", "[{\"image_id\": 1,",
        "r.json:1:17: invalid JSON at byte 17: unexpected end of input");
    row("an object", "{}", "r.json: is an object, not COCO results: an array");
    row("a number", "[4]", "r.json: result 1: is a number, not an object");
    row("no image", R"([{"category_id": 1, "score": 1, "bbox": [0, 0, 1, 1]}])",
        "r.json: result 1: has no \"image_id\"");
    row("no score", R"([{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]}])",
        "r.json: result 1: has no \"score\"");
    row("score is a string",
        R"([{"image_id": 1, "category_id": 1, "score": "1", "bbox": [0, 0, 1, 1]}])",
        "r.json: result 1: score is a string; it must be a number");
    row("neither", R"([{"image_id": 1, "category_id": 1, "score": 1}])",
        "r.json: result 1: has neither \"bbox\" nor \"segmentation\"");
    row("polygon",
        R"([{"image_id": 1, "category_id": 1, "score": 1, "segmentation": [[0, 0, 3, 0, 3, 3]]}])",
        "r.json: result 1: segmentation is a polygon; masks in results must be RLE");
    row("negative box", R"([{"image_id": 1, "category_id": 1, "score": 1, "bbox": [0, 0, -1, 1]}])",
        "r.json: result 1: negative bbox width or height");
    row("bad runs",
        R"([{"image_id": 1, "category_id": 1, "score": 1, "segmentation": {"size": [2, 3], "counts": "2"}}])",
        "r.json: result 1: RLE of 2 x 3 px (height x width): counts do not sum to height x "
        "width");
    row("many", "[1, 2, 3, 4, 5]",
        "r.json: 5 errors: result 1: is a number, not an object (at byte 2); result 2");
  }
  void invalidResultIsReported() {
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    const QString error = errorOf([&] { parseDetections(text.toStdString(), "r.json"); });
    QVERIFY2(error.startsWith(message), qPrintable(error));
  }

  void resultsOfAnImageAreSelectedFromAFile() {
    const Dataset groundTruth = Dataset::fromParts({{{4}, "a.png", 3, 2}, {{9}, "b.png", 3, 2}},
                                                   {{{1}, "cell"}}, {}, "made");
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("r.json")).toStdString();
    const Detection mask{{9}, {1}, .5, {1, 0, 2, 2}, drawn({".##", ".##"})};
    const Detection box{{4}, {1}, .25, {0, 0, 1, 1}, {}};
    const Detection unknown{{4}, {7}, .75, {0, 0, 1, 1}, {}};
    base::writeFileAtomically(file, detectionsToJson({mask, unknown, box, mask}));
    const ResultsFile results = ResultsFile::load(file, groundTruth);
    QCOMPARE(results.count(), 4U);
    QCOMPARE(results.unknownCategoryCount(), 1U);
    QCOMPARE(results.detectionsOf(0).size(), 1U);
    QCOMPARE(results.detectionsOf(0)[0].score, .25);
    const std::vector<std::uint32_t> indices(results.indicesOf(1).begin(),
                                             results.indicesOf(1).end());
    QCOMPARE(indices, (std::vector<std::uint32_t>{0, 3}));
    QCOMPARE(results.detectionsOf(1)[1].mask, mask.mask);
  }

  void imagesAndMaskSizesOfAFileAreChecked() {
    const Dataset groundTruth =
        Dataset::fromParts({{{4}, "a.png", 30, 20}}, {{{1}, "cell"}}, {}, "made");
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("r.json")).toStdString();
    const auto errorWith = [&](const Detection& second) {
      base::writeFileAtomically(file, detectionsToJson({{{4}, {1}, 1, {0, 0, 1, 1}, {}}, second}));
      return errorOf([&] { ResultsFile::load(file, groundTruth).detectionsOf(0); });
    };
    QCOMPARE(errorWith({{5}, {1}, 1, {0, 0, 1, 1}, {}}),
             QString::fromStdString(file.string()) +
                 QStringLiteral(": result 2: the dataset has no image 5; are these results of "
                                "another dataset?"));
    QCOMPARE(errorWith({{4}, {1}, 1, {0, 0, 1, 1}, drawn({"#"})}),
             QString::fromStdString(file.string()) +
                 QStringLiteral(": result 2: mask is 1 x 1 px (height x width) but image 4 is "
                                "20 x 30"));
  }

  void filesAreReadByName() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("r.json")).toStdString();
    base::writeFileAtomically(file, detectionsToJson({{{1}, {2}, .5, {1, 2, 3, 4}, {}}}));
    QCOMPARE(loadDetections(file).size(), 1U);
    QVERIFY(errorOf([&] {
              loadDetections(file.string() + "x");
            }).endsWith(QStringLiteral("r.jsonx: no such results file")));
  }
};

LOCKSTEP_TEST(TstResults)
#include "tst_results.moc"
