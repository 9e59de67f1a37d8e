#pragma once

#include <cstdint>
#include <sstream>
#include <string>

namespace lockstep::tests {

/// The remaining arguments of a script's line, one by one or as a whole.
class Arguments {
 public:
  explicit Arguments(const std::string& text) : words_(text) {}
  std::string word() {
    std::string word;
    words_ >> word;
    return word;
  }
  std::int64_t number() { return std::stoll(word()); }
  double real() { return std::stod(word()); }
  std::string rest() {
    std::string text;
    std::getline(words_ >> std::ws, text);
    return text;
  }
  bool has(const std::string& flag) const {
    return words_.str().find(" " + flag) != std::string::npos;
  }

 private:
  std::istringstream words_;
};

}  // namespace lockstep::tests
