#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "engine/config/value_text.h"
#include "engine/config/yaml_tree.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstValueText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Also those before the last one.
  void positionsOfOnePassAreThoseOfACount() {
    for (const std::string mark : {"", "\xef\xbb\xbf"}) {
      const std::string text = mark + "name: \xc3\xa9t\xc3\xa9\n\n- [1, \xe2\x82\xac, 2]\nlast";
      config::TextPositions positions(text);
      std::vector<std::size_t> offsets;
      for (std::size_t i = mark.size(); i <= text.size(); ++i) offsets.push_back(i);
      for (const std::size_t back : {std::size_t{20}, std::size_t{12}, std::size_t{99}})
        offsets.push_back(back);
      for (const std::size_t offset : offsets) {
        int line = 1, column = 1;
        for (std::size_t i = mark.size(); i < std::min(offset, text.size()); ++i) {
          const bool isBreak = text[i] == '\n';
          if (isBreak) ++line;
          column = isBreak ? 1 : column + ((text[i] & 0xC0) != 0x80 ? 1 : 0);
        }
        const config::TextPosition found = positions.at(offset);
        QCOMPARE(found.line, line);
        QCOMPARE(found.column, column);
        const config::TextPosition alone = config::positionOf(text, offset);
        QVERIFY(alone.line == line && alone.column == column);
      }
    }
  }

  void numbersAreReadStrictly_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isNumber");
    QTest::addColumn<double>("value");
    for (const char* good :
         {"0", "-0.5", "1e-5", "1E3", ".5", "5.", "+2", "1.0e-5", "90000", "0.1"}) {
      QTest::newRow(good) << QString::fromUtf8(good) << true << std::strtod(good, nullptr);
    }
    for (const char* bad : {"", "010", "00", "-01", "1_000", "0x10", "inf", ".inf", "nan", "1e999",
                            "1,5", "e5", "1e", "--1", "1 ", " 1", "1.2.3", "1e5.0", "٣"}) {
      QTest::newRow(qPrintable(QStringLiteral("not '%1'").arg(QString::fromUtf8(bad))))
          << QString::fromUtf8(bad) << false << 0.0;
    }
  }
  void numbersAreReadStrictly() {
    QFETCH(QString, text);
    QFETCH(bool, isNumber);
    QFETCH(double, value);
    const std::optional<double> read = config::readNumber(text.toStdString());
    QCOMPARE(read.has_value(), isNumber);
    if (read) QCOMPARE(*read, value);
  }

  void wholeNumbersAreReadStrictly() {
    QCOMPARE(config::readInteger("90000").value(), std::int64_t{90000});
    QCOMPARE(config::readInteger("-3").value(), std::int64_t{-3});
    QCOMPARE(config::readInteger("1e3").value(), std::int64_t{1000});
    QCOMPARE(config::readInteger("1.5e1").value(), std::int64_t{15});
    QCOMPARE(config::readInteger("9007199254740993").value(), std::int64_t{9007199254740993});
    for (const char* bad :
         {"1.0", "1.5", "010", "90_000", "1e-1", "1e30", "9223372036854775808", "", "auto"}) {
      QVERIFY2(!config::readInteger(bad), bad);
    }
  }

  void durationsHaveUnits() {
    using config::Duration;
    QCOMPARE(config::readDuration("200").value(), (Duration{200}));
    QCOMPARE(config::readDuration("200 steps").value(), (Duration{200}));
    QCOMPARE(config::readDuration("12 epochs").value(), (Duration{12, Duration::Unit::Epochs}));
    QCOMPARE(config::readDuration("0.5 epochs").value(), (Duration{0.5, Duration::Unit::Epochs}));
    QCOMPARE(config::readDuration("1epoch").value(), (Duration{1, Duration::Unit::Epochs}));
    QCOMPARE(config::readDuration("20000  images").value(),
             (Duration{20000, Duration::Unit::Images}));
    QCOMPARE(config::readDuration("1e3").value(), (Duration{1000}));
    for (const char* bad :
         {"", "epochs", "12 hours", "1.5", "2.5 images", "12 epochs 3", "ten epochs", "1e300"}) {
      QVERIFY2(!config::readDuration(bad), bad);
    }
  }

  void sizesHaveUnits() {
    QCOMPARE(config::readBytes("4 GiB").value(), std::int64_t{4} << 30);
    QCOMPARE(config::readBytes("1.5MiB").value(), std::int64_t{3} << 19);
    QCOMPARE(config::readBytes("1024").value(), std::int64_t{1024});
    QCOMPARE(config::readBytes("7 B").value(), std::int64_t{7});
    for (const char* bad : {"", "4 GB", "4 gib", "GiB", "1.5", "4 GiB x", "1e9 TiB"})
      QVERIFY2(!config::readBytes(bad), bad);
    for (const std::int64_t bytes : {0LL, 1LL, 1023LL, 1024LL, 3LL << 19, 4LL << 30, 5LL << 40}) {
      QCOMPARE(config::readBytes(config::writeBytes(bytes)).value(), std::int64_t{bytes});
    }
    QCOMPARE(config::writeBytes(std::int64_t{4} << 30), std::string("4 GiB"));
  }

  void writtenNumbersAreShortAndReadBack() {
    QCOMPARE(config::writeNumber(0.02), std::string("0.02"));
    QCOMPARE(config::writeNumber(0.0001), std::string("0.0001"));
    QCOMPARE(config::writeNumber(1e-5), std::string("1.0e-5"));
    QCOMPARE(config::writeNumber(90000), std::string("90000"));
    QCOMPARE(config::writeNumber(0), std::string("0"));
    QCOMPARE(config::writeNumber(-2.5e20), std::string("-2.5e+20"));
    std::uint64_t seed = 5;
    for (int turn = 0; turn < 20000; ++turn) {
      const double value = std::bit_cast<double>(tests::nextRandom(seed));
      if (!std::isfinite(value)) continue;
      const std::string text = config::writeNumber(value);
      QVERIFY2(config::readNumber(text) == value, text.c_str());
      QVERIFY2(std::strtod(text.c_str(), nullptr) == value, text.c_str());
    }
  }

  void writtenTextsReadBackInBlockAndFlow() {
    const std::vector<std::string> texts{
        "plain", "a b",        " a",   "a ",   "",     "it's", "\"",         "a: b", "a:b", "b:",
        "a #b",  "a#b",        "#a",   "- a",  "-a",   "-",    "---",        "? a",  "!x",  "&x",
        "*x",    "|",          ">",    "%x",   "@x",   "`x",   "[a",         "a]",   "{a",  "a}",
        "a,b",   "null",       "~",    "Null", "true", "no",   "12",         "1e5",  ".5",  "-1",
        "0x1",   "2024-01-01", "a\nb", "a\tb", "\x01", "\x7f", "größe/日本", "\\n",  "<<",  "="};
    for (const std::string& text : texts) {
      const std::string yaml = config::writeText(text);
      for (const std::string& line :
           {"k: " + yaml, "k: {v: " + yaml + ", w: 1}", "k: [" + yaml + "]"}) {
        const config::YamlNode root = config::parseYaml(line);
        const config::YamlNode* node = &root.items.at(0);
        if (node->kind != config::YamlNode::Kind::Scalar) node = &node->items.at(0);
        QVERIFY2(node->kind == config::YamlNode::Kind::Scalar, line.c_str());
        QVERIFY2(node->text == text, line.c_str());
      }
    }
    QCOMPARE(config::writeText("data/train"), std::string("data/train"));
    QCOMPARE(config::writeText("it's"), std::string("it's"));
  }

  void probableNumbersAreSuggested() {
    QCOMPARE(config::probableNumber("010"), std::string("10"));
    QCOMPARE(config::probableNumber("07"), std::string("7"));
    QCOMPARE(config::probableNumber("90_000"), std::string("90000"));
    QCOMPARE(config::probableNumber("90,000"), std::string("90000"));
    QCOMPARE(config::probableNumber("0,5"), std::string("0.5"));
    QCOMPARE(config::probableNumber("fast"), std::string());
  }
};

LOCKSTEP_TEST(TstValueText)

#include "tst_value_text.moc"
