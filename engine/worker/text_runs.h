#pragma once

#include <hb.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::worker {

/// Characters in a row that have one font, one script and one direction.
struct TextRun {
  std::size_t begin = 0, end = 0;  ///< of the line's characters
  std::size_t font = 0;
  hb_script_t script = HB_SCRIPT_COMMON;
  bool isRightToLeft = false;
};

/// The font of a character, the one before it preferred; nothing when none has it.
using FontOf =
    std::function<std::optional<std::size_t>(char32_t, std::optional<std::size_t> preferred)>;

/// Nothing when it is no UTF-8. What is no visible character (a tab, a line's end) becomes a space.
std::optional<std::u32string> decodeLine(const std::string& utf8);
/// Runs from left to right as they stand on the screen: the Unicode Bidirectional Algorithm without
/// explicit marks, which names do not have. Nothing when a character has no font.
std::optional<std::vector<TextRun>> visualRuns(const std::u32string& line, const FontOf& fontOf);

}  // namespace lockstep::worker
