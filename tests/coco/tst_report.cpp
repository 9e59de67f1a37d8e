#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <fstream>
#include <memory>

#include "engine/coco/analysis/weighted_ap.h"
#include "engine/coco/report/report.h"
#include "tests/support/made_jpeg.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using lockstep::tests::madeJpeg;
namespace fs = std::filesystem;

namespace {

constexpr const char* kEvilName = "<script>alert('1')</script> & \"<b>\"";
constexpr const char* kEvilFile = "sub/\"><img src=x onerror=alert(1)>.png";

/// An element of a page, with all of its text.
struct Element {
  QString name, text;
  QXmlStreamAttributes attributes;

  QString attribute(const char* of) const { return attributes.value(QLatin1String(of)).toString(); }
};

/// Every element in the order of end tags. Empty if the page is not well-formed.
std::vector<Element> elementsOf(const std::string& html) {
  QXmlStreamReader reader(QByteArray::fromStdString(html));
  std::vector<Element> open, closed;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement())
      open.push_back({reader.name().toString(), {}, reader.attributes()});
    if (reader.isCharacters()) {
      for (Element& element : open) element.text += reader.text();
    }
    if (reader.isEndElement()) {
      closed.push_back(open.back());
      open.pop_back();
    }
  }
  if (reader.hasError()) qWarning() << reader.errorString() << "at line" << reader.lineNumber();
  return reader.hasError() ? std::vector<Element>{} : closed;
}

std::vector<Element> named(const std::string& html, const char* name) {
  std::vector<Element> found;
  for (const Element& element : elementsOf(html)) {
    if (element.name == QLatin1String(name)) found.push_back(element);
  }
  return found;
}

/// The cells of a table by row.
std::vector<QStringList> rowsOf(const std::string& html, const QString& table) {
  const auto begin = html.find(("<table id=\"" + table + "\"").toStdString());
  const auto end = html.find("</table>", begin);
  if (begin == std::string::npos) return {};
  std::vector<QStringList> rows;
  QStringList row;
  for (const Element& element : elementsOf(html.substr(begin, end + 8 - begin))) {
    if (element.name == QLatin1String("th") || element.name == QLatin1String("td"))
      row.append(element.text);
    if (element.name != QLatin1String("tr")) continue;
    rows.push_back(row);
    row.clear();
  }
  return rows;
}

Annotation object(std::int64_t id, std::int64_t image, std::int64_t category, double x, double y,
                  double side) {
  Annotation annotation;
  annotation.id = id;
  annotation.imageId = {image};
  annotation.categoryId = {category};
  annotation.boxXywh = {x, y, side, side};
  annotation.segmentation =
      std::vector<std::vector<double>>{{x, y, x + side, y, x + side, y + side, x, y + side}};
  return annotation;
}

std::string detection(int image, int category, double x, double y, double side, double score) {
  const auto number = [](double value) { return std::to_string(value); };
  return R"({"image_id":)" + std::to_string(image) + R"(,"category_id":)" +
         std::to_string(category) + R"(,"bbox":[)" + number(x) + "," + number(y) + "," +
         number(side) + "," + number(side) + R"(],"score":)" + number(score) + "}";
}

/// The header of a PNG; nothing here decodes the rest.
const std::string kPng("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0d\0\0\0P", 24);

/// A dataset, its results and the input of a report. Image 1: a true positive, a false negative,
/// a false positive, a duplicate. Image 2: a false negative. Image 3: all correct.
class Made {
 public:
  explicit Made(IouType type = IouType::Mask, const std::string& detections = kDetections,
                int width = 100, int height = 80)
      : groundTruth_(Dataset::fromParts({{{1}, "day 1/a.png", width, height},
                                         {{2}, kEvilFile, 100, 80},
                                         {{3}, "c.png", 100, 80}},
                                        {{{1}, kEvilName}, {{2}, "drop"}, {{3}, "never seen"}},
                                        {object(1, 1, 1, 10, 20, 30), object(2, 1, 2, 60, 20, 20),
                                         object(3, 2, 2, 0, 0, 20), object(4, 3, 2, 5, 5, 40)},
                                        "made")),
        results_(ResultsFile::load(written(detections), groundTruth_)) {
    const auto matches = matchResults(groundTruth_, results_, type);
    figures_ = accumulate(matches, groundTruth_.categories());
    weighted_ = std::make_unique<WeightedAp>(matches, groundTruth_.categories());
    analysis_ = std::make_unique<Analysis>(
        analyse(OverlapSet(groundTruth_, results_, type), *weighted_, {.5, .1}));
    type_ = type;
  }

