#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/coco/files/json_file.h"
#include "engine/coco/files/results.h"

/// The entries of a results file whose masks are not parsed yet. Used only in this folder.
namespace lockstep::coco {

/// One detection, 72 bytes.
struct ResultEntry {
  ImageId imageId;
  CategoryId categoryId;
  double score = 0;
  std::array<double, 4> boxXywh{};
  std::uint64_t maskAt : 63 = 0;  ///< offset of its RLE in the file's text
  std::uint64_t hasBox : 1 = 0;
  std::uint32_t maskBytes = 0;  ///< 0: no mask

  std::string_view maskText(const JsonFile& file) const {
    return file.text().substr(maskAt, maskBytes);
  }
};

/// Reads all entries; RLEs are only checked to be valid JSON. Throws Error with file and byte.
std::vector<ResultEntry> readResults(const JsonFile& file);

/// Converts entries to detections with masks.
class EntryDecoder {
 public:
  /// `file` and `entries` must outlive the decoder.
  EntryDecoder(const JsonFile& file, const std::vector<ResultEntry>& entries);
  /// Throws Error with file, index and byte if the RLE is invalid.
  Detection decode(std::size_t index);

 private:
  const JsonFile& file_;
  const std::vector<ResultEntry>& entries_;
  bool areaIsOfMask_;
  simdjson::ondemand::parser parser_;
};

}  // namespace lockstep::coco
