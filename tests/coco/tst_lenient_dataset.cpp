#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/coco/files/lenient_dataset.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;

/// The usable rest of invalid annotations, for `dataset import` and `dataset check --fix`.
class TstLenientDataset : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsGoodOfASegmentationIsKept_data() {
    QTest::addColumn<QString>("segmentation");
    QTest::addColumn<QString>("left");
    const auto row = [](const char* name, const char* segmentation, const char* left) {
      QTest::newRow(name) << QString::fromLatin1(segmentation) << QString::fromLatin1(left);
    };
    // A rectangle of 20 x 15 px, written in several ways. The box is [10, 10, 20, 15].
    row("as COCO writes it", "[[10,10,30,10,30,25,10,25]]", "300 px");
    row("beside a point", "[[32,24],[10,10,30,10,30,25,10,25]]", "300 px");
    row("beside two points", "[[10,10,30,10,30,25,10,25],[1,2,3,4]]", "300 px");
    row("beside an empty one", "[[],[10,10,30,10,30,25,10,25]]", "300 px");
    row("beside an odd one", "[[10,10,30,10,30,25,10,25],[1,2,3,4,5,6,7]]", "300 px");
    row("beside a text", "[\"x\",[10,10,30,10,30,25,10,25]]", "300 px");
    row("beside a polygon with a text", "[[1,1,\"x\",1,9,9],[10,10,30,10,30,25,10,25]]", "300 px");
    row("beside a polygon with NaN", "[[1,1,NaN,1,9,9],[10,10,30,10,30,25,10,25]]", "300 px");
    row("beside a number", "[7,[10,10,30,10,30,25,10,25]]", "300 px");
    row("a flat list", "[10,10,30,10,30,25,10,25]", "300 px");
    row("points", "[[10,10],[30,10],[30,25],[10,25]]", "300 px");
    row("nested points", "[[[10,10],[30,10],[30,25],[10,25]]]", "300 px");
    row("nested deeper", "[[[[10,10],[30,10],[30,25],[10,25]]]]", "300 px");
    row("nested", "[[[10,10,30,10,30,25,10,25]]]", "300 px");
    row("two nested ones", "[[[10,10],[20,10],[20,25],[10,25]],[[20,10],[30,10],[30,25],[20,25]]]",
        "300 px");
    row("two points", "[[10,10,30,25]]", "its box");
    row("a text", "\"10 10 30 10\"", "its box");
    row("no polygon", "[]", "its box");
    row("nothing", "{}", "its box");
  }
  void whatIsGoodOfASegmentationIsKept() {
    QFETCH(QString, segmentation);
    QFETCH(QString, left);
    const LenientDataset content = load(
        R"({"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 15], "segmentation": )" +
        segmentation.toStdString() + "}");
    QCOMPARE(content.dataset.annotationCount(), std::size_t{1});
    const Annotation& annotation = content.dataset.annotationsOf(0)[0];
    QCOMPARE(annotation.hasMask ? QStringLiteral("%1 px").arg(areaPx(
                                      annotationMask(annotation, content.dataset.images()[0])))
                                : QStringLiteral("its box"),
             left);
    QCOMPARE(annotation.boxXywh, (std::array<double, 4>{10, 10, 20, 15}));
    const bool isPlain = segmentation == "[]" || segmentation == "{}" ||
                         segmentation == "[[10,10,30,10,30,25,10,25]]";
    QCOMPARE(content.errors.size(), isPlain ? std::size_t{0} : std::size_t{1});
    QCOMPARE(content.refusal.empty(), isPlain);
  }

  void boxesAndAreasThatAreInvalidComeFromTheMask_data() {
    QTest::addColumn<QString>("members");
    for (const char* members :
         {R"("bbox": [10, 10, -20, 15])", R"("bbox": [10, 10, 20])", R"("bbox": [10, NaN, 20, 15])",
          R"("bbox": "10 10 20 15")", R"("area": "300")", R"("area": -1)", R"("area": NaN)",
          R"("bbox": [1, 2], "area": {}, "segmentation": [7, [10,10,30,10,30,25,10,25]])"})
      QTest::newRow(members) << QString::fromLatin1(members);
  }
  void boxesAndAreasThatAreInvalidComeFromTheMask() {
    QFETCH(QString, members);
    const LenientDataset content = load(
        R"({"id": 1, "image_id": 1, "category_id": 1, "segmentation": [[10,10,30,10,30,25,10,25]], )" +
        members.toStdString() + "}");
    QCOMPARE(content.dataset.annotationCount(), std::size_t{1});
    QCOMPARE(content.dataset.annotationsOf(0)[0].boxXywh, (std::array<double, 4>{10, 10, 20, 15}));
    QCOMPARE(content.dataset.annotationsOf(0)[0].area, 300.0);
  }

  void whatHasNeitherPolygonNorBoxIsLeftOutOnce() {
    const LenientDataset content = load(
        R"({"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, -2, 2], "segmentation": [[3, 3]]})");
    QCOMPARE(content.dataset.annotationCount(), std::size_t{0});
    std::vector<std::string> texts;
    for (const EntryError& error : content.errors)
      if (!error.isConsequence) texts.push_back(error.what);
    QCOMPARE(texts, (std::vector<std::string>{"negative bbox width or height",
                                              "polygon has 1 point; a polygon needs at least 3: "
                                              "correct or remove it"}));
  }

  void annotationsOfInvalidImagesAreConsequences() {
    const LenientDataset content = loadText(
        R"({"images": [{"id": 1, "width": 0, "height": 5, "file_name": "a"}], "categories": [],
            "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2]}]})");
    QCOMPARE(content.errors.size(), std::size_t{2});
    QVERIFY(!content.errors[0].isConsequence && content.errors[1].isConsequence);
  }

  void idsThatAreNoIntegersAreMissingOnes() {
    const LenientDataset content =
        load(R"({"id": "5f0c", "image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 2]})");
    QCOMPARE(content.dataset.annotationCount(), std::size_t{1});
    QVERIFY(!content.dataset.annotationsOf(0).empty() && !content.origins[0][0].id);
    QCOMPARE(content.errors.size(), std::size_t{1});
    QVERIFY(content.errors[0].fault == EntryFault::MissingId && content.errors[0].isTolerated);
    QCOMPARE(content.errors[0].what, std::string("its id is not an integer"));
    QVERIFY(content.refusal.empty());
  }

  void otherJsonIsDistinguishedFromDamagedJson() {
    const auto isOther = [&](const char* text) {
      try {
        loadText(text);
      } catch (const InvalidDataset& error) {
        return error.isOtherFile();
      }
      return false;
    };
    QVERIFY(isOther("[]"));
    QVERIFY(isOther(R"({"shapes": []})"));
    QVERIFY(!isOther(R"({"shapes": [})"));
    QVERIFY(!isOther(R"({"images": {}, "annotations": [], "categories": []})"));
  }

 private:
  LenientDataset load(const std::string& annotation) {
    return loadText(
        R"({"images": [{"id": 1, "width": 64, "height": 48, "file_name": "a.png"}],
            "categories": [{"id": 1, "name": "part"}], "annotations": [)" +
        annotation + "]}");
  }
  LenientDataset loadText(const std::string& text) {
    const std::filesystem::path file = folder_.filePath(QStringLiteral("a.json")).toStdString();
    base::writeFileAtomically(file, text);
    return loadLeniently(file);
  }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstLenientDataset)
#include "tst_lenient_dataset.moc"