  fs::path images() const { return fs::path(folder_.path().toStdString()) / "images"; }
  void writeImage(const std::string& name, const std::string& bytes) const {
    fs::create_directories((images() / name).parent_path());
    std::ofstream(images() / name, std::ios::binary) << bytes;
  }
  const Analysis& analysis() const { return *analysis_; }
  const AveragePrecision& figures() const { return figures_; }
  ResultsComparison comparison() const {
    ResultsComparison made{"a.json", "b.json", 3, figures_, compareAp(*weighted_, *weighted_)};
    made.figuresOfB.stats[0] += .25;
    return made;
  }
  Report report(const fs::path& imagesFolder = {},
                const ResultsComparison* comparison = nullptr) const {
    return makeReport({.groundTruthName = "dir/<gt>.json",
                       .resultsName = "a.json",
                       .type = type_,
                       .groundTruth = groundTruth_,
                       .results = results_,
                       .figures = figures_,
                       .analysis = *analysis_,
                       .comparison = comparison,
                       .imagesFolder = imagesFolder});
  }

  static const std::string kDetections;

 private:
  fs::path written(const std::string& detections) const {
    const fs::path file = fs::path(folder_.path().toStdString()) / "results.json";
    std::ofstream(file) << "[" << detections << "]";
    return file;
  }

  QTemporaryDir folder_;
  Dataset groundTruth_;
  ResultsFile results_;
  AveragePrecision figures_;
  std::unique_ptr<WeightedAp> weighted_;
  std::unique_ptr<Analysis> analysis_;
  IouType type_ = IouType::Mask;
};

const std::string Made::kDetections =
    detection(1, 1, 10, 20, 30, .9) + "," + detection(1, 1, 11, 20, 30, .8) + "," +
    detection(1, 2, 70, 50, 20, .7) + "," + detection(3, 2, 5, 5, 40, .6) + "," +
    detection(1, 2, 0, 0, 9, .05);

}  // namespace

