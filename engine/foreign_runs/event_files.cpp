#include "engine/foreign_runs/event_files.h"

#include <sys/stat.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/number_text.h"

namespace lockstep::foreign_runs {
namespace {

using events::Record;

/// A run may have thousands of files. The last ones alone grow.
constexpr std::size_t kMaxOpenFiles = 8;

std::int64_t bytesOf(const fs::path& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_size : -1;
}

bool isStep(std::int64_t step) { return step >= -kMaxStep && step <= kMaxStep; }

}  // namespace

std::vector<fs::path> eventFilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (events::isEventFileName(entry->path()) && entry->is_regular_file(ignored))
      files.push_back(entry->path());
  }
  if (error) throw Error(folder.string() + ": cannot be listed: " + error.message());
  std::ranges::sort(files);
  return files;
}

EventFiles::EventFiles(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) files_.emplace_back().path = file;
}

/// False: files that were read are gone, or one comes before them.
bool EventFiles::findFiles() {
  if (folder_.empty()) return true;
  const std::vector<fs::path> found = eventFilesIn(folder_);
  if (found.size() < files_.size()) return false;
  if (!std::ranges::equal(files_, std::span(found).first(files_.size()), {}, &File::path))
    return false;
  for (std::size_t i = files_.size(); i < found.size(); ++i) files_.emplace_back().path = found[i];
  return true;
}

/// Whether what was read of a file, or what was left out of it, is no longer as it was.
bool EventFiles::hasChangedBefore(const File& file) {
  if (!file.identity) return false;  // not opened yet
  const auto now = base::FileIdentity::of(file.path);
  if (now != file.identity) return true;
  if (file.reader && !file.isBroken) return file.reader->wasTruncated();
  const std::int64_t bytes = bytesOf(file.path);
  return file.isBroken ? bytes < file.bytes : bytes != file.bytes;
}

bool EventFiles::addAppended(RecordStream& stream, Faults& faults) {
  if (!findFiles() || std::ranges::any_of(files_, hasChangedBefore)) return false;
  for (File& file : files_) addFile(file, stream, faults);
  const auto isUnreadable = [](const File& file) { return file.isUnreadable; };
  if (!files_.empty() && std::ranges::all_of(files_, isUnreadable)) throw Error(faults.first);
  for (std::size_t i = 0; i + kMaxOpenFiles < files_.size(); ++i) files_[i].reader.reset();
  return true;
}

void EventFiles::addFile(File& file, RecordStream& stream, Faults& faults) {
  if (file.isBroken || (file.identity && !file.reader)) return;
  std::vector<ForeignPoint> points;
  try {
    if (!file.reader) {
      file.reader.emplace(file.path);
      file.identity = base::FileIdentity::of(file.path);
      file.isUnreadable = false;
    }
    events::Reader& reader = *file.reader;
    reader.visitAvailable(
        [&](const events::RecordView& record) { addRecord(file, record, stream, points, faults); });
    if (const std::int64_t damaged = reader.damagedRecords(); damaged > file.damaged) {
      faults.add(file.path.string() + ": byte " + std::to_string(*reader.firstDamagedByte()) +
                     ": a damaged record; left out",
                 damaged - file.damaged);
      file.damaged = damaged;
    }
    file.bytes = reader.fileBytes();
    media_.insert(reader.media().begin(), reader.media().end());
  } catch (const Error& error) {
    if (!std::exchange(file.isUnreadable, !file.reader)) faults.add(error.what());
    file.isBroken = file.reader.has_value();
    file.bytes = bytesOf(file.path);
  }
}

void EventFiles::addRecord(File& file, const events::RecordView& record, RecordStream& stream,
                           std::vector<ForeignPoint>& points, Faults& faults) {
  if (!isStep(record.step)) {
    faults.add(file.path.string() + ": record " + std::to_string(record.seq) + ": step " +
               std::to_string(record.step) + " is out of range; left out");
    return;
  }
  switch (record.kind) {
    case Record::Kind::Scalars: {
      const std::vector<std::string>& names = file.reader->tags();
      while (file.tags.size() < names.size())
        file.tags.push_back(stream.numberOf(names[file.tags.size()]));
      points.clear();
      for (const events::ScalarView& scalar : record.scalars)
        points.push_back({file.tags[scalar.tag], scalar.value});
      stream.add(record.step, record.wallTime, points);
      break;
    }
    case Record::Kind::Event:
      stream.addEvent(record.step, record.wallTime, record.json);
      break;
    case Record::Kind::SessionStart:
      stream.startSession(record.step, record.wallTime);
      break;
    case Record::Kind::FileVersion:
    case Record::Kind::HyperParameters:
    case Record::Kind::Other:
      break;
  }
}

}  // namespace lockstep::foreign_runs
