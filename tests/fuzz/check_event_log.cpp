#include "tests/fuzz/check_event_log.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/alerts/alert_detector.h"
#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/events/event_record.h"
#include "engine/events/reader.h"
#include "engine/events/writer.h"
#include "engine/protocol/messages.h"
#include "tests/fuzz/choices.h"
#include "tests/fuzz/reading_check.h"

namespace lockstep::tests {
namespace fs = std::filesystem;
namespace {

using events::Reader;
using events::Record;
using events::RecordView;

bool isSame(const Record& a, const Record& b) {
  const auto isSameScalar = [](const auto& left, const auto& right) {
    return left.first == right.first &&
           std::bit_cast<std::uint32_t>(left.second) == std::bit_cast<std::uint32_t>(right.second);
  };
  return a.seq == b.seq &&
         std::bit_cast<std::uint64_t>(a.wallTime) == std::bit_cast<std::uint64_t>(b.wallTime) &&
         a.step == b.step && a.kind == b.kind && a.json == b.json &&
         std::ranges::equal(a.scalars, b.scalars, isSameScalar);
}

/// What reading a file gave, and where it stopped.
struct Reading {
  std::vector<Record> records;
  std::optional<std::string> error;
  std::int64_t offset = 0, nextSeq = 0;
};

void expectSame(const Reading& reading, const Reading& other, const std::string& how) {
  expect(reading.error.has_value() == other.error.has_value(),
         how + ": " + reading.error.value_or("no error") + ", not " +
             other.error.value_or("no error"));
  expect(std::ranges::equal(reading.records, other.records, isSame),
         how + ": " + std::to_string(reading.records.size()) + " records, not " +
             std::to_string(other.records.size()) + ", or others");
  expect(reading.offset == other.offset && reading.nextSeq == other.nextSeq,
         how + ": stops at byte " + std::to_string(reading.offset) + ", not " +
             std::to_string(other.offset));
}

/// Goes on with what is there now.
void readMore(Reader& reader, Reading& reading) {
  try {
    while (auto record = reader.next()) reading.records.push_back(*std::move(record));
  } catch (const Error& error) {
    reading.error = error.what();
  }
  reading.offset = reader.offsetBytes();
  reading.nextSeq = reader.nextSeq();
}

Reading readingOf(const fs::path& file) {
  Reading reading;
  Reader reader(file);
  readMore(reader, reading);
  Reading again;
  readMore(reader, again);
  expect(again.records.empty() && again.error == reading.error, "it is read on where it had ended");
  return reading;
}

/// The same by views, a few at a time.
Reading visitingOf(const fs::path& file) {
  Reading reading;
  Reader reader(file);
  const auto take = [&](const RecordView& view) {
    Record& record = reading.records.emplace_back();
    record.seq = view.seq;
    record.wallTime = view.wallTime;
    record.step = view.step;
    record.kind = view.kind;
    record.json = view.json;
    for (const auto& [tag, value] : view.scalars)
      record.scalars.emplace_back(reader.tags().at(tag), value);
  };
  try {
    while (reader.visitAvailable(take, 3) > 0) {
    }
  } catch (const Error& error) {
    reading.error = error.what();
  }
  reading.offset = reader.offsetBytes();
  reading.nextSeq = reader.nextSeq();
  return reading;
}

/// The same of a file that grows in pieces.
Reading growingOf(const std::string& bytes, const fs::path& file, Choices choices) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  Reader reader(file);
  Reading reading;
  for (std::size_t begin = 0; begin < bytes.size() && !reading.error;) {
    const std::size_t count =
        std::min(bytes.size() - begin, 1 + choices.below(choices.oneIn(4) ? 20 : bytes.size()));
    out.write(bytes.data() + begin, static_cast<std::streamsize>(count)).flush();
    begin += count;
    readMore(reader, reading);
  }
  return reading;
}

// ---- frames

std::uint32_t crcByDefinition(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0x82f63b78U & (0U - (crc & 1U)));
  }
  return ~crc;
}

