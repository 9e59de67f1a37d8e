#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/parallel_for.h"
#include "engine/coco/files/json_records.h"

namespace lockstep::coco {

/// Pieces of a file, one after the other, in simdjson's hands.
class PieceReader {
 public:
  explicit PieceReader(const JsonFile& file) : file_(file) {}

  /// Calls visit(value) for every element. Throws Error for broken JSON.
  template <typename Visit>
  void read(const JsonPiece& piece, Visit visit) {
    origin_ = piece.text.data();
    buffer_.resize(piece.text.size() + 2 + simdjson::SIMDJSON_PADDING);
    buffer_.front() = '[';
    std::memcpy(buffer_.data() + 1, piece.text.data(), piece.text.size());
    buffer_[piece.text.size() + 1] = ']';
    std::size_t count = 0;
    try {
      auto document = parser_.iterate(buffer_.data(), piece.text.size() + 2, buffer_.size());
      for (auto element : document.get_array()) {
        if (++count > piece.count) throw simdjson::simdjson_error(simdjson::TAPE_ERROR);
        visit(JsonValue(element.value()));
      }
    } catch (const simdjson::simdjson_error& error) {
      file_.throwBroken(error.error());
    }
    if (count != piece.count) file_.throwBroken(simdjson::TAPE_ERROR);
  }

  /// A text of the piece where it stands in the file.
  std::string_view inFile(std::string_view text) const {
    return {origin_ + (text.data() - buffer_.data() - 1), text.size()};
  }
  /// Where a value that is not read yet begins in the file, from 1.
  std::size_t byteOf(JsonValue& value) const {
    return file_.byteOf(inFile(value.raw_json_token()).data());
  }

 private:
  const JsonFile& file_;
  std::vector<char> buffer_;  ///< the piece in brackets, and the room that simdjson reads over
  const char* origin_ = nullptr;
  simdjson::ondemand::parser parser_;
};

/// A record that cannot be used.
struct RecordFault {
  std::size_t index;
  std::optional<std::int64_t> id;
  std::size_t byte;  ///< where it begins in the file, from 1
  std::string what;
};

/// Reads every entry of a table with `Entry take(JsonValue, RecordReader&, const PieceReader&)`, a
/// share of the pieces on each thread of the machine, and then calls `report(const RecordFault&)`
/// in order for those with a fault; they are left out. Throws Error for broken JSON.
template <typename Entry, typename Take, typename Report>
std::vector<Entry> readTable(const JsonFile& file, const JsonTable& table, Take take,
                             Report report) {
  std::vector<Entry> entries(table.count);
  std::vector<RecordFault> faults;
  std::mutex faultsMutex;  // guards faults
  std::atomic<std::size_t> nextPiece{0};
  const std::size_t threads =
      std::min<std::size_t>(table.pieces.size(), std::max(1U, std::thread::hardware_concurrency()));
  base::parallelFor(threads, 0, [&](std::size_t) {
    PieceReader reader(file);
    for (std::size_t p = nextPiece++; p < table.pieces.size(); p = nextPiece++) {
      std::size_t index = table.pieces[p].first;
      reader.read(table.pieces[p], [&](JsonValue value) {
        RecordReader record;
        const std::size_t byte = reader.byteOf(value);
        entries[index] = take(value, record, reader);
        if (record.hasFault()) {
          const std::lock_guard lock(faultsMutex);
          faults.push_back({index, record.id(), byte, record.fault()});
        }
        ++index;
      });
    }
  });
  if (faults.empty()) return entries;
  std::sort(faults.begin(), faults.end(),
            [](const RecordFault& a, const RecordFault& b) { return a.index < b.index; });
  std::size_t kept = 0, next = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (next < faults.size() && faults[next].index == i) {
      report(faults[next++]);
    } else if (i != kept++) {
      entries[kept - 1] = std::move(entries[i]);
    }
  }
  entries.resize(kept);
  return entries;
}

/// Looks at what nobody wants. Throws Error for broken JSON.
inline void checkTable(const JsonFile& file, const JsonTable& table) {
  PieceReader reader(file);
  for (const JsonPiece& piece : table.pieces) reader.read(piece, passOver);
}

}  // namespace lockstep::coco
