#include <QTest>

#include "engine/base/shortened_text.h"
#include "tests/support/test_main.h"

using lockstep::base::printable;
using lockstep::base::shortened;
using lockstep::base::simplified;

class TstShortenedText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aShortLineStaysAsItIs() {
    QCOMPARE(shortened(""), std::string());
    QCOMPARE(shortened("backbone.body.conv1.weight"), std::string("backbone.body.conv1.weight"));
    QCOMPARE(shortened("dög \"1\" 液滴"), std::string("dög \"1\" 液滴"));
    QCOMPARE(shortened(std::string(60, 'x')), std::string(60, 'x'));
  }

  void aLongTextIsTruncatedBetweenCharacters() {
    QCOMPARE(shortened(std::string(61, 'x')), std::string(60, 'x') + "…");
    QCOMPARE(shortened("12345678", 7), std::string("1234567…"));
    const std::string odd = std::string(59, 'x') + "ü";  // its second byte would be the 61st
    QCOMPARE(shortened(odd), std::string(59, 'x') + "…");
  }

  void breaksAndControlCharactersAreSpaces() {
    QCOMPARE(shortened("a\nb\r\t\x1b[31mc\x7f"), std::string("a b   [31mc "));
    QCOMPARE(shortened(std::string("a\0b", 3)), std::string("a b"));
    QCOMPARE(shortened("a\u0085b\u2028c\u2029d"), std::string("a b c d"));
    QCOMPARE(shortened("a\u00a0b"), std::string("a\u00a0b"));
  }

  void aTextCannotTurnItsDirection() {
    QCOMPARE(printable("a\u202ebc\u2066d\u2060"), std::string("a bc d\u2060"));
  }

  void terminalsSeeControlCharactersAsEscapes() {
    using lockstep::base::escaped;
    QCOMPARE(escaped("a\x1b]0;title\x07\x7f\r"), std::string("a\\x1b]0;title\\x07\\x7f\\x0d"));
    QCOMPARE(escaped("\u009b31m\u202etxt.exe"), std::string("\\u009b31m\\u202etxt.exe"));
    QCOMPARE(escaped("dög 液滴\n\tü\\"), std::string("dög 液滴\n\tü\\"));
  }

  void namesHaveNoBlanksAtTheirEndsAndSingleOnesWithin() {
    QCOMPARE(simplified("dog"), std::string("dog"));
    QCOMPARE(simplified("\n\t\t\tdog\r\n  "), std::string("dog"));
    QCOMPARE(simplified("traffic \n\t light"), std::string("traffic light"));
    QCOMPARE(simplified("\u00a0\u3000\ufeff\u7279\u3000\u5fb4\u200b"),
             std::string("\u7279 \u5fb4"));
    QCOMPARE(simplified(" \n "), std::string());
  }

  void whatIsPrintableIsNotTruncated() {
    QCOMPARE(printable(std::string(61, 'x') + "\n液"), std::string(61, 'x') + " 液");
  }
};

LOCKSTEP_TEST(TstShortenedText)
#include "tst_shortened_text.moc"
