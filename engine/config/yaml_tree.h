#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// YAML text as a tree that knows which bytes each node covers. yaml-cpp reads the structure; it
/// gives no ends of nodes and lets doubled keys pass, so both stay visible here.
namespace lockstep::config {

struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  std::string text;       ///< of a Scalar, without quotes and escapes
  bool isQuoted = false;  ///< a Scalar in quotes or a block scalar: always a string
  bool isFlow = false;    ///< a List or Map written with brackets
  std::size_t begin =
      0;  ///< bytes [begin, end) of the text; an empty value stands right after its ':'
  std::size_t end = 0;
  std::vector<YamlNode> keys;   ///< of a Map, one per item; doubled keys are all here
  std::vector<YamlNode> items;  ///< of a List, or the values of a Map

  bool isEmptyNull() const { return kind == Kind::Null && begin == end; }
  /// Value of the first key with this text, or nullptr.
  const YamlNode* find(std::string_view key) const;
};

/// What makes a text unusable as YAML of an experiment file, and where (byte offset).
struct YamlFault {
  std::size_t offset = 0;
  std::string text;
};

/// Line and column from 1; the column counts characters, not bytes.
struct TextPlace {
  int line = 0, column = 0;
};
TextPlace placeOf(std::string_view text, std::size_t offset);

/// Parses one document. Throws YamlFault for broken YAML and for what experiment files do not use:
/// anchors, aliases, tags, several documents, tabs as indentation, text that is not UTF-8. An empty
/// text is an empty map.
YamlNode parseYaml(const std::string& text);

/// Parses the text of one value, such as an override's: a scalar or a flow list or map. Throws
/// YamlFault.
YamlNode parseYamlValue(const std::string& text);

/// Fills begin and end of every node of a parsed tree (part of parseYaml). Throws YamlFault for a
/// quote that is not closed.
void findSpans(YamlNode& root, std::string_view text);

}  // namespace lockstep::config
