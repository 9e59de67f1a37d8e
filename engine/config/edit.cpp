#include "engine/config/edit.h"

#include <algorithm>
#include <vector>

#include "engine/base/error.h"
#include "engine/config/value_text.h"
#include "engine/config/yaml_tree.h"

namespace lockstep::config {
namespace {

YamlNode parseOrThrow(const std::string& text) {
  try {
    return parseYaml(text);
  } catch (const YamlError& error) {
    const TextPosition position = positionOf(text, error.offset);
    throw UserError("line " + std::to_string(position.line) + ", column " +
                    std::to_string(position.column) + ": " + error.text);
  }
}

/// How much of a dotted key the tree holds.
struct Descent {
  const YamlNode* map = nullptr;    ///< deepest map that was entered
  std::size_t found = 0;            ///< names of the path that were found
  const YamlNode* key = nullptr;    ///< of the last name found, in `map`
  const YamlNode* value = nullptr;  ///< likewise
  std::size_t index = 0;            ///< of `key` in `map`
};

Descent descend(const YamlNode& root, const std::vector<std::string>& path) {
  Descent descent{.map = &root};
  while (descent.found < path.size()) {
    if (descent.value != nullptr) {
      if (descent.value->kind != YamlNode::Kind::Map) break;
      descent.map = descent.value;
      descent.key = descent.value = nullptr;
    }
    const std::vector<YamlNode>& keys = descent.map->keys;
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const YamlNode& node) {
      return node.text == path[descent.found];
    });
    if (key == keys.end()) break;
    descent.index = static_cast<std::size_t>(key - keys.begin());
    descent.key = &*key;
    descent.value = &descent.map->items[descent.index];
    ++descent.found;
  }
  return descent;
}

bool isBlockScalar(const YamlNode& node, const std::string& text) {
  return node.kind == YamlNode::Kind::Scalar && node.isQuoted && text[node.begin] != '"' &&
         text[node.begin] != '\'';
}

bool isBlockCollection(const YamlNode& node) {
  const bool isCollection = node.kind == YamlNode::Kind::List || node.kind == YamlNode::Kind::Map;
  return isCollection && !node.isFlow;
}

/// Replaces bytes [begin, end) of a text by `with`.
struct Change {
  std::size_t begin = 0, end = 0;
  std::string with;
};

/// Works out the change of a text for an edit; does not apply it.
class Editor {
 public:
  Editor(const std::string& text, const YamlNode& root) : text_(text), root_(root) {
    const std::size_t newline = text.find('\n');
    if (newline != std::string::npos && newline > 0 && text[newline - 1] == '\r') newline_ = "\r\n";
  }

  Change set(const std::vector<std::string>& path, const std::string& value) const {
    const Descent descent = descend(root_, path);
    if (descent.found == path.size()) return replace(*descent.key, *descent.value, value);
    const std::vector<std::string> missing(
        path.begin() + static_cast<std::ptrdiff_t>(descent.found), path.end());
    if (descent.value == nullptr) return addToMap(*descent.map, missing, value);
    if (descent.value->kind != YamlNode::Kind::Null) {
      throw UserError(path[descent.found - 1] + " holds a value, not keys: remove the value first");
    }
    if (descent.map->isFlow || !descent.value->isEmptyNull()) {
      return replace(*descent.key, *descent.value, "{" + flowEntry(missing, value) + "}");
    }
    return insertLines(descent.key->end, columnOf(descent.key->begin) + indentStep(), missing,
                       value);
  }

  Change remove(const Descent& descent) const {
    if (descent.map->isFlow) return removeFromFlow(descent);
    const std::size_t begin = lineBegin(descent.key->begin);
    return {begin, std::min(lineEnd(descent.value->end) + 1, text_.size()), {}};
  }

 private:
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  std::size_t lineBegin(std::size_t place) const {
    const std::size_t newline = place == 0 ? std::string::npos : text_.rfind('\n', place - 1);
    if (newline != std::string::npos) return newline + 1;
    return text_.starts_with("\xef\xbb\xbf") ? 3 : 0;
  }
  /// Offset of the newline that ends the line, or of the end of the text.
  std::size_t lineEnd(std::size_t place) const {
    return std::min(text_.find('\n', place), text_.size());
  }
  /// The same without a carriage return.
  std::size_t contentEnd(std::size_t place) const {
    const std::size_t end = lineEnd(place);
    return end > place && at(end - 1) == '\r' ? end - 1 : end;
  }
  std::size_t columnOf(std::size_t place) const { return place - lineBegin(place); }

