#pragma once

#include <memory>
#include <string>
#include <vector>

namespace lockstep::base {

/// A regular expression in ECMAScript's syntax, matched byte by byte. It may come from anybody:
/// nesting, length, memory and the number of tries have limits.
class Pattern {
 public:
  /// Throws Error with the reason when it is invalid.
  explicit Pattern(const std::string& text);

  // Each throws UserError when a match would take too many tries, as (a+)+$ may.

  /// True if the whole text matches.
  bool matches(const std::string& text) const { return !groupsOf(text).empty(); }
  /// All of the text and the pattern's groups; empty: no match.
  std::vector<std::string> groupsOf(const std::string& text) const;
  /// The first match in the text and the pattern's groups; empty: there is none.
  std::vector<std::string> find(const std::string& text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace lockstep::base
