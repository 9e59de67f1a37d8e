#include "engine/base/pattern.h"

#include <regex>

#include "engine/base/error.h"

namespace lockstep::base {
namespace {

std::regex compiled(const std::string& text, Pattern::Matcher matcher) {
  auto flags = std::regex::ECMAScript;
  // libstdc++'s own flag.
  if (matcher == Pattern::Matcher::Polynomial) flags |= std::regex_constants::__polynomial;
  try {
    return std::regex(text, flags);
  } catch (const std::regex_error& error) {
    throw Error(error.what());
  }
}

std::vector<std::string> textsOf(const std::smatch& match) {
  std::vector<std::string> texts;
  for (const auto& group : match) texts.push_back(group.str());
  return texts;
}

}  // namespace

struct Pattern::Compiled {
  std::regex regex;
};

Pattern::Pattern(const std::string& text, Matcher matcher)
    : compiled_(std::make_shared<Compiled>(compiled(text, matcher))) {}

std::vector<std::string> Pattern::groupsOf(const std::string& text) const {
  std::smatch match;
  return std::regex_match(text, match, compiled_->regex) ? textsOf(match)
                                                         : std::vector<std::string>();
}

std::vector<std::string> Pattern::find(const std::string& text) const {
  std::smatch match;
  return std::regex_search(text, match, compiled_->regex) ? textsOf(match)
                                                          : std::vector<std::string>();
}

}  // namespace lockstep::base
