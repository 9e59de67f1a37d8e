#include <QTest>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/error.h"
#include "engine/protocol/json_text.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::protocol;

namespace {

template <typename T>
std::string written(T value) {
  std::string text;
  JsonWriter(text).value(value);
  return text;
}

}  // namespace

class TstJsonText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void commasStandBetweenValuesOnly();
  void floatsAreShortAndReadBackTheSame();
  void everyKindOfFloatReadsBackTheSame();
  void everyKindOfDoubleReadsBackTheSame();
  void nonFiniteNumbersAreTexts();
  void textsAreEscapedAndInvalidUtf8IsReplaced();
  void parsingRefusesWithWords_data();
  void parsingRefusesWithWords();
  void deepNestingIsRefusedAtItsBound();
};

void TstJsonText::commasStandBetweenValuesOnly() {
  std::string text;
  JsonWriter json(text);
  json.beginObject();
  json.key("a");
  json.value(1);
  json.key("b");
  json.beginArray();
  json.value(true);
  json.null();
  json.beginObject();
  json.endObject();
  json.endArray();
  json.key("c");
  json.raw("{\"d\":2}");
  json.endObject();
  QCOMPARE(text, std::string(R"({"a":1,"b":[true,null,{}],"c":{"d":2}})"));
}

void TstJsonText::floatsAreShortAndReadBackTheSame() {
  QCOMPARE(written(0.1f), std::string("0.1"));
  QCOMPARE(written(1.0f), std::string("1"));
  QCOMPARE(written(-0.0f), std::string("-0.0"));
  QCOMPARE(written(0.1), std::string("0.1"));
  QCOMPARE(written(static_cast<double>(0.1f)), std::string("0.10000000149011612"));
}

void TstJsonText::everyKindOfFloatReadsBackTheSame() {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const float number = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(number)) continue;
    const auto readBack = numberOf(nlohmann::json::parse(written(number)));
    QVERIFY(readBack);
    QCOMPARE(std::bit_cast<std::uint32_t>(static_cast<float>(*readBack)),
             std::bit_cast<std::uint32_t>(number));
    QCOMPARE(std::strtof(written(number).c_str(), nullptr),
             std::isfinite(number) ? number : std::strtof(written(number).c_str(), nullptr));
  }
}

void TstJsonText::everyKindOfDoubleReadsBackTheSame() {
  std::mt19937_64 random(8);
  for (int i = 0; i < 200000; ++i) {
    const double number = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (std::isnan(number)) continue;
    const auto readBack = numberOf(nlohmann::json::parse(written(number)));
    QVERIFY(readBack);
    QCOMPARE(std::bit_cast<std::uint64_t>(*readBack), std::bit_cast<std::uint64_t>(number));
  }
}

void TstJsonText::nonFiniteNumbersAreTexts() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  QCOMPARE(written(std::nan("")), std::string("\"NaN\""));
  QCOMPARE(written(std::numeric_limits<float>::quiet_NaN()), std::string("\"NaN\""));
  QCOMPARE(written(kInfinity), std::string("\"Infinity\""));
  QCOMPARE(written(-kInfinity), std::string("\"-Infinity\""));
  QVERIFY(std::isnan(*numberOf(nlohmann::json("NaN"))));
  QCOMPARE(*numberOf(nlohmann::json("Infinity")), kInfinity);
  QCOMPARE(*numberOf(nlohmann::json("-Infinity")), -kInfinity);
  QVERIFY(!numberOf(nlohmann::json("nan")));
  QVERIFY(!numberOf(nlohmann::json("1")));
  QVERIFY(!numberOf(nlohmann::json(nullptr)));
}

void TstJsonText::textsAreEscapedAndInvalidUtf8IsReplaced() {
  QCOMPARE(written(std::string_view("a\"b\\c\n\x01")), std::string(R"("a\"b\\c\n\u0001")"));
  QCOMPARE(written(std::string_view("Größe")), std::string("\"Größe\""));
  QCOMPARE(written(std::string_view("a\xff\x62")), std::string("\"a\xEF\xBF\xBD\x62\""));
  QCOMPARE(written(std::string_view("cut \xE2\x82")), std::string("\"cut \xEF\xBF\xBD\""));
}

void TstJsonText::parsingRefusesWithWords_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("words");
  QTest::newRow("empty") << QByteArray() << QStringLiteral("x: not JSON, wrong at byte");
  QTest::newRow("half") << QByteArray("{\"a\":") << QStringLiteral("x: not JSON, wrong at byte");
  QTest::newRow("bare NaN") << QByteArray("{\"a\":NaN}") << QStringLiteral("x: not JSON");
  QTest::newRow("invalid UTF-8") << QByteArray("{\"a\":\"\xff\"}") << QStringLiteral("not JSON");
  QTest::newRow("two values") << QByteArray("{}{}") << QStringLiteral("not JSON, wrong at byte 3");
  QTest::newRow("huge number") << QByteArray("{\"a\":1e999}") << QStringLiteral("out of range");
  QTest::newRow("list") << QByteArray("[1]") << QStringLiteral("must be a JSON object, not a list");
  QTest::newRow("text") << QByteArray("\"a\"") << QStringLiteral("not a text");
  QTest::newRow("null") << QByteArray("null") << QStringLiteral("not null");
  QTest::newRow("deep") << QByteArray(500000, '[') << QStringLiteral("nested over 100 deep");
}

void TstJsonText::parsingRefusesWithWords() {
  QFETCH(QByteArray, text);
  QFETCH(QString, words);
  try {
    parseObject({text.constData(), static_cast<std::size_t>(text.size())}, "x");
    QFAIL("accepted");
  } catch (const Error& error) {
    QVERIFY2(QString::fromUtf8(error.what()).contains(words), error.what());
  }
}

void TstJsonText::deepNestingIsRefusedAtItsBound() {
  const auto nested = [](int depth) {
    return std::string("{\"[[[{{\\\"[\":") + std::string(depth, '[') + std::string(depth, ']') +
           "}";
  };
  QVERIFY(parseObject(nested(99), "x").is_object());
  QVERIFY_EXCEPTION_THROWN(parseObject(nested(100), "x"), Error);
}

LOCKSTEP_TEST(TstJsonText)
#include "tst_json_text.moc"