  /// Spaces per level of indentation, as in the first section of the file.
  std::size_t indentStep() const {
    for (std::size_t index = 0; index < root_.items.size(); ++index) {
      const YamlNode& value = root_.items[index];
      if (value.kind != YamlNode::Kind::Map || value.isFlow || value.keys.empty()) continue;
      return columnOf(value.keys.front().begin) - columnOf(root_.keys[index].begin);
    }
    return 2;
  }

  Change replace(const YamlNode& key, const YamlNode& value, const std::string& with) const {
    if (value.isEmptyNull()) {
      const bool hasColon = value.begin > key.end;
      return {value.begin, value.begin, (hasColon ? " " : ": ") + with};
    }
    if (isBlockScalar(value, text_)) {
      std::size_t header = value.begin;
      while (header < text_.size() && !std::isspace(static_cast<unsigned char>(at(header))))
        ++header;
      const std::size_t end = contentEnd(header);
      return {value.begin, value.end, with + text_.substr(header, end - header)};
    }
    if (isBlockCollection(value)) {
      const std::size_t colon = text_.find(':', key.end) + 1;
      const std::size_t end = contentEnd(colon);
      return {colon, value.end,
              " " + with + text_.substr(colon, end - colon) + commentsBetween(end, value.end)};
    }
    return {value.begin, value.end, with};
  }

  /// Comment lines between a key and the end of its value; they stay when the value is replaced.
  std::string commentsBetween(std::size_t from, std::size_t end) const {
    std::string kept;
    for (std::size_t line = lineEnd(from) + 1; line < end; line = lineEnd(line) + 1) {
      const std::size_t first = text_.find_first_not_of(' ', line);
      if (at(first) == '#') kept += newline_ + text_.substr(line, contentEnd(line) - line);
    }
    return kept;
  }

  static std::string flowEntry(const std::vector<std::string>& path, const std::string& value) {
    std::string entry, closing;
    for (std::size_t index = 0; index + 1 < path.size(); ++index) {
      entry += path[index] + ": {";
      closing += "}";
    }
    return entry + path.back() + ": " + value + closing;
  }

  Change addToMap(const YamlNode& map, const std::vector<std::string>& path,
                  const std::string& value) const {
    if (!map.isFlow && map.items.empty()) return appendToEmptyFile(path, value);
    if (!map.isFlow) return insertLines(map.end, columnOf(map.keys.front().begin), path, value);
    if (at(map.begin) != '{') throw UserError("a map without braces cannot be added to");
    if (map.items.empty()) return {map.begin + 1, map.begin + 1, flowEntry(path, value)};
    const std::size_t place = std::max(map.keys.back().end, map.items.back().end);
    return {place, place, ", " + flowEntry(path, value)};
  }

  Change appendToEmptyFile(const std::vector<std::string>& path, const std::string& value) const {
    if (const auto end = documentEnd()) return {*end, *end, blockLines(0, path, value)};
    const bool needsNewline = !text_.empty() && text_.back() != '\n';
    return {text_.size(), text_.size(),
            (needsNewline ? newline_ : "") + blockLines(0, path, value)};
  }

  /// Where the line "..." of a file without values begins.
  std::optional<std::size_t> documentEnd() const {
    for (std::size_t line = 0; line < text_.size(); line = lineEnd(line) + 1) {
      const std::string_view rest = std::string_view(text_).substr(line);
      if (rest.starts_with("...") && trimmed(rest.substr(0, lineEnd(line) - line)) == "...")
        return line;
    }
    return std::nullopt;
  }

  /// Inserts after the line of `place`.
  Change insertLines(std::size_t place, std::size_t indent, const std::vector<std::string>& path,
                     const std::string& value) const {
    const std::size_t end = lineEnd(place);
    std::string lines = blockLines(indent, path, value);
    if (end < text_.size()) return {end + 1, end + 1, std::move(lines)};
    lines.resize(lines.size() - newline_.size());  // a file without a final newline keeps none
    return {end, end, newline_ + lines};
  }

  std::string blockLines(std::size_t indent, const std::vector<std::string>& path,
                         const std::string& value) const {
    std::string lines;
    for (std::size_t index = 0; index < path.size(); ++index) {
      const bool isLast = index + 1 == path.size();
      lines +=
          std::string(indent, ' ') + path[index] + ":" + (isLast ? " " + value : "") + newline_;
      indent += indentStep();
    }
    return lines;
  }

