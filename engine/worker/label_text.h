#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::worker {

class FontList;

/// A rendered line of text: a coverage mask.
struct Ink {
  int width = 0, height = 0;           ///< px
  int baseline = 0;                    ///< rows above the baseline
  std::vector<std::uint8_t> coverage;  ///< [height * width], row-major, 0 … 255
};

/// Renders lines of text in any script with the fonts of this machine: shaped, with bidirectional
/// reordering. One thread only.
class LabelText {
 public:
  /// Keeps a reference to the fonts. `heightPx` is the font size: glyphs may exceed it.
  LabelText(const FontList& fonts, int heightPx);
  ~LabelText();

  /// Renders one line of UTF-8. nullopt when it is invalid UTF-8, renders blank, or a glyph is
  /// missing in every font.
  std::optional<Ink> draw(const std::string& utf8);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::worker
