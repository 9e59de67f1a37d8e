#include "engine/worker/label_text.h"

#include <ft2build.h>
#include <hb-ft.h>
#include <hb.h>
#include FT_GLYPH_H

#include <algorithm>
#include <cmath>

#include "engine/worker/font_chain.h"
#include "engine/worker/text_runs.h"

namespace lockstep::worker {
namespace {

constexpr int kLoadFlags = FT_LOAD_TARGET_LIGHT | FT_LOAD_NO_BITMAP;
constexpr int kSubpixels = 64;  // units of FreeType and HarfBuzz per px

struct DestroyBuffer {
  void operator()(hb_buffer_t* buffer) const { hb_buffer_destroy(buffer); }
};
using Buffer = std::unique_ptr<hb_buffer_t, DestroyBuffer>;

/// A glyph of one font; its origin on the baseline in px from the line's start, y downwards.
struct PlacedGlyph {
  std::size_t font = 0;
  FT_UInt index = 0;
  int x = 0, y = 0;
};

struct Line {
  std::vector<PlacedGlyph> glyphs;
  int advancePx = 0;
};

int toPx(FT_Pos units) {
  return static_cast<int>(std::lround(static_cast<double>(units) / kSubpixels));
}

/// A canvas that grows in all directions to hold what is drawn.
class GrowingCanvas {
 public:
  /// Grows to include x0 … x1-1, y0 … y1-1; (0, 0) is the line's start on the baseline.
  void include(int x0, int y0, int x1, int y1) {
    left_ = std::min(left_, x0);
    top_ = std::min(top_, y0);
    right_ = std::max(right_, x1);
    bottom_ = std::max(bottom_, y1);
  }
  Ink finish(const std::vector<std::pair<FT_BitmapGlyph, PlacedGlyph>>& glyphs) const {
    Ink ink{right_ - left_, bottom_ - top_, -top_, {}};
    ink.coverage.resize(static_cast<std::size_t>(ink.width) * static_cast<std::size_t>(ink.height));
    for (const auto& [picture, place] : glyphs) draw(*picture, place, ink);
    return ink;
  }

 private:
  void draw(const FT_BitmapGlyphRec& picture, const PlacedGlyph& place, Ink& ink) const {
    const FT_Bitmap& bitmap = picture.bitmap;
    const int x0 = place.x + picture.left - left_, y0 = place.y - picture.top - top_;
    for (int y = 0; y < static_cast<int>(bitmap.rows); ++y) {
      for (int x = 0; x < static_cast<int>(bitmap.width); ++x) {
        std::uint8_t& at =
            ink.coverage[static_cast<std::size_t>(y0 + y) * static_cast<std::size_t>(ink.width) +
                         static_cast<std::size_t>(x0 + x)];
        at = std::max(at, bitmap.buffer[y * bitmap.pitch + x]);
      }
    }
  }

  int left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
};

struct DestroyGlyph {
  void operator()(FT_BitmapGlyph glyph) const { FT_Done_Glyph(&glyph->root); }
};
using RenderedGlyph = std::unique_ptr<FT_BitmapGlyphRec, DestroyGlyph>;

/// Null when the glyph cannot be rendered.
RenderedGlyph renderGlyph(FT_Face face, FT_UInt index) {
  FT_Glyph glyph = nullptr;
  if (FT_Load_Glyph(face, index, kLoadFlags) != 0 || FT_Get_Glyph(face->glyph, &glyph) != 0)
    return nullptr;
  if (FT_Glyph_To_Bitmap(&glyph, FT_RENDER_MODE_NORMAL, nullptr, 1) != 0) {
    FT_Done_Glyph(glyph);
    return nullptr;
  }
  return RenderedGlyph(reinterpret_cast<FT_BitmapGlyph>(glyph));
}

}  // namespace

struct LabelText::Parts {
  struct DestroyFont {
    void operator()(hb_font_t* font) const { hb_font_destroy(font); }
  };
  using ShapingFont = std::unique_ptr<hb_font_t, DestroyFont>;

