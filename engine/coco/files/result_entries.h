#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/coco/files/json_file.h"
#include "engine/coco/files/read_table.h"
#include "engine/coco/files/results.h"
#include "engine/coco/files/usual_rle.h"

/// The entries of a results file whose masks are not parsed yet. Used only in this folder.
namespace lockstep::coco {

/// One detection, 64 bytes.
struct ResultEntry {
  ImageId imageId;
  CategoryId categoryId;
  double score = 0;
  std::array<double, 4> boxXywh{};
  std::uint64_t maskAt : 38 = 0;     ///< offset of its RLE in the file's text
  std::uint64_t maskBytes : 25 = 0;  ///< 0: no mask
  std::uint64_t hasBox : 1 = 0;

  std::string_view maskText(const JsonFile& file) const {
    return file.text().substr(maskAt, maskBytes);
  }
};

/// What ResultEntry has room for.
inline constexpr std::size_t kMaxMaskBytes = (std::size_t{1} << 25) - 1;
inline constexpr std::size_t kMaxResultsBytes = std::size_t{1} << 38;

/// What is invalid is an error of the record; an RLE is only checked to be valid JSON.
ResultEntry takeEntry(const JsonFile& file, JsonValue value, RecordReader& record,
                      const PieceReader& reader);

/// Throws Error if the file is longer than what ResultEntry has room for.
void requireRoomFor(const JsonFile& file);

/// Reads all entries; RLEs are only checked to be valid JSON. Throws Error with file and byte.
std::vector<ResultEntry> readResults(const JsonFile& file);

/// Converts entries to detections with masks.
class EntryDecoder {
 public:
  /// `file` must outlive the decoder. As in pycocotools, the first entry of the file (nullptr:
  /// there is none) decides whether all areas are those of boxes or of masks.
  EntryDecoder(const JsonFile& file, const ResultEntry* first)
      : file_(file), areaIsOfMask_(first != nullptr && !first->hasBox) {}
  /// `index`: in the file, for messages. Throws Error with file, index and byte if the RLE is
  /// invalid.
  Detection decode(const ResultEntry& entry, std::size_t index);

 private:
  const JsonFile& file_;
  bool areaIsOfMask_;
  UsualRleReader usualRles_;
  simdjson::ondemand::parser parser_;
};

}  // namespace lockstep::coco
