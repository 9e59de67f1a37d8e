#include "engine/config/issue_text.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "engine/config/fields.h"

namespace lockstep::config {
namespace {

/// A field or a section.
bool isKey(std::string_view word) {
  return std::ranges::any_of(fields(), [word](const Field& field) {
    return field.key.starts_with(word) &&
           (field.key.size() == word.size() || field.key[word.size()] == '.');
  });
}

/// Takes `12:` from the beginning; 0: there is no number.
int takeNumber(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

/// Takes `:12:5` with its colons.
void takePlace(std::string_view& text, ConfigIssue& issue) {
  std::string_view rest = text;
  const int line = takeNumber(rest), column = line > 0 ? takeNumber(rest) : 0;
  if (column == 0) return;
  issue.line = line;
  issue.column = column;
  text = rest;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::optional<ConfigIssue> parseIssue(const std::string& line) {
  // A file's name may have colons: the first after which a place or a key follows ends it.
  for (std::size_t colon = line.find(':'); colon != std::string::npos;
       colon = line.find(':', colon + 1)) {
    ConfigIssue issue{.file = line.substr(0, colon)};
    std::string_view rest = std::string_view(line).substr(colon + 1);
    takePlace(rest, issue);
    if (!take(rest, " ")) continue;
    const std::string_view word = rest.substr(0, rest.find(':'));
    if (word.size() < rest.size() && !word.empty() && isKey(word)) {
      issue.key = word;
      rest.remove_prefix(word.size() + 1);
      take(rest, " ");
    }
    if (issue.line == 0 && issue.key.empty()) continue;
    if (take(rest, "warning: ")) issue.severity = ConfigIssue::Severity::Warning;
    issue.text = rest;
    return issue;
  }
  return std::nullopt;
}

}  // namespace lockstep::config
