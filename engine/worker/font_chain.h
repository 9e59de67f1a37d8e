#pragma once

#include <ft2build.h>
#include FT_FREETYPE_H

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/worker/font_list.h"

namespace lockstep::worker {

/// Fonts of a list in one height, opened as they are needed. One thread.
class FontChain {
 public:
  /// Keeps a reference to the list.
  FontChain(const FontList& list, int heightPx);
  ~FontChain();
  FontChain(const FontChain&) = delete;
  FontChain& operator=(const FontChain&) = delete;

  /// The first font with a glyph for this character; `preferred` when that has it too. Nothing: no
  /// font has one.
  std::optional<std::size_t> fontFor(char32_t character, std::optional<std::size_t> preferred);
  /// Of heightPx. Null when the file cannot be opened.
  FT_Face face(std::size_t font);

 private:
  struct Face {
    FT_Face face = nullptr;
    bool isBroken = false;
  };
  bool has(std::size_t font, char32_t character) const;

  const FontList& list_;
  int heightPx_;
  FT_Library library_ = nullptr;
  std::vector<Face> faces_;  ///< by font of the list
};

}  // namespace lockstep::worker
