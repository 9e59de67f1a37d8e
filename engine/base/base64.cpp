#include "engine/base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/base/error.h"

namespace lockstep::base {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::int8_t kNone = -1, kBlank = -2;

constexpr std::array<std::int8_t, 256> kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
  values['-'] = values['+'];
  values['_'] = values['/'];
  for (const char blank : {' ', '\n', '\r', '\t'})
    values[static_cast<unsigned char>(blank)] = kBlank;
  return values;
}();

}  // namespace

std::string encodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) {
      const bool isData = i + k <= bytes.size();
      text.push_back(isData ? kDigits[group >> (18 - 6 * k) & 63] : '=');
    }
  }
  return text;
}

std::string decodeBase64(std::string_view text) {
  const std::size_t padding = text.find('=');
  for (const char character : text.substr(std::min(padding, text.size()))) {
    if (character != '=' && kValues[static_cast<unsigned char>(character)] != kBlank)
      throw Error("is not base64");
  }
  text = text.substr(0, padding);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char character : text) {
    const std::int8_t value = kValues[static_cast<unsigned char>(character)];
    if (value == kBlank) continue;
    if (value == kNone) throw Error("is not base64");
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(group >> bits & 0xff));
  }
  return bytes;
}

}  // namespace lockstep::base
