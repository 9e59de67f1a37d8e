// Results files of any program, and their ground truth.
#include <QTemporaryDir>
#include <QTest>

#include "app/results/opened_results.h"
#include "engine/base/atomic_file.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::OpenedResults;

namespace {

/// Two images without objects.
const QByteArray kTwoImages = R"({"images": [
  {"id": 3, "file_name": "a.png", "width": 40, "height": 40},
  {"id": 5, "file_name": "b.png", "width": 40, "height": 40}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": []})";

/// The same with images of one name: a/1.png has the id 3, b/1.png the id 5.
QByteArray inTwoFolders() {
  QByteArray set = kTwoImages;
  return set.replace("a.png", "a/1.png").replace("b.png", "b/1.png");
}

}  // namespace

class TstOpenedResults : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  QString write(const char* name, const QByteArray& content) const {
    const QString file = folder_.filePath(QLatin1String(name));
    base::writeFileAtomically(file.toStdString(), content.toStdString());
    return file;
  }
  static OpenedResults open(const app::ResultsSource& source, app::ParsedResults& parsed) {
    app::ReadingProgress progress;
    return app::openResults(source, std::nullopt, progress, parsed);
  }
  /// Judged by the images of a run, as it were.
  OpenedResults judged(const QString& results, const QByteArray& dataset = kTwoImages) const {
    app::RunDataset truth;
    truth.dataset = std::make_shared<const coco::Dataset>(
        coco::Dataset::load(write("val.json", dataset).toStdString()));
    app::ReadingProgress progress;
    app::ParsedResults parsed;
    return app::openResults({results}, truth, progress, parsed);
  }
  static std::size_t countOf(const OpenedResults& opened, int image) {
    return opened.predictions.at(ImageId{image}).read()->size();
  }

 private Q_SLOTS:
  void resultsThatCannotBeJudgedSayWhatWhereAndHow_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("why");
    QTest::addColumn<bool>("isUnreadable");
    QTest::newRow("of other images")
        << QByteArray(
               R"([{"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]},
            {"image_id": 77, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]}])")
        << QStringLiteral("1 of 2 results") << false;
    QTest::newRow("of other classes")
        << QByteArray(
               R"([{"image_id": 3, "category_id": 9, "score": 0.9, "bbox": [2, 2, 10, 10]}])")
        << QStringLiteral("no result has a class of the ground truth") << false;
    QTest::newRow("annotations") << kTwoImages << QStringLiteral("COCO results are a JSON list")
                                 << true;
    QTest::newRow("cut off") << QByteArray(R"([{"image_id": 3, )")
                             << QStringLiteral("COCO results are a JSON list") << true;
  }
  void resultsThatCannotBeJudgedSayWhatWhereAndHow() {
    QFETCH(QByteArray, text);
    QFETCH(QString, why);
    QFETCH(bool, isUnreadable);
    const QString file = write("theirs.json", text);
    const OpenedResults opened = judged(file);
    QVERIFY2(opened.failure.contains(file) && opened.failure.contains(why),
             qPrintable(opened.failure));
    QCOMPARE(opened.isUnreadable, isUnreadable);
  }

  /// Those of a list are not known to be all: as by coco-eval every image is judged.
  void imagesThatWereLookedAtAreJudged_data() {
    QTest::addColumn<QByteArray>("results");
    QTest::addColumn<std::size_t>("images");
    const QByteArray one =
        R"([{"image_id": 3, "category_id": 1, "score": 0.8, "bbox": [2, 2, 10, 10]}])";
    QTest::newRow("a list") << one << std::size_t{2};
    QTest::newRow("results of one image")
        << QByteArray(R"({"detections": )" + one + "}") << std::size_t{1};
    QTest::newRow("one with results, one without")
        << QByteArray(R"({"image_ids": [5, 3], "detections": )" + one + "}") << std::size_t{2};
    QTest::newRow("an empty list") << QByteArray("[]") << std::size_t{2};
  }
  void imagesThatWereLookedAtAreJudged() {
    QFETCH(QByteArray, results);
    QFETCH(std::size_t, images);
    const OpenedResults opened = judged(write("theirs.json", results));
    QCOMPARE(opened.failure, QString());
    QCOMPARE(opened.predictions.size(), images);
  }

  void imagesOfOneNameInTwoFoldersAreToldApart_data() {
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QByteArray>("second");
    // What is written as the image a/1.png (id 3), and as b/1.png (id 5).
    QTest::newRow("by their ids") << QByteArray(R"("image_id": 3, "file_name": "1.png")")
                                  << QByteArray(R"("image_id": 5, "file_name": "1.png")");
    QTest::newRow("by their folders")
        << QByteArray(R"("image_id": 1, "file_name": "/data/set/a/1.png")")
        << QByteArray(R"("image_id": 2, "file_name": "/data/set/b/1.png")");
    QTest::newRow("by their folders, numbered the other way round")
        << QByteArray(R"("image_id": 5, "file_name": "a/1.png")")
        << QByteArray(R"("image_id": 3, "file_name": "b/1.png")");
  }
  void imagesOfOneNameInTwoFoldersAreToldApart() {
    QFETCH(QByteArray, first);
    QFETCH(QByteArray, second);
    const OpenedResults opened = judged(
        write("theirs.json",
              "[{" + first + R"(, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]}, {)" +
                  second + R"(, "category_id": 1, "score": 0.8, "bbox": [2, 2, 10, 10]}, {)" +
                  second + R"(, "category_id": 1, "score": 0.7, "bbox": [20, 20, 10, 10]}])"),
        inTwoFolders());
    QCOMPARE(opened.failure, QString());
    QCOMPARE(opened.predictions.size(), std::size_t{2});
    QCOMPARE(countOf(opened, 3), std::size_t{1});
    QCOMPARE(countOf(opened, 5), std::size_t{2});
  }

  void namesThatMayBeOfSeveralImagesAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("why");
    QTest::newRow("neither folder nor id") << QByteArray(R"([{"image_id": 1, "file_name": "1.png",
        "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]}])")
                                           << QStringLiteral("matches 2 images, such as a/1.png");
    QTest::newRow("one id for two names") << QByteArray(R"([
        {"image_id": 3, "file_name": "a/1.png", "category_id": 1, "score": 0.9, "bbox": [2, 2, 9, 9]},
        {"image_id": 3, "file_name": "b/1.png", "category_id": 1, "score": 0.9, "bbox": [2, 2, 9, 9]}])")
                                          << QStringLiteral("image_id 3 stands for a/1.png and");
  }
  void namesThatMayBeOfSeveralImagesAreRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, why);
    const QString file = write("theirs.json", text);
    const QString failure = judged(file, inTwoFolders()).failure;
    QVERIFY2(failure.contains(why) && failure.contains(file), qPrintable(failure));
  }

  void aFileIsParsedOnceWhateverJudgesIt() {
    const QString annotations = write("val.json", kTwoImages);
    const QByteArray one =
        R"([{"image_id": 5, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}])";
    const QString file = write("mine.json", one);
    app::ParsedResults parsed;
    QCOMPARE(open({file}, parsed).failure, QString());
    const auto content = parsed.content;
    QVERIFY(content);
    QCOMPARE(open({file, annotations}, parsed).failure, QString());
    QVERIFY(parsed.content == content);
    write("mine.json", "[]");
    QCOMPARE(open({file, annotations}, parsed).failure, QString());
    QVERIFY(parsed.content && parsed.content != content);
  }

  void imagesThatAreNamedAreTheSameForTheNextReader() {
    const QString annotations = write("val.json", kTwoImages);
    const QString file = write("named.json", R"([
      {"image_id": 1, "file_name": "b.png", "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}])");
    app::ParsedResults parsed;
    for (int i = 0; i < 2; ++i) {
      const OpenedResults opened = open({file, annotations}, parsed);
      QCOMPARE(opened.failure, QString());
      QVERIFY(opened.predictions.contains(ImageId{5}));
      QCOMPARE(countOf(opened, 5), std::size_t{1});
    }
  }
};

LOCKSTEP_TEST(TstOpenedResults)
#include "tst_opened_results.moc"