  Change removeFromFlow(const Descent& descent) const {
    const YamlNode& map = *descent.map;
    const std::size_t begin = descent.key->begin;
    std::size_t end = std::max(descent.key->end, descent.value->end);
    const bool isLast = descent.index + 1 == map.items.size();
    if (descent.index > 0) {
      const std::size_t before = descent.index - 1;
      const std::size_t place = std::max(map.keys[before].end, map.items[before].end);
      const std::string between = text_.substr(place, begin - place);
      if (between.find('#') == std::string::npos) return {place, end, {}};
      if (isLast) return {place, end, withoutComma(between)};
    }
    while (at(end) == ' ') ++end;
    if (at(end) == ',') ++end;
    const bool isOnly = map.items.size() == 1;
    while (!isOnly && at(end) == ' ') ++end;
    return {begin, end, {}};
  }

  /// What stands between two entries of a flow map, comments included, once the second is gone.
  static std::string withoutComma(std::string between) {
    for (std::size_t i = 0; i < between.size(); ++i) {
      if (between[i] == '#') i = std::min(between.find('\n', i), between.size());
      if (i < between.size() && between[i] == ',') return between.erase(i, 1);
    }
    return between;
  }

  const std::string& text_;
  const YamlNode& root_;
  std::string newline_ = "\n";
};

bool isSameValue(const YamlNode& left, const YamlNode& right) {
  return left.kind == right.kind && left.text == right.text && left.isQuoted == right.isQuoted &&
         std::equal(left.keys.begin(), left.keys.end(), right.keys.begin(), right.keys.end(),
                    isSameValue) &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(), right.items.end(),
                    isSameValue);
}

/// Values of a map by dotted key, in order, except the edited one and empty ones.
void collectOthers(const YamlNode& map, const std::string& prefix, const std::string& edited,
                   std::vector<std::pair<std::string, const YamlNode*>>& values) {
  for (std::size_t index = 0; index < map.items.size(); ++index) {
    const std::string key = prefix + map.keys[index].text;
    const YamlNode& value = map.items[index];
    if (key == edited || value.kind == YamlNode::Kind::Null) continue;
    if (value.kind == YamlNode::Kind::Map) {
      collectOthers(value, key + ".", edited, values);
    } else {
      values.emplace_back(key, &value);
    }
  }
}

/// Applies a change and checks its result: `key` has the value `expected` (nullptr: is gone) and
/// every other value is as before. Throws a user error otherwise.
std::string apply(const std::string& text, const YamlNode& root, const Change& change,
                  std::string_view key, const YamlNode* expected) {
  std::string changed = text;
  changed.replace(change.begin, change.end - change.begin, change.with);
  const YamlNode newRoot = parseOrThrow(changed);
  std::vector<std::pair<std::string, const YamlNode*>> before, after;
  collectOthers(root, "", std::string(key), before);
  collectOthers(newRoot, "", std::string(key), after);
  const bool areOthersSame =
      std::equal(before.begin(), before.end(), after.begin(), after.end(),
                 [](const auto& left, const auto& right) {
                   return left.first == right.first && isSameValue(*left.second, *right.second);
                 });
  const std::vector<std::string> path = splitKey(key);
  const Descent result = descend(newRoot, path);
  const bool hasKey = result.found == path.size();
  const bool isDone =
      expected == nullptr ? !hasKey : hasKey && isSameValue(*result.value, *expected);
  if (!areOthersSame || !isDone) {
    throw UserError(std::string(key) + " cannot be edited here: edit the YAML text instead");
  }
  return changed;
}

}  // namespace

std::optional<ValueSpan> findValue(const std::string& text, std::string_view key) {
  try {
    const YamlNode root = parseYaml(text);
    const std::vector<std::string> path = splitKey(key);
    const Descent descent = descend(root, path);
    if (descent.found != path.size()) return std::nullopt;
    const TextPosition position = positionOf(text, descent.value->begin);
    return ValueSpan{descent.value->begin, descent.value->end, position.line, position.column};
  } catch (const YamlError&) {
    return std::nullopt;
  }
}

std::string setValue(const std::string& text, std::string_view key, std::string_view yamlValue) {
  const std::string value(trimmed(yamlValue));
  YamlNode expected;
  try {
    expected = parseYamlValue(value);
  } catch (const YamlError& error) {
    throw UserError(std::string(key) + ": " + value + ": " + error.text);
  }
  const YamlNode root = parseOrThrow(text);
  const Change change = Editor(text, root).set(splitKey(key), value);
  return apply(text, root, change, key, &expected);
}

std::string removeValue(const std::string& text, std::string_view key) {
  const YamlNode root = parseOrThrow(text);
  const std::vector<std::string> path = splitKey(key);
  const Descent descent = descend(root, path);
  if (descent.found != path.size()) return text;
  return apply(text, root, Editor(text, root).remove(descent), key, nullptr);
}

}  // namespace lockstep::config
