#include "widgets/experiment/completion.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "engine/config/fields.h"

namespace lockstep::widgets {
namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/' || c == '-' ||
         c == '.';
}

/// Scans a text up to a position and keeps the sections that the position is in, and the word begun
/// there.
class PrefixScanner {
 public:
  PrefixScanner(const std::string& text, std::size_t position) : text_(text.substr(0, position)) {
    std::size_t begin = 0;
    while (begin <= text_.size()) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      std::string_view line = std::string_view(text_).substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      const bool isBlank = line.find_first_not_of(" \r") == std::string_view::npos;
      if (!isBlank || end == text_.size()) readLine(line);
      begin = end + 1;
    }
  }

  bool isInComment() const { return inComment_; }
  bool isInValue() const { return inValue_; }
  const std::string& word() const { return word_; }

  /// Dotted section; if isInValue(), the dotted key whose value is being written.
  std::string path() const {
    std::string path;
    for (const Level& level : levels_) path += (path.empty() ? "" : ".") + level.key;
    if (inValue_ && !key_.empty()) path += (path.empty() ? "" : ".") + key_;
    return path;
  }

 private:
  struct Level {
    std::size_t indent = 0;
    std::string key;
    bool isFlow = false;
  };

  void readLine(std::string_view line) {
    inComment_ = false;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool isFlow = !levels_.empty() && levels_.back().isFlow;
    if (!isFlow && listDepth_ == 0) beginBlockLine(line, indent);
    for (std::size_t i = indent; i < line.size() && !inComment_; ++i) readCharacter(line, i);
  }

  /// A key without a value on its line opens a section for the lines indented more.
  void beginBlockLine(std::string_view line, std::size_t indent) {
    if (indent < line.size() && line[indent] == '#') {
      inComment_ = true;
      return;
    }
    if (inValue_ && !key_.empty() && !hasValue_) {
      if (indent > keyIndent_) levels_.push_back({keyIndent_, key_, false});
    }
    while (!levels_.empty() && levels_.back().indent >= indent) levels_.pop_back();
    keyIndent_ = indent;
    startEntry();
  }

  void startEntry() {
    inValue_ = hasValue_ = false;
    key_.clear();
    word_.clear();
  }

  void readCharacter(std::string_view line, std::size_t i) {
    const char c = line[i];
    const bool afterSpace = i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t';
    if (c == '#' && afterSpace) {
      inComment_ = true;
    } else if (c == ':' && !inValue_ && (i + 1 == line.size() || line[i + 1] == ' ')) {
      key_ = word_;
      word_.clear();
      inValue_ = true;
    } else if (c == '{' && inValue_ && !hasValue_) {
      levels_.push_back({keyIndent_, key_, true});
      startEntry();
    } else if (c == '}' && !levels_.empty() && levels_.back().isFlow) {
      levels_.pop_back();
      startEntry();
      inValue_ = hasValue_ = true;
    } else if (c == '[' || c == ']') {
      listDepth_ = std::max(0, listDepth_ + (c == '[' ? 1 : -1));
      hasValue_ = true;
      word_.clear();
    } else if (c == ',') {
      word_.clear();
      if (listDepth_ == 0 && !levels_.empty() && levels_.back().isFlow) startEntry();
    } else if (isWordCharacter(c)) {
      if (inValue_) hasValue_ = true;
      word_ += c;
    } else {
      if (c != ' ' && inValue_) hasValue_ = true;
      word_.clear();
    }
  }

  std::string text_;
  std::vector<Level> levels_;
  std::size_t keyIndent_ = 0;
  std::string key_, word_;
  bool inValue_ = false, hasValue_ = false, inComment_ = false;
  int listDepth_ = 0;
};

std::vector<std::string> keysIn(const std::string& section) {
  const std::string prefix = section.empty() ? "" : section + ".";
  std::vector<std::string> keys;
  for (const config::Field& field : config::fields()) {
    if (!field.key.starts_with(prefix)) continue;
    const std::string rest = field.key.substr(prefix.size());
    const std::size_t dot = rest.find('.');
    const std::string name = dot == std::string::npos ? rest + ": " : rest.substr(0, dot) + ":";
    if (std::find(keys.begin(), keys.end(), name) == keys.end()) keys.push_back(name);
  }
  return keys;
}

std::vector<std::string> choicesOf(const std::string& key) {
  const config::Field* field = config::findField(key);
  if (field == nullptr) return {};
  std::vector<std::string> choices = field->choices;
  if (field->type == config::FieldType::Bool) choices = {"true", "false"};
  if (field->nullable) choices.emplace_back("null");
  return choices;
}

}  // namespace

Completion completeAt(const std::string& text, std::size_t position) {
  const PrefixScanner scanner(text, std::min(position, text.size()));
  Completion completion;
  if (scanner.isInComment()) return completion;
  completion.prefixBytes = scanner.word().size();
  for (std::string& candidate :
       scanner.isInValue() ? choicesOf(scanner.path()) : keysIn(scanner.path())) {
    if (candidate.starts_with(scanner.word()))
      completion.candidates.push_back(std::move(candidate));
  }
  return completion;
}

}  // namespace lockstep::widgets
