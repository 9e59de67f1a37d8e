#include "engine/events/record_frame.h"

#include <algorithm>
#include <cstring>

#include "engine/base/crc32c.h"

namespace lockstep::events {
namespace {

constexpr std::size_t kLengthBytes = 8, kCrcBytes = 4, kHeaderBytes = kLengthBytes + kCrcBytes;
/// protobuf's own limit for a message.
constexpr std::uint64_t kMaxDataBytes = (1ULL << 31) - 1;

template <typename Integer>
Integer integerAt(std::string_view bytes, std::size_t offset) {
  Integer value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool isChecksumOf(std::string_view bytes, std::uint32_t stored) {
  return maskCrc(base::crc32c(bytes)) == stored;
}

template <typename Integer>
void append(std::string& out, Integer value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Frame readFrame(std::string_view bytes) {
  Frame frame;
  if (bytes.size() < kHeaderBytes) return frame;
  const std::string_view header = bytes.substr(0, kHeaderBytes);
  const auto length = integerAt<std::uint64_t>(bytes, 0);
  const bool isValid =
      isChecksumOf(bytes.substr(0, kLengthBytes), integerAt<std::uint32_t>(bytes, kLengthBytes));
  if (!isValid || length > kMaxDataBytes) {
    const bool isZero = std::all_of(header.begin(), header.end(), [](char c) { return c == 0; });
    frame.status = isZero ? Frame::Status::Partial : Frame::Status::Broken;
    return frame;
  }
  frame.bytes = kHeaderBytes + length + kCrcBytes;
  if (bytes.size() < frame.bytes) return frame;
  frame.data = bytes.substr(kHeaderBytes, length);
  const auto stored = integerAt<std::uint32_t>(bytes, kHeaderBytes + length);
  frame.status = isChecksumOf(frame.data, stored) ? Frame::Status::Whole : Frame::Status::Damaged;
  return frame;
}

std::string frameOf(std::string_view data) {
  std::string frame;
  frame.reserve(kHeaderBytes + data.size() + kCrcBytes);
  append(frame, static_cast<std::uint64_t>(data.size()));
  append(frame, maskCrc(base::crc32c(frame)));
  frame += data;
  append(frame, maskCrc(base::crc32c(data)));
  return frame;
}

}  // namespace lockstep::events
