#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/protocol/json_text.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::protocol;

class TstJsonText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nonFiniteNumbersAreStrings();
  void parseErrorsAreDescribed_data();
  void parseErrorsAreDescribed();
  void nestingIsLimited();
};

void TstJsonText::nonFiniteNumbersAreStrings() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  QVERIFY(std::isnan(*numberOf(nlohmann::json("NaN"))));
  QCOMPARE(*numberOf(nlohmann::json("Infinity")), kInfinity);
  QCOMPARE(*numberOf(nlohmann::json("-Infinity")), -kInfinity);
  QVERIFY(!numberOf(nlohmann::json("nan")));
  QVERIFY(!numberOf(nlohmann::json("1")));
  QVERIFY(!numberOf(nlohmann::json(nullptr)));
}

void TstJsonText::parseErrorsAreDescribed_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("words");
  QTest::newRow("empty") << QByteArray() << QStringLiteral("x: invalid JSON at byte");
  QTest::newRow("half") << QByteArray("{\"a\":") << QStringLiteral("x: invalid JSON at byte");
  QTest::newRow("bare NaN") << QByteArray("{\"a\":NaN}") << QStringLiteral("x: invalid JSON");
  QTest::newRow("invalid UTF-8") << QByteArray("{\"a\":\"\xff\"}")
                                 << QStringLiteral("invalid JSON");
  QTest::newRow("two values") << QByteArray("{}{}") << QStringLiteral("invalid JSON at byte 3");
  QTest::newRow("huge number") << QByteArray("{\"a\":1e999}") << QStringLiteral("out of range");
  QTest::newRow("list") << QByteArray("[1]") << QStringLiteral("must be a JSON object, not a list");
  QTest::newRow("text") << QByteArray("\"a\"") << QStringLiteral("not a string");
  QTest::newRow("null") << QByteArray("null") << QStringLiteral("not null");
  QTest::newRow("deep") << QByteArray(500000, '[')
                        << QStringLiteral("nested more than 100 levels deep");
}

void TstJsonText::parseErrorsAreDescribed() {
  QFETCH(QByteArray, text);
  QFETCH(QString, words);
  try {
    parseObject({text.constData(), static_cast<std::size_t>(text.size())}, "x");
    QFAIL("accepted");
  } catch (const Error& error) {
    QVERIFY2(QString::fromUtf8(error.what()).contains(words), error.what());
  }
}

void TstJsonText::nestingIsLimited() {
  const auto nested = [](int depth) {
    return std::string("{\"[[[{{\\\"[\":") + std::string(depth, '[') + std::string(depth, ']') +
           "}";
  };
  QVERIFY(parseObject(nested(99), "x").is_object());
  QVERIFY(parseJson(nested(99)).is_object());
  QVERIFY(parseOrderedJson(nested(99)).is_object());
  QVERIFY_EXCEPTION_THROWN(parseObject(nested(100), "x"), Error);
  QVERIFY(parseJson(nested(100)).is_discarded());
  QVERIFY(parseOrderedJson(nested(100)).is_discarded());
}

LOCKSTEP_TEST(TstJsonText)
#include "tst_json_text.moc"
