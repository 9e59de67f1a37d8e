#include "engine/worker/font_chain.h"

#include <utility>

namespace lockstep::worker {

FontChain::FontChain(const FontList& list, int heightPx) : list_(list), heightPx_(heightPx) {
  if (FT_Init_FreeType(&library_) != 0) {
    library_ = nullptr;
    return;
  }
  faces_.resize(list.size());
}

FontChain::~FontChain() {
  for (const Face& face : faces_)
    if (face.face) FT_Done_Face(face.face);
  if (library_) FT_Done_FreeType(library_);
}

bool FontChain::has(std::size_t font, char32_t character) const {
  return !faces_[font].isBroken && list_.has(font, character);
}

std::optional<std::size_t> FontChain::fontFor(char32_t character,
                                              std::optional<std::size_t> preferred) {
  if (preferred && has(*preferred, character)) return preferred;
  for (std::size_t font = 0; font < faces_.size(); ++font)
    if (has(font, character) && face(font)) return font;
  return std::nullopt;
}

FT_Face FontChain::face(std::size_t font) {
  Face& wanted = faces_[font];
  if (wanted.face || wanted.isBroken) return wanted.face;
  const FontFile source = list_.file(font);
  wanted.isBroken = FT_New_Face(library_, source.path.c_str(), source.index, &wanted.face) != 0 ||
                    FT_Set_Pixel_Sizes(wanted.face, 0, static_cast<FT_UInt>(heightPx_)) != 0;
  if (wanted.isBroken && wanted.face) FT_Done_Face(std::exchange(wanted.face, nullptr));
  return wanted.face;
}

}  // namespace lockstep::worker
