#pragma once

#include <ft2build.h>
#include FT_FREETYPE_H

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/worker/font_list.h"

namespace lockstep::worker {

/// Fallback chain of fonts at one height, opened lazily. One thread only.
class FontChain {
 public:
  /// Keeps a reference to the list.
  FontChain(const FontList& list, int heightPx);
  ~FontChain();
  FontChain(const FontChain&) = delete;
  FontChain& operator=(const FontChain&) = delete;

  /// The first font with a glyph for this character; `preferred` if that has one too. nullopt: no
  /// font has one.
  std::optional<std::size_t> fontFor(char32_t character, std::optional<std::size_t> preferred);
  /// The font's face at heightPx. Null when the file cannot be opened.
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
  std::vector<Face> faces_;  ///< index: font in the list
};

}  // namespace lockstep::worker
