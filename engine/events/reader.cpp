#include "engine/events/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/base/input_file.h"
#include "engine/events/event_message.h"
#include "engine/events/record_frame.h"
#include "engine/events/tag_table.h"

namespace lockstep::events {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;

std::string reasonOf(int code) { return std::generic_category().message(code); }

Error brokenAt(const std::string& where, std::int64_t offset, std::int64_t seq) {
  if (offset == 0) return Error(where + ": not an event log: the first record is invalid");
  return Error(where + ": corrupt at byte " + std::to_string(offset) + " (record " +
               std::to_string(seq) + "); later records cannot be read; `truncate -s " +
               std::to_string(offset) + "` keeps the records before it");
}

Record recordOf(const EventMessage& message, std::int64_t seq) {
  Record record;
  record.seq = seq;
  record.wallTime = message.wallTime;
  record.step = message.step;
  record.kind = message.kind;
  record.scalars.reserve(message.scalars.size());
  for (const auto& [tag, value] : message.scalars) record.scalars.emplace_back(tag, value);
  if (message.kind == Record::Kind::Event) record.json = message.json;
  return record;
}

}  // namespace

struct Reader::State {
  std::filesystem::path path;
  base::FileDescriptor file;
  std::vector<char> buffer;
  std::size_t begin = 0, end = 0;            ///< of the undecoded bytes in buffer
  std::int64_t offset = 0;                   ///< in the file, of begin
  std::int64_t seq = 0;                      ///< of the next record
  std::int64_t damaged = 0;                  ///< records skipped
  std::optional<std::int64_t> firstDamaged;  ///< offset of the first of them
  EventMessage message;
  TagTable tags;
  MediaTags media;
  std::vector<ScalarView> scalars;

  std::int64_t fileBytes() const;
  bool fill(std::size_t wantedBytes);
  bool nextMessage();
};

std::int64_t Reader::State::fileBytes() const {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    throw Error(path.string() + ": cannot be read: " + reasonOf(errno));
  }
  return status.st_size;
}

/// Reads until the buffer holds more than before; false at the current end. `wantedBytes`: size of
/// the incomplete record. At the end, its bytes are dropped: a writer may truncate it and write
/// another record there.
bool Reader::State::fill(std::size_t wantedBytes) {
  const std::size_t held = end - begin;
  const bool isZeros = wantedBytes == 0 && held >= kChunkBytes;
  if (isZeros ||
      fileBytes() < offset + static_cast<std::int64_t>(std::max(wantedBytes, held + 1))) {
    end = begin;
    return false;
  }
  if (held > 0) std::memmove(buffer.data(), buffer.data() + begin, held);
  begin = 0;
  end = held;
  buffer.resize(std::max({buffer.size(), held + kChunkBytes, wantedBytes}));
  ssize_t got = 0;
  do {
    got = ::pread(file.get(), buffer.data() + end, buffer.size() - end,
                  offset + static_cast<std::int64_t>(held));
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw Error(path.string() + ": cannot be read: " + reasonOf(errno));
  if (got == 0) end = begin;
  end += static_cast<std::size_t>(got);
  return got > 0;
}

/// Reads the next valid record into `message`; its number is then seq - 1.
bool Reader::State::nextMessage() {
  for (;;) {
    const Frame frame = readFrame({buffer.data() + begin, end - begin});
    if (frame.status == Frame::Status::Broken) throw brokenAt(path.string(), offset, seq);
    if (frame.status == Frame::Status::Partial) {
      if (!fill(frame.bytes)) return false;
      continue;
    }
    const bool isWhole = frame.status == Frame::Status::Whole && parseEvent(frame.data, message);
    if (!isWhole && damaged++ == 0) firstDamaged = offset;
    begin += frame.bytes;
    offset += static_cast<std::int64_t>(frame.bytes);
    ++seq;
    if (!isWhole) continue;
    for (const auto& [tag, kind] : message.media)
      if (!media.contains(tag)) media.emplace(tag, kind);
    return true;
  }
}

Reader::Reader(std::filesystem::path file) : state_(std::make_unique<State>()) {
  state_->path = std::move(file);
  state_->file = base::openRegularFile(state_->path, O_RDONLY);
}

Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

std::optional<Record> Reader::next() {
  if (!state_->nextMessage()) return std::nullopt;
  for (const auto& [tag, value] : state_->message.scalars) state_->tags.indexOf(tag);
  return recordOf(state_->message, state_->seq - 1);
}

std::vector<Record> Reader::readAvailable() {
  std::vector<Record> records;
  while (auto record = next()) records.push_back(*std::move(record));
  return records;
}

std::int64_t Reader::visitAvailable(const std::function<void(const RecordView&)>& visitor,
                                    std::int64_t maxRecords) {
  State& state = *state_;
  const EventMessage& message = state.message;
  std::int64_t count = 0;
  for (; count < maxRecords && state.nextMessage(); ++count) {
    state.scalars.clear();
    for (const auto& [tag, value] : message.scalars) {
      state.scalars.push_back({state.tags.indexOf(tag), value});
    }
    visitor({state.seq - 1, message.wallTime, message.step, message.kind, state.scalars,
             message.kind == Record::Kind::Event ? message.json : std::string_view()});
  }
  return count;
}

const std::vector<std::string>& Reader::tags() const { return state_->tags.names(); }
const MediaTags& Reader::media() const { return state_->media; }
std::int64_t Reader::offsetBytes() const { return state_->offset; }
std::int64_t Reader::nextSeq() const { return state_->seq; }
std::int64_t Reader::damagedRecords() const { return state_->damaged; }
std::optional<std::int64_t> Reader::firstDamagedByte() const { return state_->firstDamaged; }
std::int64_t Reader::fileBytes() const { return state_->fileBytes(); }

std::filesystem::path findEventFile(const std::filesystem::path& runFolder) {
  std::filesystem::path first;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(runFolder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (!isEventFileName(path)) continue;
    std::error_code statError;
    if (!entry->is_regular_file(statError)) continue;
    if (first.empty() || path.filename() < first.filename()) first = path;
  }
  return first;
}

bool isEventFileName(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.find("tfevents") != std::string::npos && !name.ends_with(".profile-empty");
}

bool isOfAnotherProgram(const std::filesystem::path& eventFile) {
  const base::FileDescriptor file(::open(eventFile.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen()) return false;
  char bytes[4096];
  const ssize_t got = ::pread(file.get(), bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  const Frame first = readFrame({bytes, static_cast<std::size_t>(got)});
  return first.status == Frame::Status::Whole && first.data.find(kWriter) == std::string_view::npos;
}

}  // namespace lockstep::events
