#include <algorithm>
#include <array>

#include "engine/config/yaml_tree.h"

/// Finds where nodes end. yaml-cpp gives only where they begin; the ends are found in the text.
namespace lockstep::config {
namespace {

bool isSpace(char character) {
  return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

class SpanFinder {
 public:
  explicit SpanFinder(std::string_view text) : text_(text) {}

  /// parentIndent: column (from 0) of the node's key or dash; from: the node begins here or later.
  void find(YamlNode& node, std::size_t parentIndent, std::size_t from) const {
    switch (node.kind) {
      case YamlNode::Kind::Null:
        findNull(node, from);
        break;
      case YamlNode::Kind::Scalar:
        node.end = scalarEnd(node, parentIndent);
        break;
      case YamlNode::Kind::List:
        findList(node);
        break;
      case YamlNode::Kind::Map:
        findMap(node);
        break;
    }
  }

 private:
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  std::size_t lineBegin(std::size_t place) const {
    const std::size_t newline = place == 0 ? std::string_view::npos : text_.rfind('\n', place - 1);
    if (newline != std::string_view::npos) return newline + 1;
    return text_.starts_with("\xef\xbb\xbf") ? 3 : 0;  // a byte order mark is no column
  }

  std::size_t lineEnd(std::size_t place) const {
    return std::min(text_.find('\n', place), text_.size());
  }

  std::size_t columnOf(std::size_t place) const { return place - lineBegin(place); }

  /// Indent of the items of a list or map. Only block scalars need it, which brackets cannot hold.
  std::size_t indentOf(const YamlNode& parent, std::size_t place) const {
    return parent.isFlow ? 0 : columnOf(place);
  }

  /// First byte at or after `place` that is no space, not in a comment and not in `also`.
  std::size_t skip(std::size_t place, std::string_view also = {}) const {
    while (place < text_.size()) {
      if (at(place) == '#' && (place == 0 || isSpace(at(place - 1)))) {
        place = lineEnd(place);
      } else if (isSpace(at(place)) || also.find(at(place)) != std::string_view::npos) {
        ++place;
      } else {
        break;
      }
    }
    return place;
  }

  /// Length of a `null` or `~` at `place`, or 0 if there is none or it is the next key.
  std::size_t nullWordLength(std::size_t place) const {
    static constexpr std::array<std::string_view, 4> kWords{"null", "Null", "NULL", "~"};
    for (const std::string_view word : kWords) {
      if (!text_.substr(place).starts_with(word)) continue;
      const std::size_t after = place + word.size();
      const bool isWhole = after >= text_.size() || isSpace(at(after)) ||
                           std::string_view(",]}").find(at(after)) != std::string_view::npos;
      std::size_t next = after;
      while (at(next) == ' ') ++next;
      if (isWhole && at(next) != ':') return word.size();
    }
    return 0;
  }

  void findNull(YamlNode& node, std::size_t from) const {
    const std::size_t place = skip(from);
    const std::size_t length = nullWordLength(place);
    node.begin = length > 0 ? place : from;
    node.end = node.begin + length;
  }

  std::size_t scalarEnd(const YamlNode& node, std::size_t parentIndent) const {
    const char first = at(node.begin);
    if (!node.isQuoted) return plainEnd(node);
    if (first == '\'' || first == '"') return quotedEnd(node.begin, first);
    return blockScalarEnd(node.begin, parentIndent);
  }

  /// A plain scalar has no escapes, so it has as many non-space bytes in the text as in its value.
  std::size_t plainEnd(const YamlNode& node) const {
    auto left = std::count_if(node.text.begin(), node.text.end(),
                              [](char character) { return !isSpace(character); });
    std::size_t place = node.begin;
    while (left > 0 && place < text_.size()) left -= isSpace(text_[place++]) ? 0 : 1;
    return place;
  }

  std::size_t quotedEnd(std::size_t begin, char quote) const {
    for (std::size_t place = begin + 1; place < text_.size(); ++place) {
      if (quote == '"' && at(place) == '\\') {
        ++place;
      } else if (at(place) == quote) {
        if (quote == '"' || at(place + 1) != '\'') return place + 1;
        ++place;  // '' is an escaped quote
      }
    }
    throw YamlError{begin, "this quote is not closed"};  // yaml-cpp lets it pass
  }

  /// End of the last line of text that is indented deeper than the parent.
  std::size_t blockScalarEnd(std::size_t begin, std::size_t parentIndent) const {
    std::size_t end = begin;
    while (end < text_.size() && !isSpace(at(end))) ++end;
    for (std::size_t line = lineEnd(begin) + 1; line < text_.size(); line = lineEnd(line) + 1) {
      const std::string_view content = text_.substr(line, lineEnd(line) - line);
      const std::size_t indent = content.find_first_not_of(" \r");
      if (indent == std::string_view::npos) continue;
      if (indent <= parentIndent) break;
      end = line + content.find_last_not_of('\r') + 1;
    }
    return end;
  }

  std::size_t closingBracket(std::size_t from, char bracket) const {
    const std::size_t place = skip(from, ",:?");
    return at(place) == bracket ? place + 1 : from;
  }

  void findList(YamlNode& node) const {
    std::size_t from = node.isFlow ? node.begin + 1 : node.begin;
    for (YamlNode& item : node.items) {
      if (node.isFlow) {
        from = skip(from, ",");
      } else if (at(skip(from)) == '-') {
        from = skip(from) + 1;
      }
      find(item, indentOf(node, node.begin), from);
      from = std::max(from, item.end);
    }
    node.end = node.isFlow ? closingBracket(from, ']') : from;
  }

  void findMap(YamlNode& node) const {
    const bool hasBraces = node.isFlow && at(node.begin) == '{';
    std::size_t from = hasBraces ? node.begin + 1 : node.begin;
    for (std::size_t index = 0; index < node.items.size(); ++index) {
      YamlNode& key = node.keys[index];
      find(key, 0, from);
      if (index == 0 && !hasBraces) node.begin = key.begin;
      const std::size_t colon = skip(key.end);
      from = at(colon) == ':' ? colon + 1 : key.end;
      find(node.items[index], indentOf(node, key.begin), from);
      from = std::max(from, node.items[index].end);
    }
    node.end = hasBraces ? closingBracket(from, '}') : from;
  }

  std::string_view text_;
};

}  // namespace

void findSpans(YamlNode& root, std::string_view text) {
  SpanFinder(text).find(root, 0, root.begin);
}

}  // namespace lockstep::config
