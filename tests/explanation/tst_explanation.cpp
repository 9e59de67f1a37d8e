#include <QTest>
#include <limits>

#include "engine/base/error.h"
#include "engine/explanation/explanation.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::explanation;

namespace {

Explanation sample() {
  Explanation of{.image = {7}, .width = 40, .height = 30};
  of.foregroundIou = 0.7;
  of.backgroundIou = 0.3;
  of.scoreThreshold = 0.05;
  of.levels = {{.place = {-2, -2, 40, 32},
                .width = 2,
                .height = 1,
                .anchors = 6,
                .matched = 1,
                .scores = std::string("\xff\x33", 2)}};
  of.truths = {{{3}, {1, 2, 10, 12}}};
  of.anchors = {{{1, 2, 9.5, 12}, 0, 0.75, 0, 0.9}, {{4, 4, 8, 8}, 0, 0.5}};
  of.proposalCount = 12;
  of.proposals = {{{1, 2, 10, 11}, {1, 2, 9.5, 12}, 0, 0.75, {CategoryId{3}, 0.6}}};
  of.maskSide = 2;
  Detection found{.proposal = 0, .classes = {{CategoryId{3}, 0.6}, {std::nullopt, 0.4}}};
  found.detection = {{7}, {3}, 0.6000000238418579, {1, 2, 10, 12}, {}};
  found.mask = std::string("\0\x80\xff\1", 4);
  of.detections = {found};
  return of;
}

QString errorOf(const std::string& text) {
  try {
    parseExplanation(text, "a.json");
  } catch (const Error& error) {
    return QString::fromUtf8(error.what());
  }
  return {};
}

}  // namespace

class TstExplanation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatIsWrittenReadsBack() {
    const Explanation of = sample();
    const Explanation read = parseExplanation(toJson(of), "a.json");
    QCOMPARE(toJson(read), toJson(of));
    QCOMPARE(read.image.value, 7);
    QCOMPARE(read.levels[0].score(0, 0), 1.0);
    QCOMPARE(read.levels[0].score(0, 1), 0.2);
    QCOMPARE(read.anchors[0].truth, 0);
    QCOMPARE(read.anchors[1].truth, -1);
    QCOMPARE(read.proposalCount, std::int64_t{12});
    QVERIFY(read.proposals[0].best.category == CategoryId{3});
    QCOMPARE(read.detections[0].detection.score, 0.6000000238418579);  // to the last bit
    QVERIFY(!read.detections[0].classes[1].category);
    QCOMPARE(read.detections[0].mask, of.detections[0].mask);
  }

  void whatIsNotFiniteIsZero() {
    Explanation of = sample();
    of.anchors[0].score = std::numeric_limits<double>::quiet_NaN();
    QCOMPARE(parseExplanation(toJson(of), "a.json").anchors[0].score, 0.0);
    QCOMPARE(byteOf(std::numeric_limits<double>::quiet_NaN()), std::uint8_t{0});
    QCOMPARE(byteOf(2), std::uint8_t{255});
  }

  void damagedFilesAreErrorsInOneLine_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const char* from, const char* to, const char* error) {
      QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QString::fromUtf8(error);
    };
    row("cut off", "]}\n", "", "a.json: not JSON");
    row("no array", "\"truths\":[", "\"truth\":[", "a.json: truths is missing");
    row("another type", "\"width\":40", "\"width\":\"40\"", "a.json: width is missing or");
    row("a level that is not there", "\"level\":0,\"score\":0.5", "\"level\":3,\"score\":0.5",
        "a.json: anchors 2: level 3 is not there");
    row("an object that is not there", "\"truth\":0", "\"truth\":-1",
        "a.json: anchors 1: truth -1 is not there");
    row("a proposal that is not there", "\"proposal\":0", "\"proposal\":1",
        "a.json: detections 1: proposal 1 is not there");
    row("fewer scores", "\"height\":1,", "\"height\":2,", "a.json: levels 1: scores has another");
    row("another mask", "\"mask_side\":2", "\"mask_side\":3", "a.json: detections 1: mask has");
    row("a negative size", "\"mask_side\":2", "\"mask_side\":-2", "a.json: mask_side is negative");
  }
  void damagedFilesAreErrorsInOneLine() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, error);
    QByteArray text = QByteArray::fromStdString(toJson(sample()));
    QVERIFY2(text.contains(from), text.constData());
    const QString said = errorOf(text.replace(from, to).toStdString());
    QVERIFY2(said.startsWith(error) && !said.contains(QLatin1Char('\n')), qPrintable(said));
  }
};

LOCKSTEP_TEST(TstExplanation)
#include "tst_explanation.moc"
