#include "engine/events/writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <system_error>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/base/input_file.h"
#include "engine/events/reader.h"

namespace lockstep::events {
namespace {

/// A file name as TensorBoard's own writers use.
std::string newFileName() {
  char name[400];
  std::snprintf(name, sizeof name, "events.out.tfevents.%010" PRId64 ".%s.%d",
                static_cast<std::int64_t>(base::wallTimeSeconds()), base::hostName().c_str(),
                ::getpid());
  return name;
}

}  // namespace

void Writer::fail(const char* what) const {
  throw Error(path_.string() + ": " + what + ": " + std::generic_category().message(errno));
}

Writer Writer::open(const std::filesystem::path& runFolder) {
  Writer writer;
  writer.path_ = findEventFile(runFolder);
  const bool isNew = writer.path_.empty();
  if (isNew) writer.path_ = runFolder / newFileName();
  writer.file_ = base::openRegularFile(writer.path_, O_RDWR | O_CREAT | O_APPEND);
  Reader reader(writer.path_);
  reader.visitAvailable([](const RecordView&) {});
  writer.nextSeq_ = reader.nextSeq();
  writer.bytes_ = reader.offsetBytes();
  if (reader.fileBytes() > writer.bytes_) writer.truncateTo(writer.bytes_);
  if (writer.nextSeq_ == 0) {
    Record version;
    version.kind = Record::Kind::FileVersion;
    version.wallTime = base::wallTimeSeconds();
    writer.append(std::move(version));
  }
  if (isNew) base::syncToDisk(runFolder);
  return writer;
}

void Writer::truncateTo(std::int64_t bytes) {
  if (::ftruncate(file_.get(), bytes) != 0) fail("cannot be truncated");
  bytes_ = bytes;
  hasPartialRecord_ = false;
}

std::int64_t Writer::append(Record record) {
  if (hasPartialRecord_) truncateTo(bytes_);
  record.seq = nextSeq_;
  const std::string bytes = encodeRecord(record);
  ssize_t written = 0;
  do {
    written = ::write(file_.get(), bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(bytes.size())) {
    bytes_ += written;
    return nextSeq_++;
  }
  // Partial write (full disk or quota): remove it, so that the file ends with a complete record.
  const int reason = written < 0 ? errno : ENOSPC;
  hasPartialRecord_ = written > 0 && ::ftruncate(file_.get(), bytes_) != 0;
  errno = reason;
  fail("cannot be written");
}

std::int64_t Writer::truncateAfterStep(std::int64_t step) {
  Reader reader(path_);
  std::int64_t keptBytes = 0, keptRecords = 0;
  bool isLater = false;
  const auto check = [&](const RecordView& record) {
    isLater = record.kind != Record::Kind::FileVersion && record.step > step;
  };
  while (reader.visitAvailable(check, 1) == 1 && !isLater) {
    keptBytes = reader.offsetBytes();
    keptRecords = reader.nextSeq();
  }
  truncateTo(keptBytes);
  nextSeq_ = keptRecords;
  Record start;
  start.kind = Record::Kind::SessionStart;
  start.step = step + 1;
  start.wallTime = base::wallTimeSeconds();
  const std::int64_t seq = append(std::move(start));
  sync();
  return seq;
}

void Writer::sync() {
  if (::fdatasync(file_.get()) != 0) fail("cannot be synced to disk");
}

std::int64_t Writer::nextSeq() const { return nextSeq_; }
const std::filesystem::path& Writer::path() const { return path_; }

}  // namespace lockstep::events
