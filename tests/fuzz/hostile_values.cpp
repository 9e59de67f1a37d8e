#include "tests/fuzz/hostile_values.h"

#include <cstdint>
#include <vector>

namespace lockstep::tests {
namespace {

using Json = nlohmann::ordered_json;

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

Json hostileValue(Choices& choices) {
  static const std::vector<Json> kValues{
      nullptr,
      true,
      false,
      0,
      -1,
      1,
      2,
      0.5,
      -0.0,
      1e-300,
      1e300,
      -1e300,
      2147483647,
      2147483648LL,
      -2147483649LL,
      9007199254740993LL,
      INT64_MAX,
      INT64_MIN,
      UINT64_MAX,
      9223372036854775808ULL,
      4611686018427387904LL,
      4294967296LL,
      "",
      "NaN",
      "Infinity",
      "-Infinity",
      "0",
      "1e5",
      "two\nlines",
      "\r\x1b[31mred",
      std::string("nu\0l", 4),
      "/dev/zero",
      "../../../etc/passwd",
      "/",
      ".",
      "\xc3\xbc\xe2\x80\xa8",
      Json::array(),
      Json::object(),
      Json::array({1, 2, 3}),
      Json::array({"a"}),
      Json::array({nullptr}),
      Json{{"a", 1}},
      Json::array({4294967296LL, 4294967296LL, 16}),
      Json::array({0, 4611686018427387904LL, 4}),
      Json::array({4611686018427387904LL, 4611686018427387904LL, 0}),
      Json::array({-1}),
      Json::array({1, 0.5}),
      Json::array({10, 2})};
  switch (choices.below(16)) {
    case 0:
      return std::string(1 + choices.below(200000), 'x');
    case 1:
      return repeated("\xc3\xbc", 30 + choices.below(300));
    case 2:
      return std::vector<std::int64_t>(choices.below(20000), 1);
    case 3: {
      Json nested = 1;
      for (std::size_t i = choices.below(150); i > 0; --i)
        nested = choices.oneIn(2) ? Json::array({nested}) : Json{{"a", nested}};
      return nested;
    }
    case 4:
      return static_cast<std::int64_t>(choices.word());
    default:
      return choices.of(kValues);
  }
}

std::string hostileText(Choices& choices) {
  static const std::vector<std::string> kTexts{"NaN",
                                               "-NaN",
                                               "Infinity",
                                               "1e999",
                                               "-1e999",
                                               "1e-999",
                                               "-0",
                                               "00",
                                               "+1",
                                               "0x10",
                                               ".5",
                                               "1.",
                                               "123456789012345678901234567890",
                                               "18446744073709551616",
                                               "1e18",
                                               "1.0",
                                               "1e0",
                                               "True",
                                               "\"\\ud800\"",
                                               "\"\xff\xfe\"",
                                               "\"\xc0\x80\"",
                                               "\"tab\there\"",
                                               "\"\\u0000\"",
                                               "'a'",
                                               "/**/1",
                                               "1 2",
                                               "",
                                               ",",
                                               "}",
                                               "]",
                                               "\"",
                                               "\\",
                                               "\xef\xbb\xbf"};
  switch (choices.below(8)) {
    case 0:
      return repeated("9", 1 + choices.below(2000));
    case 1:
      return repeated("[", 1 + choices.below(200000));
    case 2: {
      const std::size_t depth = 1 + choices.below(100000);
      return repeated("[", depth) + repeated("]", depth);
    }
    case 3:
      return repeated("{\"a\":", 1 + choices.below(50000));
    default:
      return choices.of(kTexts);
  }
}

}  // namespace lockstep::tests
