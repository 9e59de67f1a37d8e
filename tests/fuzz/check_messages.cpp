#include "tests/fuzz/check_messages.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/worker_messages.h"
#include "tests/fuzz/choices.h"
#include "tests/fuzz/reading_check.h"

namespace lockstep::tests {
namespace {

using protocol::kMaxLineBytes;
using protocol::LineBuffer;

/// `decode` takes the line or throws Error; what it takes survives writing and reading.
template <typename Decode, typename Encode>
void checkRoundTrip(const char* name, Decode decode, Encode encode, std::string_view line) {
  const std::string once = encode(decode(line));
  expect(once.find('\n') == std::string::npos, std::string(name) + ": written with a newline");
  std::string twice;
  try {
    twice = encode(decode(std::string_view(once)));
  } catch (const Error& error) {
    throw std::logic_error(std::string(name) + ": what was written is refused: " + error.what());
  }
  expect(twice == once, std::string(name) + ": read back as " + twice.substr(0, 150) +
                            ", written was " + once.substr(0, 150));
}

void checkRequestId(std::string_view line) {
  const std::string id = protocol::requestIdOf(line);
  expect(id.size() <= protocol::kMaxIdBytes, "an id of " + std::to_string(id.size()) + " bytes");
  try {
    const auto message = protocol::decodeClientMessage(line);
    const auto* command = std::get_if<protocol::Command>(&message);
    expect(command == nullptr || command->id == id, "a command has another id");
  } catch (const Error&) {  // its id is known all the same
  }
}

// ---- LineBuffer

/// The stream that `bytes` stand for: at most 4 MiB.
std::string expanded(std::string_view bytes) {
  constexpr std::size_t kMost = std::size_t{4} << 20, kPiece = std::size_t{128} << 10;
  constexpr unsigned char kFirst = 0xf8;
  std::string stream;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    const std::size_t times = value < kFirst ? 1 : kPiece * (value - kFirst + 1);
    if (stream.size() + times <= kMost) stream.append(times, byte);
  }
  return stream;
}

/// A line, or nothing for one that is too long.
using Lines = std::vector<std::optional<std::string>>;

Lines linesBySearch(const std::string& stream) {
  Lines lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = stream.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const bool isTooLong = end - begin > kMaxLineBytes;
    lines.push_back(isTooLong ? std::nullopt : std::optional(stream.substr(begin, end - begin)));
  }
  if (stream.size() - begin > kMaxLineBytes) lines.push_back(std::nullopt);
  return lines;
}

Lines linesInPieces(std::string_view stream, Choices choices) {
  Lines lines;
  LineBuffer buffer;
  // Some ten thousand pieces at most.
  const std::size_t longest =
      std::max(std::size_t{1} << (1 + choices.below(18)), stream.size() >> 13);
  while (!stream.empty()) {
    const std::size_t count = std::min(stream.size(), 1 + choices.below(longest));
    buffer.append(stream.substr(0, count));
    stream.remove_prefix(count);
    std::string line = "untouched";
    for (LineBuffer::Result result; (result = buffer.next(line)) != LineBuffer::Result::NeedMore;) {
      const bool isLine = result == LineBuffer::Result::Line;
      lines.push_back(isLine ? std::optional(line) : std::nullopt);
    }
  }
  return lines;
}

}  // namespace

void checkDecoders(std::string_view line) {
  using namespace protocol;
  std::optional<Error> firstError;
  bool isDecoded = false;
  const auto check = [&](const char* name, auto decode, auto encode) {
    try {
      checkRoundTrip(name, decode, encode, line);
      isDecoded = true;
    } catch (const Error& error) {
      // Of those that know the type, if one does.
      const bool isOthers =
          std::string_view(error.what()).find("is not known here") != std::string_view::npos;
      if (!firstError || !isOthers) firstError = error;
    }
  };
  const auto written = [](const auto& message) { return encode(message); };
  check("client's", decodeClientMessage, written);
  check("engine's", decodeEngineMessage, written);
  check("supervisor's", decodeSupervisorMessage, written);
  check("worker's", decodeWorkerMessage, written);
  const auto decodeLogged = [](std::string_view json) { return decodeEvent(json, 1, 2, 3); };
  check("event", decodeLogged, encodeEvent);
  checkRequestId(line);
  if (!isDecoded) throw *firstError;
}

void checkLineBuffer(std::string_view bytes) {
  const std::string stream = expanded(bytes);
  const Lines expected = linesBySearch(stream);
  const std::uint32_t sum = base::crc32c(bytes);
  for (std::uint64_t way = 0; way < 2; ++way) {
    const Lines lines = linesInPieces(stream, Choices(sum, way));
    expect(lines == expected, std::to_string(lines.size()) + " lines, expected " +
                                  std::to_string(expected.size()) + ", or others");
  }
}

}  // namespace lockstep::tests
