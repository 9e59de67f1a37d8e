#include "engine/worker/text_runs.h"

#include <algorithm>

namespace lockstep::worker {
namespace {

/// Bidirectional class of a character, simplified.
enum class Kind { LeftToRight, RightToLeft, Digit, Mark, Neutral };

struct Character {
  Kind kind = Kind::Neutral;
  hb_script_t script = HB_SCRIPT_COMMON;
  int level = 0;  ///< embedding level; odd: right to left
};

Kind kindOf(char32_t character, hb_script_t script) {
  hb_unicode_funcs_t* unicode = hb_unicode_funcs_get_default();
  switch (hb_unicode_general_category(unicode, character)) {
    case HB_UNICODE_GENERAL_CATEGORY_DECIMAL_NUMBER:
      return Kind::Digit;
    case HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK:
    case HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK:
    case HB_UNICODE_GENERAL_CATEGORY_FORMAT:
      return Kind::Mark;
    default:
      break;
  }
  if (script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED) return Kind::Neutral;
  return hb_script_get_horizontal_direction(script) == HB_DIRECTION_RTL ? Kind::RightToLeft
                                                                        : Kind::LeftToRight;
}

/// Default-ignorable characters: HarfBuzz hides them with any font.
bool isInvisible(char32_t c) {
  return c == 0xAD || c == 0x34F || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
         (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xE0100 && c <= 0xE01EF);
}

/// Characters of the scripts Common and Inherited take that of the character before, else after.
void shareScripts(std::vector<Character>& line) {
  const auto isShared = [](const Character& c) {
    return c.script == HB_SCRIPT_COMMON || c.script == HB_SCRIPT_INHERITED;
  };
  for (std::size_t i = 1; i < line.size(); ++i)
    if (isShared(line[i])) line[i].script = line[i - 1].script;
  for (std::size_t i = line.size(); i-- > 1;)
    if (isShared(line[i - 1])) line[i - 1].script = line[i].script;
}

/// Neutral characters between text of one direction take that direction, others the line's base
/// direction. Digits after right-to-left letters count as right-to-left here.
void resolveNeutrals(std::vector<Character>& line, Kind base) {
  const auto sideOf = [](const Character& c) {
    return c.kind == Kind::LeftToRight ? Kind::LeftToRight : Kind::RightToLeft;
  };
  for (std::size_t begin = 0; begin < line.size(); ++begin) {
    if (line[begin].kind != Kind::Neutral) continue;
    std::size_t end = begin;
    while (end < line.size() && line[end].kind == Kind::Neutral) ++end;
    const bool isBetween =
        begin > 0 && end < line.size() && sideOf(line[begin - 1]) == sideOf(line[end]);
    const Kind kind = isBetween ? sideOf(line[end]) : base;
    for (std::size_t i = begin; i < end; ++i) line[i].kind = kind;
    begin = end - 1;
  }
}

/// The first letter sets the base direction of the line. Digits run left to right within the text
/// around them.
void findLevels(std::vector<Character>& line) {
  const auto first = std::find_if(line.begin(), line.end(), [](const Character& c) {
    return c.kind == Kind::LeftToRight || c.kind == Kind::RightToLeft;
  });
  const Kind base = first == line.end() ? Kind::LeftToRight : first->kind;
  Kind letter = base;
  for (std::size_t i = 0; i < line.size(); ++i) {
    Character& c = line[i];
    if (c.kind == Kind::Mark) c.kind = i > 0 ? line[i - 1].kind : Kind::Neutral;
    if (c.kind == Kind::Digit && letter == Kind::LeftToRight) c.kind = Kind::LeftToRight;
    if (c.kind == Kind::LeftToRight || c.kind == Kind::RightToLeft) letter = c.kind;
  }
  resolveNeutrals(line, base);
  for (Character& c : line) {
    c.level = c.kind == Kind::Digit || (c.kind == Kind::LeftToRight && base == Kind::RightToLeft)
                  ? 2
                  : (c.kind == Kind::RightToLeft ? 1 : 0);
  }
}

/// From logical to visual order: reverses every sequence at or above a level, from the highest
/// level down.
void reorder(std::vector<TextRun>& runs, std::vector<int> levels) {
  for (int level = 2; level >= 1; --level) {
    for (std::size_t begin = 0; begin < runs.size(); ++begin) {
      if (levels[begin] < level) continue;
      std::size_t end = begin;
      while (end < runs.size() && levels[end] >= level) ++end;
      std::reverse(runs.begin() + static_cast<std::ptrdiff_t>(begin),
                   runs.begin() + static_cast<std::ptrdiff_t>(end));
      std::reverse(levels.begin() + static_cast<std::ptrdiff_t>(begin),
                   levels.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
  }
}

}  // namespace

std::optional<std::u32string> decodeLine(const std::string& utf8) {
  std::u32string line;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[i]);
    const int length = first < 0x80             ? 1
                       : (first & 0xE0) == 0xC0 ? 2
                       : (first & 0xF0) == 0xE0 ? 3
                       : (first & 0xF8) == 0xF0 ? 4
                                                : 0;
    if (length == 0 || i + static_cast<std::size_t>(length) > utf8.size()) return std::nullopt;
    char32_t character = length == 1 ? first : first & (0xFF >> (length + 1));
    for (int k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(utf8[i + static_cast<std::size_t>(k)]);
      if ((next & 0xC0) != 0x80) return std::nullopt;
      character = character << 6 | (next & 0x3F);
    }
    line += character < 0x20 || character == 0x7F ? U' ' : character;
    i += static_cast<std::size_t>(length);
  }
  return line;
}

std::optional<std::vector<TextRun>> visualRuns(const std::u32string& line, const FontOf& fontOf) {
  std::vector<Character> characters(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    characters[i].script = hb_unicode_script(hb_unicode_funcs_get_default(), line[i]);
    characters[i].kind = kindOf(line[i], characters[i].script);
  }
  findLevels(characters);
  shareScripts(characters);
  std::vector<TextRun> runs;
  std::vector<int> levels;
  std::optional<std::size_t> font;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto own = isInvisible(line[i]) && font ? font : fontOf(line[i], font);
    if (!own) return std::nullopt;
    font = own;
    const Character& c = characters[i];
    const bool extendsRun = !runs.empty() && runs.back().font == *font &&
                            runs.back().script == c.script && levels.back() == c.level;
    if (extendsRun) {
      runs.back().end = i + 1;
    } else {
      runs.push_back({i, i + 1, *font, c.script, c.level % 2 == 1});
      levels.push_back(c.level);
    }
  }
  reorder(runs, levels);
  return runs;
}

}  // namespace lockstep::worker
