#pragma once

#include <ft2build.h>
#include FT_FREETYPE_H

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep::worker {

/// The outline fonts of this machine in the order in which fontconfig would take them for a
/// sans-serif text; opened as they are needed. One thread.
class FontChain {
 public:
  explicit FontChain(int heightPx);
  ~FontChain();
  FontChain(const FontChain&) = delete;
  FontChain& operator=(const FontChain&) = delete;

  /// The first font with a glyph for this character; `preferred` when that has it too. Nothing: no
  /// font has one.
  std::optional<std::size_t> fontFor(char32_t character, std::optional<std::size_t> preferred);
  /// Of heightPx. Null when the file cannot be opened.
  FT_Face face(std::size_t font);

 private:
  struct Font;
  bool has(std::size_t font, char32_t character) const;

  int heightPx_;
  FT_Library library_ = nullptr;
  std::vector<Font> fonts_;
};

}  // namespace lockstep::worker
