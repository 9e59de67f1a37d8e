#include <algorithm>
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <vector>

#include "engine/base/crc32c.h"
#include "engine/events/record.h"
#include "engine/events/record_frame.h"
#include "tests/fuzz/hostile_values.h"
#include "tests/fuzz/mutants.h"

namespace lockstep::tests {
namespace {

std::string little(std::uint64_t number, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

/// A frame whose length, right or not, has a right checksum.
std::string framed(std::uint64_t length, const std::string& data) {
  const std::string size = little(length, 8);
  return size + little(events::maskCrc(base::crc32c(size)), 4) + data +
         little(events::maskCrc(base::crc32c(data)), 4);
}

/// The data of every frame, and what lies behind the last whole one.
struct EventLogParts {
  std::vector<std::string> data;
  std::string rest;

  explicit EventLogParts(std::string_view file) {
    for (;;) {
      const events::Frame frame = events::readFrame(file);
      if (frame.status == events::Frame::Status::Partial ||
          frame.status == events::Frame::Status::Broken)
        break;
      data.push_back(std::string(file.substr(12, frame.bytes - 16)));
      file.remove_prefix(frame.bytes);
    }
    rest = file;
  }
  std::string file() const {
    std::string bytes;
    for (const std::string& one : data) bytes += events::frameOf(one);
    return bytes + rest;
  }
};

std::uint64_t hostileNumber(Choices& choices, std::uint64_t near) {
  const std::vector<std::uint64_t> numbers{0,
                                           1,
                                           near - 1,
                                           near + 1,
                                           near + 16,
                                           127,
                                           128,
                                           1ULL << 20,
                                           (1ULL << 31) - 1,
                                           1ULL << 31,
                                           (1ULL << 32) + near,
                                           1ULL << 62,
                                           1ULL << 63,
                                           UINT64_MAX,
                                           UINT64_MAX - 15,
                                           choices.word(),
                                           choices.word() >> (choices.below(64))};
  return choices.of(numbers);
}

/// Fields of a message, some of them known and many messages themselves.
std::string anyMessage(Choices& choices, int depth) {
  std::string bytes;
  protozero::pbf_writer fields(bytes);
  for (std::size_t i = choices.below(6); i > 0; --i) {
    const auto field = static_cast<std::uint32_t>(1 + choices.below(choices.oneIn(8) ? 99 : 10));
    switch (choices.below(6)) {
      case 0:
        fields.add_uint64(field, hostileNumber(choices, 7));
        break;
      case 1:
        fields.add_float(field, static_cast<float>(choices.word()));
        break;
      case 2:
        fields.add_double(field, static_cast<double>(choices.word()));
        break;
      case 3:
        fields.add_string(field, choices.oneIn(2) ? events::kEventTag : "train/loss_total");
        break;
      default:
        fields.add_bytes(field, depth > 0 ? anyMessage(choices, depth - 1) : hostileText(choices));
    }
  }
  return choices.oneIn(6) ? damagedBytes(bytes, choices) : bytes;
}

/// A record of the project whose values are not what they should be.
std::string anyRecord(const std::vector<std::string>& data, Choices& choices) {
  events::Record record;
  record.step = static_cast<std::int64_t>(hostileNumber(choices, 400));
  record.wallTime = choices.oneIn(3) ? static_cast<double>(choices.word()) : 1000.5;
  record.kind = static_cast<events::Record::Kind>(choices.below(6));
  for (std::size_t i = choices.below(4); i > 0; --i) {
    const std::string tag = choices.oneIn(3) ? hostileText(choices) : "eval/loss_total";
    record.scalars.emplace_back(tag, static_cast<float>(hostileNumber(choices, 3)));
  }
  // The JSON of an event is the longest text between braces.
  const std::string& one = choices.of(data);
  const std::size_t begin = one.find('{'), end = one.rfind('}');
  record.json = begin < end && end != std::string::npos
                    ? damagedJson(one.substr(begin, end - begin + 1), choices)
                    : hostileText(choices);
  const std::string frame = events::encodeRecord(record);
  return frame.substr(12, frame.size() - 16);
}

void damageFrames(EventLogParts& parts, Choices& choices) {
  auto& data = parts.data;
  const std::size_t at = choices.below(data.size()), other = choices.below(data.size());
  const auto place = data.begin() + static_cast<std::ptrdiff_t>(at);
  switch (choices.below(8)) {
    case 0:  // garbage under a right checksum
    case 1:
      *place = damagedBytes(*place, choices);
      break;
    case 2:
      data.insert(place, anyMessage(choices, 4));
      break;
    case 3:
    case 4:
      *place = anyRecord(data, choices);
      break;
    case 5:
      std::swap(*place, data[other]);
      break;
    case 6:
      data.insert(place, std::string(data[other]));
      break;
    default:
      data.erase(place);
  }
}

}  // namespace

std::string damagedEventLog(const std::string& file, Choices& choices) {
  EventLogParts parts(file);
  if (choices.oneIn(4) || parts.data.empty()) return damagedBytes(file, choices);
  for (std::size_t i = choices.oneIn(3) ? 3 : 1; i > 0 && !parts.data.empty(); --i)
    damageFrames(parts, choices);
  std::string damaged = parts.file();
  if (choices.oneIn(4) && !parts.data.empty()) {
    const std::string& last = parts.data.back();
    damaged += framed(hostileNumber(choices, last.size()), last);
  }
  if (choices.oneIn(8)) damaged += std::string(choices.below(200), '\0');
  return choices.oneIn(8) ? damagedBytes(damaged, choices) : damaged;
}

}  // namespace lockstep::tests
