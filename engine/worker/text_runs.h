#pragma once

#include <hb.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::worker {

/// Consecutive characters of one font, script and direction.
struct TextRun {
  std::size_t begin = 0, end = 0;  ///< character indices in the line
  std::size_t font = 0;
  hb_script_t script = HB_SCRIPT_COMMON;
  bool isRightToLeft = false;
};

/// Finds the font of a character, `preferred` (that of the character before) first; nullopt: none.
using FontOf =
    std::function<std::optional<std::size_t>(char32_t, std::optional<std::size_t> preferred)>;

/// nullopt for invalid UTF-8. Control characters (tab, newline) become spaces.
std::optional<std::u32string> decodeLine(const std::string& utf8);
/// Runs in visual order from left to right: the Unicode Bidirectional Algorithm without explicit
/// formatting characters, which names do not have. nullopt when a character has no font.
std::optional<std::vector<TextRun>> visualRuns(const std::u32string& line, const FontOf& fontOf);

}  // namespace lockstep::worker