class TstReport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pageIsSelfContainedAndWithoutScripts() {
    const Made made;
    made.writeImage("day 1/a.png", kPng);
    const auto comparison = made.comparison();
    const std::string html = made.report(made.images(), &comparison).html;
    const auto elements = elementsOf(html);
    QVERIFY(!elements.empty());
    std::size_t links = 0;
    for (const Element& element : elements) {
      QVERIFY2(element.name != QLatin1String("script") && element.name != QLatin1String("link") &&
                   element.name != QLatin1String("iframe"),
               qPrintable(element.name));
      for (const QXmlStreamAttribute& attribute : element.attributes) {
        const QString name = attribute.name().toString(), value = attribute.value().toString();
        QVERIFY2(!name.startsWith(QLatin1String("on")), qPrintable(name));
        QVERIFY2(!value.contains(QLatin1String("//")), qPrintable(value));
        if (name == QLatin1String("href")) QVERIFY(value.startsWith(QLatin1Char('#')));
        if (name == QLatin1String("src"))
          QVERIFY(value.startsWith(QLatin1String("data:image/png;")));
        links += name == QLatin1String("href") || name == QLatin1String("src");
      }
      if (element.name != QLatin1String("style")) continue;
      QVERIFY(!element.text.contains(QLatin1String("url(")));
      QVERIFY(!element.text.contains(QLatin1String("@import")));
    }
    QVERIFY(links > 4);
  }

  void untrustedTextIsEscaped() {
    const std::string html = Made().report().html;
    QStringList classNames;
    for (const QStringList& row : rowsOf(html, QStringLiteral("classes")))
      classNames << row.first();
    QVERIFY(classNames.contains(QString::fromUtf8(kEvilName)));
    const auto captions = named(html, "figcaption");
    const bool isFound = std::any_of(captions.begin(), captions.end(), [](const Element& caption) {
      return caption.text.startsWith(QString::fromUtf8(kEvilFile));
    });
    QVERIFY(isFound);
    QVERIFY(named(html, "img").empty());
    QVERIFY(named(html, "b").size() > 5);  // ours
    for (const Element& element : named(html, "b")) QVERIFY(!element.text.isEmpty());
  }

  void invalidUtf8IsReplaced() {
    const auto groundTruth =
        Dataset::fromParts({{{1}, "a\x01\xff\xed\xa0\x80z", 9, 9}}, {{{1}, "\xc0\xaf"}},
                           {object(1, 1, 1, 0, 0, 5)}, "x");
    QTemporaryDir folder;
    const fs::path file = fs::path(folder.path().toStdString()) / "dt.json";
    std::ofstream(file) << "[]";
    const auto results = ResultsFile::load(file, groundTruth);
    const auto matches = matchResults(groundTruth, results, IouType::Box);
    const auto figures = accumulate(matches, groundTruth.categories());
    const Analysis analysis = analyse(OverlapSet(groundTruth, results, IouType::Box),
                                      WeightedAp(matches, groundTruth.categories()));
    const std::string html = makeReport({.groundTruthName = "x\x02",
                                         .resultsName = "y",
                                         .groundTruth = groundTruth,
                                         .results = results,
                                         .figures = figures,
                                         .analysis = analysis,
                                         .imagesFolder = {}})
                                 .html;
    const auto captions = named(html, "figcaption");
    QCOMPARE(captions.size(), std::size_t{1});
    QVERIFY2(
        captions[0].text.startsWith(QString::fromUtf8("a\u0001").replace(QChar(1), QChar(0xfffd))),
        qPrintable(captions[0].text));
  }

  void metricsAreThoseOfTheEvaluation() {
    const Made made;
    const auto text = [](double value, int digits = 3) {
      return value < 0 ? QStringLiteral("–") : QString::number(value, 'f', digits);
    };
    const auto rows = rowsOf(made.report().html, QStringLiteral("figures"));
    QCOMPARE(rows.size(), std::size_t{13});
    for (std::size_t i = 0; i < 12; ++i) {
      QCOMPARE(rows[i + 1][0], QString::fromStdString(made.figures().names[i]));
      QCOMPARE(rows[i + 1][2], text(made.figures().stats[i], 4));
    }
    const Interval& interval = made.analysis().uncertainty.ap;
    QCOMPARE(rows[1][3], text(interval.low, 4) + QStringLiteral(" to ") + text(interval.high, 4));
    // By falling AP; the drop: 1 of 3 detected, 1 false positive.
    const auto classes = rowsOf(made.report().html, QStringLiteral("classes"));
    QCOMPARE(classes.size(), std::size_t{4});
    QCOMPARE(classes[2],
             QStringList({QStringLiteral("drop"), QString(), text(made.figures().classes[1].ap),
                          text(made.figures().classes[1].ap50), QStringLiteral("0.500"),
                          QStringLiteral("0.333"), QStringLiteral("0.400"), QStringLiteral("1"),
                          QStringLiteral("1"), QStringLiteral("2")}));
    QCOMPARE(classes[3][0], QStringLiteral("never seen"));
    QCOMPARE(classes[3][2], QStringLiteral("–"));
    const auto sizes = rowsOf(made.report().html, QStringLiteral("sizes"));
    QCOMPARE(sizes[1].mid(5),
             QStringList({QStringLiteral("2"), QStringLiteral("2"), QStringLiteral("2")}));
  }

  void comparisonHasBothColumnsAndTheVerdict() {
    const Made made;
    const auto comparison = made.comparison();
    const std::string html = made.report({}, &comparison).html;
    const auto rows = rowsOf(html, QStringLiteral("figures"));
    QCOMPARE(rows[0].mid(2), QStringList({QStringLiteral("a.json"), QStringLiteral("b.json"),
                                          QStringLiteral("difference")}));
    QCOMPARE(rows[1][4], QStringLiteral("+0.2500"));
    QCOMPARE(rows[2][4], QStringLiteral("+0.0000"));
    QCOMPARE(rows[6][4], QStringLiteral("–"));  // no large object
    bool isSaid = false;
    for (const Element& p : named(html, "p"))
      isSaid |= p.text.toStdString() == verdictSentence(comparison);
    QVERIFY(isSaid);
  }

  void outlinesFollowTheMasks() {
    const std::string html = Made().report().html;
    QStringList paths, views;
    for (const Element& path : named(html, "path")) paths << path.attribute("d");
    // Missed: annotations 2 and 3. Detections without masks are drawn as boxes.
    QVERIFY2(paths.contains(QStringLiteral("M80 20v20h-20v-20z")),
             qPrintable(paths.join(QLatin1Char(' '))));
    QVERIFY(paths.contains(QStringLiteral("M20 0v20h-20v-20z")));
    QCOMPARE(paths.size(), 2);
    QCOMPARE(QString::fromStdString(html).count(QStringLiteral("class=\"outline tp\" href")), 1);
    QCOMPARE(QString::fromStdString(html).count(QStringLiteral("class=\"outline fp\" href")), 2);
    QCOMPARE(QString::fromStdString(html).count(QStringLiteral("class=\"outline fn\" href")), 2);
    for (const Element& svg : named(html, "svg")) views << svg.attribute("viewBox");
    QCOMPARE(views.count(QStringLiteral("0 0 100 80")), 2);  // the third image has no error
    QStringList titles;
    for (const Element& title : named(html, "title")) titles << title.text;
    QVERIFY(titles.contains(QStringLiteral("drop 0.7, IoU 0.00, background")));
    QVERIFY(titles.contains(QStringLiteral("drop, missed")));
  }

  void detectionMasksAreDrawnForMaskIou() {
    // 10 x 10 px at 70, 50 of 100 x 80, with a larger bbox.
    Rle mask{80, 100, {70 * 80 + 50}};
    for (int column = 0; column < 10; ++column) mask.counts.insert(mask.counts.end(), {10, 70});
    mask.counts.back() = 30 * 80 - 10 * 80 + 20;
    const std::string found = detection(1, 2, 60, 40, 30, .7);
    const std::string withMask = found.substr(0, found.size() - 1) +
                                 ",\"segmentation\":{\"size\":[80,100],\"counts\":\"" +
                                 compressCounts(mask) + "\"}}";
    const auto isDrawn = [&](IouType type) {
      return Made(type, withMask).report().html.find("<path d=\"M80 50v10h-10v-10z\"") !=
             std::string::npos;
    };
    QVERIFY(isDrawn(IouType::Mask));
    QVERIFY(isDrawn(IouType::Boundary));
    QVERIFY(!isDrawn(IouType::Box));
  }

  void captionCountsOutlinesThatAreNotDrawn() {
    std::string all = detection(1, 1, 10, 20, 30, .9);
    for (int i = 0; i < 95; ++i) {
      all += "," + detection(1, 1, .5 * i, 70, 5, .8) + "," + detection(1, 2, .5 * i, 0, 5, .8) +
             "," + detection(1, 3, .5 * i, 0, 5, .8);
    }
    const auto html = QString::fromStdString(Made(IouType::Box, all).report().html);
    QVERIFY(html.contains(QStringLiteral("286 errors: 285 FP, 1 FN; 1 TP; 87 outlines not drawn")));
    QCOMPARE(html.count(QStringLiteral("class=\"outline fp\" href")), 200);
    QCOMPARE(html.count(QStringLiteral("<text class=\"fp")), 40);
  }

  void exifOrientationIsAppliedOnlyIfItFitsTheAnnotations_data() {
    QTest::addColumn<int>("orientation");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<QString>("turned");
    QTest::newRow("as stored") << 6 << 640 << 480 << QStringLiteral("none");
    QTest::newRow("turned") << 6 << 480 << 640 << QStringLiteral("from-image");
    QTest::newRow("upright") << 1 << 480 << 640 << QStringLiteral("none");
  }
  void exifOrientationIsAppliedOnlyIfItFitsTheAnnotations() {
    QFETCH(int, orientation);
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(QString, turned);
    const Made made(IouType::Box, Made::kDetections, width, height);
    made.writeImage("day 1/a.png", madeJpeg(static_cast<char>(orientation), true));
    const auto images = named(made.report(made.images()).html, "img");
    QCOMPARE(images.size(), std::size_t{1});
    QCOMPARE(images[0].attribute("style"), QStringLiteral("image-orientation:") + turned);
  }

  void boxesAreDrawnForBoxIou() {
    const std::string html = Made(IouType::Box).report().html;
    QVERIFY(named(html, "path").empty());
    bool isFound = false;
    for (const Element& rect : named(html, "rect")) {
      isFound |= rect.attribute("x") == QLatin1String("60") &&
                 rect.attribute("y") == QLatin1String("20") &&
                 rect.attribute("width") == QLatin1String("20") &&
                 rect.attribute("id").startsWith(QLatin1Char('o'));
    }
    QVERIFY(isFound);
  }

  void imagesAreEmbeddedUnchanged() {
    const Made made;
    made.writeImage("day 1/a.png", kPng);
    const Report report = made.report(made.images());
    const auto images = named(report.html, "img");
    QCOMPARE(images.size(), std::size_t{1});
    const QString source = images[0].attribute("src");
    const QString before = QStringLiteral("data:image/png;base64,");
    QVERIFY(source.startsWith(before));
    QCOMPARE(QByteArray::fromBase64(source.mid(before.size()).toLatin1()).toStdString(), kPng);
    QCOMPARE(report.missingImages.size(), std::size_t{1});
    QVERIFY2(report.missingImages[0].ends_with(": no such file"), report.missingImages[0].c_str());
    QVERIFY(report.html.find("<p>no image: no such file</p>") != std::string::npos);
    QVERIFY(made.report().missingImages.empty());
  }

  void imageThatCannotBeEmbeddedIsListed_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("reason");
    QTest::newRow("tiff") << QByteArray("II*\0 and more", 13)
                          << QStringLiteral("not an image format that browsers display");
    QTest::newRow("empty") << QByteArray()
                           << QStringLiteral("not an image format that browsers display");
    QTest::newRow("large") << QByteArray::fromStdString(kPng).append(8 << 20, 'x')
                           << QStringLiteral("larger than 8 MiB");
  }
  void imageThatCannotBeEmbeddedIsListed() {
    QFETCH(QByteArray, content);
    QFETCH(QString, reason);
    const Made made;
    made.writeImage("day 1/a.png", content.toStdString());
    const Report report = made.report(made.images());
    QVERIFY(named(report.html, "img").empty());
    QCOMPARE(QString::fromStdString(report.missingImages[0]),
             QStringLiteral("day 1/a.png: ") + reason);
  }

  void withoutErrorsNoImageIsShown() {
    const std::string all = detection(1, 1, 10, 20, 30, .9) + "," +
                            detection(1, 2, 60, 20, 20, .9) + "," + detection(2, 2, 0, 0, 20, .9) +
                            "," + detection(3, 2, 5, 5, 40, .9);
    const std::string html = Made(IouType::Box, all).report().html;
    QVERIFY(html.find("No image has an error at score ≥ 0.1 and IoU ≥ 0.5") != std::string::npos);
    QVERIFY(html.find("class=\"shot\"") == std::string::npos);
  }

  void chartsExistWithTheirData() {
    const Made made;
    const std::string html = made.report().html;
    QStringList charts;
    for (const Element& svg : named(html, "svg")) charts << svg.attribute("aria-label");
    for (const char* name :
         {"precision against recall", "precision, recall and F1 against score threshold",
          "AP cost of errors", "confusion matrix", "drop"}) {
      QVERIFY2(charts.contains(QString::fromUtf8(name)), name);
    }
    for (const ErrorTypeWords& words : kErrorTypeWords)
      for (const char* text : {words.name, words.sentence})
        QVERIFY2(html.find(std::string(">") + text + "</text>") != std::string::npos, text);
    QStringList titles;
    for (const Element& title : named(html, "title")) titles << title.text;
    QVERIFY(titles.contains(QStringLiteral("drop predicted as drop: 1")));
    QVERIFY(titles.contains(QStringLiteral("drop predicted as background: 2")));
  }
};

LOCKSTEP_TEST(TstReport)
#include "tst_report.moc"