  Parts(const FontList& list, int heightPx) : fonts(list, heightPx) {}

  hb_font_t* shapingFont(std::size_t font) {
    if (font >= shaping.size()) shaping.resize(font + 1);
    if (!shaping[font]) {
      shaping[font].reset(hb_ft_font_create_referenced(fonts.face(font)));
      hb_ft_font_set_load_flags(shaping[font].get(), kLoadFlags);
    }
    return shaping[font].get();
  }
  bool shape(const std::u32string& text, const TextRun& run, Line& line);
  std::optional<Ink> render(const Line& line);

  FontChain fonts;
  std::vector<ShapingFont> shaping;  ///< index: font; destroyed before their faces
};

/// False when a glyph is missing.
bool LabelText::Parts::shape(const std::u32string& text, const TextRun& run, Line& line) {
  const Buffer buffer(hb_buffer_create());
  hb_buffer_add_utf32(buffer.get(), reinterpret_cast<const std::uint32_t*>(text.data()),
                      static_cast<int>(text.size()), static_cast<unsigned>(run.begin),
                      static_cast<int>(run.end - run.begin));
  hb_buffer_set_script(buffer.get(), run.script);
  hb_buffer_set_direction(buffer.get(), run.isRightToLeft ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
  hb_buffer_set_language(buffer.get(), hb_language_get_default());
  hb_shape(shapingFont(run.font), buffer.get(), nullptr, 0);
  unsigned count = 0;
  const hb_glyph_info_t* glyphs = hb_buffer_get_glyph_infos(buffer.get(), &count);
  const hb_glyph_position_t* positions = hb_buffer_get_glyph_positions(buffer.get(), &count);
  FT_Pos at = static_cast<FT_Pos>(line.advancePx) * kSubpixels;
  for (unsigned i = 0; i < count; ++i) {
    if (glyphs[i].codepoint == 0) return false;
    line.glyphs.push_back({run.font, glyphs[i].codepoint, toPx(at + positions[i].x_offset),
                           -toPx(positions[i].y_offset)});
    at += positions[i].x_advance;
  }
  line.advancePx = toPx(at);
  return true;
}

std::optional<Ink> LabelText::Parts::render(const Line& line) {
  GrowingCanvas picture;
  std::vector<RenderedGlyph> owned;
  std::vector<std::pair<FT_BitmapGlyph, PlacedGlyph>> drawn;
  for (const PlacedGlyph& glyph : line.glyphs) {
    const FT_Face face = fonts.face(glyph.font);
    const FT_Size_Metrics& metrics = face->size->metrics;
    if (glyph.font == line.glyphs.front().font)
      picture.include(0, -toPx(metrics.ascender), line.advancePx, -toPx(metrics.descender));
    RenderedGlyph ink = renderGlyph(face, glyph.index);
    if (!ink || ink->bitmap.rows == 0) continue;
    const int left = glyph.x + ink->left, top = glyph.y - ink->top;
    picture.include(left, top, left + static_cast<int>(ink->bitmap.width),
                    top + static_cast<int>(ink->bitmap.rows));
    drawn.emplace_back(ink.get(), glyph);
    owned.push_back(std::move(ink));
  }
  if (drawn.empty()) return std::nullopt;
  return picture.finish(drawn);
}

LabelText::LabelText(const FontList& fonts, int heightPx)
    : parts_(std::make_unique<Parts>(fonts, heightPx)) {}
LabelText::~LabelText() = default;

std::optional<Ink> LabelText::draw(const std::string& utf8) {
  const std::optional<std::u32string> text = decodeLine(utf8);
  if (!text) return std::nullopt;
  const auto runs = visualRuns(*text, [this](char32_t character, auto preferred) {
    return parts_->fonts.fontFor(character, preferred);
  });
  if (!runs) return std::nullopt;
  Line line;
  for (const TextRun& run : *runs)
    if (!parts_->shape(*text, run, line)) return std::nullopt;
  return parts_->render(line);
}

}  // namespace lockstep::worker
