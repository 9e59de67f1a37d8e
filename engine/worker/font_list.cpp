#include "engine/worker/font_list.h"

#include <fontconfig/fontconfig.h>

#include <memory>

namespace lockstep::worker {

template <auto destroy>
struct Destroy {
  template <typename Object>
  void operator()(Object* object) const {
    destroy(object);
  }
};

namespace {

using Config = std::unique_ptr<FcConfig, Destroy<FcConfigDestroy>>;
using Pattern = std::unique_ptr<FcPattern, Destroy<FcPatternDestroy>>;
using FontSet = std::unique_ptr<FcFontSet, Destroy<FcFontSetDestroy>>;
using CharSet = std::unique_ptr<FcCharSet, Destroy<FcCharSetDestroy>>;

/// All fonts, best match first, without those that add no character coverage.
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

struct FontList::Font {
  std::string file;
  int index = 0;  ///< of the face in the file
  CharSet characters;
};

FontList::FontList() {
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
    fonts_.push_back(
        {reinterpret_cast<const char*>(file), index, CharSet(FcCharSetCopy(characters))});
  }
}

FontList::~FontList() = default;

std::size_t FontList::size() const { return fonts_.size(); }

FontFile FontList::file(std::size_t font) const { return {fonts_[font].file, fonts_[font].index}; }

bool FontList::has(std::size_t font, char32_t character) const {
  return FcCharSetHasChar(fonts_[font].characters.get(), character);
}

}  // namespace lockstep::worker
