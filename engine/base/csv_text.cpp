#include "engine/base/csv_text.h"

#include <charconv>
#include <string_view>

namespace lockstep::base {
namespace {

bool isFormula(const std::string& text) {
  constexpr std::string_view kStarts = "=+-@\t\r";
  if (text.size() < 2 || kStarts.find(text[0]) == std::string_view::npos) return false;
  const char* const end = text.data() + text.size();
  double number = 0;
  return std::from_chars(text.data() + (text[0] == '+'), end, number).ptr != end;
}

}  // namespace

std::string csvText(const std::string& text) {
  const std::string cell = (isFormula(text) ? "'" : "") + text;
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace lockstep::base
