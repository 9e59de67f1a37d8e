#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/fuzz/hostile_values.h"
#include "tests/fuzz/mutants.h"

namespace lockstep::tests {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;

std::string withLength(std::uint64_t length, const std::string& rest) {
  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes + rest;
}

/// A file in its three parts.
struct SafetensorsParts {
  std::string header, data;

  explicit SafetensorsParts(const std::string& file) {
    std::uint64_t length = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;)
      length = length << 8 | static_cast<unsigned char>(file[i]);
    header = file.substr(kLengthBytes, length);
    data = file.substr(kLengthBytes + length);
  }
  std::string file() const { return withLength(header.size(), header + data); }
};

std::string withWrongLength(const SafetensorsParts& parts, Choices& choices) {
  const std::uint64_t size = parts.header.size(), all = size + parts.data.size();
  const std::vector<std::uint64_t> lengths{0,
                                           1,
                                           size - 1,
                                           size + 1,
                                           all,
                                           all + 1,
                                           all + 8,
                                           100'000'000,
                                           99'999'999,
                                           100'000'001,
                                           1ULL << 31,
                                           1ULL << 62,
                                           1ULL << 63,
                                           UINT64_MAX,
                                           UINT64_MAX - 7,
                                           (1ULL << 32) + size,
                                           choices.word()};
  return withLength(choices.of(lengths), parts.header + parts.data);
}

/// What a header says of one tensor, made to lie.
void damageTensor(Json& header, Choices& choices) {
  const auto member =
      std::next(header.begin(), static_cast<std::ptrdiff_t>(choices.below(header.size())));
  Json& tensor = member.value();
  if (!tensor.contains("data_offsets")) return;
  Json& offsets = tensor["data_offsets"];
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  const auto other =
      std::next(header.begin(), static_cast<std::ptrdiff_t>(choices.below(header.size())));
  static const std::vector<const char*> kTypes{"F64", "F32",     "F16", "BF16", "I64",
                                               "I32", "I16",     "I8",  "U8",   "BOOL",
                                               "U64", "F8_E5M2", "f32", "",     "C64"};
  switch (choices.below(9)) {
    case 0:
      tensor["dtype"] = choices.of(kTypes);
      break;
    case 1:
      offsets = {end, begin};
      break;
    case 2:
      offsets = {begin + 1 + choices.below(16), end + choices.below(16)};
      break;
    case 3:
      offsets = {begin, choices.oneIn(2) ? UINT64_MAX : end + (1ULL << 40)};
      break;
    case 4:
      if (other.value().contains("data_offsets")) tensor = Json(other.value());
      break;
    case 5:
      tensor["shape"] = hostileValue(choices);
      break;
    case 6:  // nothing in it, but sides whose product overflows
      tensor["shape"] = {0, 1ULL << (30 + choices.below(34)), 1ULL << (30 + choices.below(34))};
      offsets = {begin, begin};
      break;
    case 7:
      if (!tensor["shape"].is_array()) break;
      for (std::size_t i = choices.below(40); i > 0; --i) tensor["shape"].push_back(1);
      break;
    default:
      header[std::string(choices.below(5000), '\n') + "more"] = {
          {"dtype", "F32"}, {"shape", {0}}, {"data_offsets", {end, end}}};
  }
}

void damageMetadata(Json& header, Choices& choices) {
  Json& metadata = header["__metadata__"];
  if (!metadata.is_object() || metadata.empty() || choices.oneIn(6)) {
    metadata = hostileValue(choices);
    return;
  }
  const auto member =
      std::next(metadata.begin(), static_cast<std::ptrdiff_t>(choices.below(metadata.size())));
  if (choices.oneIn(8)) {
    member.value() = std::string(1 + choices.below(1 << 20), 'm');
  } else if (choices.oneIn(4) || !member.value().is_string()) {
    member.value() = hostileValue(choices);
  } else {
    const auto text = member.value().get<std::string>();
    // Metadata are texts, and some of them JSON in a text.
    member.value() = Json::accept(text) ? damagedJson(text, choices) : hostileText(choices);
  }
}

}  // namespace

std::string damagedSafetensors(const std::string& file, Choices& choices) {
  SafetensorsParts parts(file);
  switch (choices.below(8)) {
    case 0:
      return damagedBytes(file, choices);
    case 1:
      return withWrongLength(parts, choices);
    case 2:
      parts.header = damagedBytes(parts.header, choices);
      return parts.file();
    case 3:
    case 4:
      parts.header = damagedJson(parts.header, choices);
      return parts.file();
    default:
      break;
  }
  Json header = Json::parse(parts.header);
  for (std::size_t i = 1 + choices.below(2); i > 0; --i) {
    if (choices.oneIn(3)) {
      damageMetadata(header, choices);
    } else {
      damageTensor(header, choices);
    }
  }
  parts.header = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (choices.oneIn(16)) parts.header.append(choices.below(1 << 20), ' ');
  return parts.file();
}

}  // namespace lockstep::tests
