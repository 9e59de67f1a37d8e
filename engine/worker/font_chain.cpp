#include "engine/worker/font_chain.h"

#include <fontconfig/fontconfig.h>

#include <string>
#include <utility>

namespace lockstep::worker {
namespace {

template <auto destroy>
struct Destroy {
  template <typename Object>
  void operator()(Object* object) const {
    destroy(object);
  }
};
using Config = std::unique_ptr<FcConfig, Destroy<FcConfigDestroy>>;
using Pattern = std::unique_ptr<FcPattern, Destroy<FcPatternDestroy>>;
using FontSet = std::unique_ptr<FcFontSet, Destroy<FcFontSetDestroy>>;
using CharSet = std::unique_ptr<FcCharSet, Destroy<FcCharSetDestroy>>;

/// All fonts, best first, without those that add no character.
FontSet sortedFonts(const Config& config) {
  if (!config) return nullptr;
  const Pattern pattern(FcNameParse(reinterpret_cast<const FcChar8*>("sans-serif")));
  FcConfigSubstitute(config.get(), pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  FcResult result = FcResultMatch;
  return FontSet(FcFontSort(config.get(), pattern.get(), FcTrue, nullptr, &result));
}

bool isOutline(FcPattern* font) {
  FcBool is = FcFalse;
  return FcPatternGetBool(font, FC_OUTLINE, 0, &is) == FcResultMatch && is == FcTrue;
}

}  // namespace

struct FontChain::Font {
  std::string file;
  int index = 0;  ///< of the face in the file
  CharSet characters;
  FT_Face face = nullptr;
  bool isBroken = false;
};

FontChain::FontChain(int heightPx) : heightPx_(heightPx) {
  if (FT_Init_FreeType(&library_) != 0) {
    library_ = nullptr;
    return;
  }
  const Config config(FcInitLoadConfigAndFonts());
  const FontSet fonts = sortedFonts(config);
  for (int i = 0; fonts && i < fonts->nfont; ++i) {
    FcPattern* font = fonts->fonts[i];
    FcChar8* file = nullptr;
    FcCharSet* characters = nullptr;
    int index = 0;
    if (!isOutline(font) || FcPatternGetString(font, FC_FILE, 0, &file) != FcResultMatch ||
        FcPatternGetCharSet(font, FC_CHARSET, 0, &characters) != FcResultMatch)
      continue;
    FcPatternGetInteger(font, FC_INDEX, 0, &index);
    fonts_.push_back({reinterpret_cast<const char*>(file), index,
                      CharSet(FcCharSetCopy(characters)), nullptr, false});
  }
}

FontChain::~FontChain() {
  for (const Font& font : fonts_)
    if (font.face) FT_Done_Face(font.face);
  if (library_) FT_Done_FreeType(library_);
}

bool FontChain::has(std::size_t font, char32_t character) const {
  return !fonts_[font].isBroken && FcCharSetHasChar(fonts_[font].characters.get(), character);
}

std::optional<std::size_t> FontChain::fontFor(char32_t character,
                                              std::optional<std::size_t> preferred) {
  if (preferred && has(*preferred, character)) return preferred;
  for (std::size_t font = 0; font < fonts_.size(); ++font)
    if (has(font, character) && face(font)) return font;
  return std::nullopt;
}

FT_Face FontChain::face(std::size_t font) {
  Font& wanted = fonts_[font];
  if (wanted.face || wanted.isBroken) return wanted.face;
  wanted.isBroken = FT_New_Face(library_, wanted.file.c_str(), wanted.index, &wanted.face) != 0 ||
                    FT_Set_Pixel_Sizes(wanted.face, 0, static_cast<FT_UInt>(heightPx_)) != 0;
  if (wanted.isBroken && wanted.face) FT_Done_Face(std::exchange(wanted.face, nullptr));
  return wanted.face;
}

}  // namespace lockstep::worker
