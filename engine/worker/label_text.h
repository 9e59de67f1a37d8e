#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::worker {

class FontList;

/// A line of text as coverage of ink.
struct Ink {
  int width = 0, height = 0;           ///< px
  int baseline = 0;                    ///< rows above it
  std::vector<std::uint8_t> coverage;  ///< [height*width] row by row, 0 … 255
};

/// Draws lines of text in any script with the fonts of this machine: shaped, and right-to-left
/// words the other way. One thread.
class LabelText {
 public:
  /// Keeps a reference to the fonts. Height of a line without what reaches beyond it.
  LabelText(const FontList& fonts, int heightPx);
  ~LabelText();

  /// One line of UTF-8. Nothing when it is no UTF-8, shows nothing, or no font has one of its
  /// glyphs.
  std::optional<Ink> draw(const std::string& utf8);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::worker
