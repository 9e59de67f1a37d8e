#include <QTest>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/json_writer.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using base::JsonWriter;

namespace {

template <typename T>
std::string written(T value) {
  std::string text;
  JsonWriter(text).value(value);
  return text;
}

/// As an independent writer has it.
std::string reference(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

class TstJsonWriter : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void commasAreOnlyBetweenValues();
  void floatsAreShortAndRoundTrip();
  void everyKindOfFloatRoundTrips();
  void everyKindOfDoubleRoundTrips();
  void nonFiniteNumbersAreStrings();
  void textsAreEscapedAndInvalidUtf8IsReplaced();
  void anyBytesAreWrittenAsAnIndependentWriterDoes();
};

void TstJsonWriter::commasAreOnlyBetweenValues() {
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

void TstJsonWriter::floatsAreShortAndRoundTrip() {
  QCOMPARE(written(0.1f), std::string("0.1"));
  QCOMPARE(written(1.0f), std::string("1"));
  QCOMPARE(written(-0.0f), std::string("-0.0"));
  QCOMPARE(written(0.1), std::string("0.1"));
  QCOMPARE(written(static_cast<double>(0.1f)), std::string("0.10000000149011612"));
}

void TstJsonWriter::everyKindOfFloatRoundTrips() {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const float number = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(number)) continue;
    const double readBack = nlohmann::json::parse(written(number)).get<double>();
    QCOMPARE(std::bit_cast<std::uint32_t>(static_cast<float>(readBack)),
             std::bit_cast<std::uint32_t>(number));
    QCOMPARE(std::strtof(written(number).c_str(), nullptr), number);
  }
}

void TstJsonWriter::everyKindOfDoubleRoundTrips() {
  std::mt19937_64 random(8);
  for (int i = 0; i < 200000; ++i) {
    const double number = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (!std::isfinite(number)) continue;
    const double readBack = nlohmann::json::parse(written(number)).get<double>();
    QCOMPARE(std::bit_cast<std::uint64_t>(readBack), std::bit_cast<std::uint64_t>(number));
  }
}

void TstJsonWriter::nonFiniteNumbersAreStrings() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  QCOMPARE(written(std::nan("")), std::string("\"NaN\""));
  QCOMPARE(written(std::numeric_limits<float>::quiet_NaN()), std::string("\"NaN\""));
  QCOMPARE(written(kInfinity), std::string("\"Infinity\""));
  QCOMPARE(written(-kInfinity), std::string("\"-Infinity\""));
}

void TstJsonWriter::textsAreEscapedAndInvalidUtf8IsReplaced() {
  QCOMPARE(written(std::string_view("a\"b\\c\n\x01")), std::string(R"("a\"b\\c\n\u0001")"));
  QCOMPARE(written(std::string_view("Größe")), std::string("\"Größe\""));
  QCOMPARE(written(std::string_view("a\xff\x62")), std::string("\"a\xEF\xBF\xBD\x62\""));
  QCOMPARE(written(std::string_view("cut \xE2\x82")), std::string("\"cut \xEF\xBF\xBD\""));
}

/// Every pair of bytes, and texts of the bytes at which the rules of UTF-8 change.
void TstJsonWriter::anyBytesAreWrittenAsAnIndependentWriterDoes() {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      QCOMPARE(written(text), reference(text));
    }
  }
  constexpr unsigned char kEdges[] = {'a',  '"',  0x7f, 0x80, 0x8f, 0x90, 0x9f,
                                      0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
                                      0xec, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5};
  std::mt19937 random(9);
  for (int i = 0; i < 200000; ++i) {
    std::string text(1 + random() % 8, '\0');
    for (char& byte : text) byte = static_cast<char>(kEdges[random() % sizeof kEdges]);
    QCOMPARE(written(text), reference(text));
  }
}

LOCKSTEP_TEST(TstJsonWriter)
#include "tst_json_writer.moc"
