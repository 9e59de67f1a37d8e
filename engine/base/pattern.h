#pragma once

#include <memory>
#include <string>
#include <vector>

namespace lockstep::base {

/// A regular expression in ECMAScript's syntax. Each file that uses std::regex itself takes two
/// seconds longer to compile.
class Pattern {
 public:
  enum class Matcher {
    Backtracking,  ///< takes exponential time for nested repetitions
    Polynomial,    ///< without back-references
  };

  /// Throws Error with the reason when it is invalid.
  explicit Pattern(const std::string& text, Matcher matcher = Matcher::Backtracking);

  /// Whether it matches all of the text.
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
