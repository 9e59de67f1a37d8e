#pragma once

#include <string>
#include <string_view>

#include "engine/coco/masks/rle.h"

namespace lockstep::coco {

/// Reads RLEs of results files that are written as all programs write them,
/// {"size": [height, width], "counts": "…"}, without the JSON parser, which for short texts takes
/// longer than the counts. Used only in this folder.
class UsualRleReader {
 public:
  /// `text`: valid JSON. False if it is written in another way or is invalid: parseRle() reads the
  /// one and says what is wrong with the other.
  bool read(std::string_view text, Rle& rle);

 private:
  std::string_view unescaped(std::string_view counts);

  std::string buffer_;  ///< counts without escapes
};

}  // namespace lockstep::coco