std::uint64_t numberAt(std::string_view bytes, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

bool isChecksumOf(std::string_view bytes, std::string_view stored) {
  const std::uint32_t crc = crcByDefinition(bytes);
  return static_cast<std::uint32_t>((crc >> 15 | crc << 17) + 0xa282ead8U) == numberAt(stored, 4);
}

struct Frames {
  std::set<std::int64_t> whole;  ///< numbers of those whose data are right
  std::int64_t count = 0, bytes = 0;
  bool isBroken = false;  ///< behind them
};

Frames framesBySearch(std::string_view rest) {
  constexpr std::size_t kHeader = 12, kCrc = 4;
  Frames frames;
  while (rest.size() >= kHeader) {
    const std::uint64_t length = numberAt(rest, 8);
    if (!isChecksumOf(rest.substr(0, 8), rest.substr(8, kCrc)) || length > 0x7fffffff) {
      frames.isBroken = rest.substr(0, kHeader) != std::string(kHeader, '\0');
      break;
    }
    if (rest.size() < kHeader + length + kCrc) break;
    if (isChecksumOf(rest.substr(kHeader, length), rest.substr(kHeader + length, kCrc)))
      frames.whole.insert(frames.count);
    ++frames.count;
    frames.bytes += static_cast<std::int64_t>(kHeader + length + kCrc);
    rest.remove_prefix(kHeader + length + kCrc);
  }
  return frames;
}

void checkFrames(const Reading& reading, const Frames& frames) {
  expect(reading.error.has_value() == frames.isBroken,
         frames.isBroken ? "a broken frame is read over" : "a error without a broken frame");
  expect(
      reading.offset == frames.bytes && reading.nextSeq == frames.count,
      "ends at byte " + std::to_string(reading.offset) + ", not " + std::to_string(frames.bytes));
  std::int64_t before = -1;
  for (const Record& record : reading.records) {
    expect(record.seq > before, "records out of order");
    expect(frames.whole.contains(record.seq),
           "record " + std::to_string(record.seq) + " is of a damaged frame");
    before = record.seq;
  }
}

// ---- what becomes of the records

/// Messages decode or are refused, and so do the alerts that they raise.
void checkDecoding(const Reading& reading) {
  alerts::AlertDetector detector;
  for (const Record& record : reading.records) {
    if (record.kind == Record::Kind::SessionStart) detector.forgetFrom(record.step);
    const auto event = events::eventOf(record);
    if (!event) continue;
    protocol::lineOf(*event);
    for (const protocol::Alert& alert : detector.add(*event))
      protocol::decodeEvent(protocol::encodeEvent(alert), 1, alert.step, alert.time);
  }
}

/// A writer goes on behind the last whole record, or refuses the file as the reader does.
void checkWriter(const std::string& bytes, const Reading& before, const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path file = folder / "events.out.tfevents.1";
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  Record added;
  added.kind = Record::Kind::Scalars;
  added.step = 7;
  added.scalars = {{"a", 1.5f}};
  try {
    auto writer = events::Writer::open(folder);
    added.seq = writer.append(added);
  } catch (const Error&) {
    expect(before.error.has_value(), "the writer refuses what the reader reads");
    return;
  }
  expect(!before.error, "the writer goes on behind a error");
  Reading after = readingOf(file);
  expect(!after.error && !after.records.empty() && isSame(after.records.back(), added),
         "what was appended is not there");
  after.records.pop_back();
  if (before.nextSeq == 0) after.records.clear();  // the writer's version record
  expect(std::ranges::equal(after.records, before.records, isSame),
         "appending changed what was there");
}

}  // namespace

void checkEventLog(const fs::path& file) {
  const std::string bytes = base::readFile(file);
  const Reading reading = readingOf(file);
  checkFrames(reading, framesBySearch(bytes));
  expectSame(visitingOf(file), reading, "by views");
  const Choices choices(base::crc32c(bytes), 0);
  expectSame(growingOf(bytes, file.string() + ".growing", choices), reading, "while it grows");
  checkDecoding(reading);
  checkWriter(bytes, reading, file.string() + ".written");
  if (reading.error) throw Error(*reading.error);
}

}  // namespace lockstep::tests
