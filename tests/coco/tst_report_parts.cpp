#include <QTest>

#include "engine/base/number_text.h"
#include "engine/coco/report/embedded_image.h"
#include "engine/coco/report/html.h"
#include "engine/coco/report/outlines.h"
#include "tests/support/test_main.h"

using namespace lockstep::coco;
using namespace lockstep::coco::report;

class TstReportParts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void textsAreEscapedAndNotTruncated() {
    QCOMPARE(escaped("a<b>&\"'"), std::string("a&lt;b&gt;&amp;&quot;&#39;"));
    QCOMPARE(escaped("Tröpfchen 滴 \U0001f4a7"), std::string("Tröpfchen 滴 \U0001f4a7"));
    const std::string none = "\xef\xbf\xbd";
    QCOMPARE(escaped("\xff"), none);
    QCOMPARE(escaped("\xe6\xbb"), none + none);             // truncated
    QCOMPARE(escaped("\xed\xa0\x80"), none + none + none);  // half of a surrogate pair
    QCOMPARE(escaped("\xc0\xaf"), none + none);             // overlong
    QCOMPARE(escaped("\xef\xbf\xbe"), none + none + none);  // noncharacter
    QCOMPARE(escaped(std::string_view("\0", 1)), none);
    QCOMPARE(escaped("a\u202eb\u2028\u009b"), "a" + none + "b" + none + none);
  }

  void longTextsAreTruncatedBetweenCharacters() {
    QCOMPARE(cutTo("abcd", 4), std::string("abcd"));
    QCOMPARE(cutTo("abcde", 4), std::string("abc…"));
    QCOMPARE(cutTo("滴滴滴", 2), std::string("滴…"));
    QCOMPARE(cutTo("", 2), std::string());
  }

  void numbersAreFormatted() {
    QCOMPARE(figure(-1), std::string("–"));
    QCOMPARE(figure(.25), std::string("0.250"));
    QCOMPARE(lockstep::base::signedNumber(-.25, 2), std::string("-0.25"));
    QCOMPARE(grouped(1234567), std::string("1\u202f234\u202f567"));
    QCOMPARE(grouped(999), std::string("999"));
    QCOMPARE(groupedCount(1, "image"), std::string("1 image"));
    QCOMPARE(groupedCount(0, "image"), std::string("0 images"));
    QVERIFY(figure(1e300).size() > 300);
  }

  void outlinesFollowPixelEdges() {
    // Two pixels side by side at x 1 and 2 of row 1, of 4 x 3 px, column by column.
    const Outline outline = maskOutlineOf({3, 4, {4, 1, 2, 1, 4}}, {9, 9, 9, 9});
    QCOMPARE(outline.shape, std::string("<path d=\"M3 1v1h-2v-1z\""));
    QCOMPARE(outline.left, 1.);
    QCOMPARE(outline.top, 1.);
    QCOMPARE(outline.bottom, 2.);
  }

  void emptyAndComplexMasksAreDrawnAsBoxes() {
    const std::string box = "<rect x=\"1.5\" y=\"2\" width=\"3\" height=\"4\"";
    QCOMPARE(maskOutlineOf({3, 4, {12}}, {1.5, 2, 3, 4}).shape, box);
    Rle ragged{200, 200, std::vector<std::uint32_t>(40000, 1)};
    QCOMPARE(maskOutlineOf(ragged, {1.5, 2, 3, 4}).shape, box);
  }

  void pathsDoNotLeaveTheFolder() {
    ImageEmbedder embedder("/");
    for (const char* name : {"../etc/passwd", "etc/../../etc/passwd", "/etc/passwd", "a/.."})
      QCOMPARE(embedder.embed(name).missingReason,
               std::string("its path leaves the images folder"));
    QCOMPARE(embedder.embed("etc/passwd").missingReason,
             std::string("not an image format that browsers display"));
    QCOMPARE(embedder.embed("dev/zero").missingReason, std::string("no such file"));
    QCOMPARE(embedder.embed("").missingReason, std::string("no such file"));
    QCOMPARE(embedder.embed(std::string(5000, 'a')).missingReason, std::string("no such file"));
  }
};

LOCKSTEP_TEST(TstReportParts)
#include "tst_report_parts.moc"
