#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/parallel_for.h"
#include "engine/coco/files/json_nan.h"
#include "engine/coco/files/json_records.h"

namespace lockstep::coco {

/// Parses pieces of a file, one after another, with simdjson.
class PieceReader {
 public:
  explicit PieceReader(const JsonFile& file) : file_(file) {}

  /// Calls visit(value) for every element. Throws Error for invalid JSON.
  template <typename Visit>
  void read(const JsonPiece& piece, Visit visit) {
    origin_ = piece.text.data();
    buffer_.resize(piece.text.size() + 2 + simdjson::SIMDJSON_PADDING);
    buffer_.front() = '[';
    std::memcpy(buffer_.data() + 1, piece.text.data(), piece.text.size());
    buffer_[piece.text.size() + 1] = ']';
    if (piece.mayHaveNan) quoteNan({buffer_.data() + 1, piece.text.size()});
    file_.used(piece.text.size());
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

  /// The same text within the file, for a text within the piece's buffer.
  std::string_view inFile(std::string_view text) const {
    return {origin_ + (text.data() - buffer_.data() - 1), text.size()};
  }
  /// Position in the file, from 1, of a value that has not been read yet.
  std::size_t byteOf(JsonValue& value) const {
    return file_.byteOf(inFile(value.raw_json_token()).data());
  }

 private:
  const JsonFile& file_;
  std::vector<char> buffer_;  ///< the piece in brackets, and simdjson's padding
  const char* origin_ = nullptr;
  simdjson::ondemand::parser parser_;
};

/// The errors of an invalid record.
struct RecordError {
  std::size_t index;
  std::optional<std::int64_t> id;
  std::size_t byte;  ///< position in the file, from 1
  std::vector<RecordFault> faults;

  const std::string& what() const { return faults.front().what; }
};

/// Reads every entry of a table with `Entry take(JsonValue, RecordReader&, const PieceReader&)`, in
/// parallel over its pieces, and then calls `bool report(const RecordError&, Entry&)` in order for
/// the invalid entries, which are left out unless it returns true: an entry has what was read of
/// it. Throws Error for invalid JSON.
template <typename Entry, typename Take, typename Report>
std::vector<Entry> readTable(const JsonFile& file, const JsonTable& table, Take take,
                             Report report) {
  std::vector<Entry> entries(table.count);
  std::vector<RecordError> errors;
  std::mutex errorsMutex;  // guards errors
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
        if (record.hasError()) {
          const std::lock_guard lock(errorsMutex);
          errors.push_back({index, record.id(), byte, record.faults()});
        }
        ++index;
      });
    }
  });
  if (errors.empty()) return entries;
  std::sort(errors.begin(), errors.end(),
            [](const RecordError& a, const RecordError& b) { return a.index < b.index; });
  std::size_t kept = 0, next = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool isInvalid = next < errors.size() && errors[next].index == i;
    if (isInvalid && !report(errors[next++], entries[i])) continue;
    if (i != kept++) entries[kept - 1] = std::move(entries[i]);
  }
  entries.resize(kept);
  return entries;
}

/// Validates a table that is not used. Throws Error for invalid JSON.
inline void checkTable(const JsonFile& file, const JsonTable& table) {
  PieceReader reader(file);
  for (const JsonPiece& piece : table.pieces) reader.read(piece, skipValue);
}

}  // namespace lockstep::coco
