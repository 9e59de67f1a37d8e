#include "engine/events/protobuf_wire.h"

#include <bit>
#include <cstring>

namespace lockstep::events {
namespace {

constexpr std::uint64_t kMaxField = (1U << 29) - 1;

}  // namespace

bool WireReader::fail() {
  failed_ = true;
  rest_ = {};
  return false;
}

bool WireReader::readVarint(std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < 10 && i < rest_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(rest_[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return true;
    }
  }
  return fail();
}

bool WireReader::readFixed(std::size_t size) {
  if (rest_.size() < size) return fail();
  bits_ = 0;
  std::memcpy(&bits_, rest_.data(), size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::next() {
  if (rest_.empty()) return false;
  std::uint64_t key = 0;
  if (!readVarint(key)) return false;
  const std::uint64_t field = key >> 3;
  if (field == 0 || field > kMaxField) return fail();
  field_ = static_cast<std::uint32_t>(field);
  switch (key & 7) {
    case 0:
      type_ = WireType::Varint;
      return readVarint(bits_);
    case 1:
      type_ = WireType::Fixed64;
      return readFixed(8);
    case 5:
      type_ = WireType::Fixed32;
      return readFixed(4);
    case 2:
      break;
    default:
      return fail();  // groups are not in use since 2008
  }
  type_ = WireType::Bytes;
  std::uint64_t size = 0;
  if (!readVarint(size)) return false;
  if (size > rest_.size()) return fail();
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

float WireReader::asFloat() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits_));
}

double WireReader::asDouble() const { return std::bit_cast<double>(bits_); }

void WireWriter::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>((value & 0x7f) | 0x80);
  out_ += static_cast<char>(value);
}

void WireWriter::key(std::uint32_t field, WireType type) {
  number((static_cast<std::uint64_t>(field) << 3) | static_cast<std::uint64_t>(type));
}

void WireWriter::varint(std::uint32_t field, std::uint64_t value) {
  key(field, WireType::Varint);
  number(value);
}

void WireWriter::fixed32(std::uint32_t field, float value) {
  key(field, WireType::Fixed32);
  out_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void WireWriter::fixed64(std::uint32_t field, double value) {
  key(field, WireType::Fixed64);
  out_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void WireWriter::bytes(std::uint32_t field, std::string_view value) {
  key(field, WireType::Bytes);
  number(value.size());
  out_ += value;
}

}  // namespace lockstep::events
