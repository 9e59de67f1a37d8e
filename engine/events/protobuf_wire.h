#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The wire format of protocol buffers, as much of it as event files need. No protobuf library:
/// libtorch exports another version's symbols.
namespace lockstep::events {

enum class WireType { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// Walks the fields of one message. Never reads past its bytes.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// Goes to the next field; false at the end, or at a fault (see failed()).
  bool next();
  /// The bytes are no message.
  bool failed() const { return failed_; }

  bool is(std::uint32_t field, WireType type) const { return field == field_ && type == type_; }
  /// Value of a Varint, Fixed64 or Fixed32 field, in the low bits.
  std::uint64_t bits() const { return bits_; }
  float asFloat() const;
  double asDouble() const;
  /// Value of a Bytes field.
  std::string_view bytes() const { return bytes_; }

 private:
  bool fail();
  bool readVarint(std::uint64_t& value);
  bool readFixed(std::size_t size);

  std::string_view rest_;
  std::uint32_t field_ = 0;
  WireType type_ = WireType::Varint;
  std::uint64_t bits_ = 0;
  std::string_view bytes_;
  bool failed_ = false;
};

/// Appends fields to `out`.
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}

  void varint(std::uint32_t field, std::uint64_t value);
  void fixed32(std::uint32_t field, float value);
  void fixed64(std::uint32_t field, double value);
  void bytes(std::uint32_t field, std::string_view value);

 private:
  void key(std::uint32_t field, WireType type);
  void number(std::uint64_t value);

  std::string& out_;
};

}  // namespace lockstep::events
