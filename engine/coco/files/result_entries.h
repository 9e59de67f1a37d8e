#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/coco/files/json_file.h"
#include "engine/coco/files/results.h"

/// The entries of a results file whose masks stay in its text. Used by this folder alone.
namespace lockstep::coco {

/// One detection in 72 bytes.
struct ResultEntry {
  ImageId imageId;
  CategoryId categoryId;
  double score = 0;
  std::array<double, 4> boxXywh{};
  std::uint64_t maskAt : 63 = 0;  ///< where its runs begin in the file's text
  std::uint64_t hasBox : 1 = 0;
  std::uint32_t maskBytes = 0;  ///< 0: no mask

  std::string_view maskText(const JsonFile& file) const {
    return file.text().substr(maskAt, maskBytes);
  }
};

/// Every entry; runs are looked at only so far as that they are JSON. Throws Error with file and
/// byte.
std::vector<ResultEntry> readResults(const JsonFile& file);

/// Makes detections of entries, with their masks.
class EntryDecoder {
 public:
  /// `file` and `entries` must outlive the decoder.
  EntryDecoder(const JsonFile& file, const std::vector<ResultEntry>& entries);
  /// Throws Error with file, place and byte where the runs are faulty.
  Detection decode(std::size_t index);

 private:
  const JsonFile& file_;
  const std::vector<ResultEntry>& entries_;
  bool areaIsOfMask_;
  simdjson::ondemand::parser parser_;
};

}  // namespace lockstep::coco
