#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// YAML text as a tree with the byte range of each node. yaml-cpp parses the structure but gives no
/// ends of nodes and accepts duplicate keys; this tree has both.
namespace lockstep::config {

struct YamlNode {
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  std::string text;       ///< value of a Scalar, without quotes and escapes
  bool isQuoted = false;  ///< a Scalar in quotes or a block scalar: always a string
  bool isFlow = false;    ///< a List or Map written with brackets
  std::size_t begin = 0;  ///< bytes [begin, end) of the text; an empty value is right after its ':'
  std::size_t end = 0;
  std::vector<YamlNode> keys;   ///< of a Map, one per item, duplicates included
  std::vector<YamlNode> items;  ///< of a List, or the values of a Map

  bool isEmptyNull() const { return kind == Kind::Null && begin == end; }
  /// Value of the first key with this text, or nullptr.
  const YamlNode* find(std::string_view key) const;
};

/// Why a text is not valid YAML for an experiment file, and where (byte offset).
struct YamlError {
  std::size_t offset = 0;
  std::string text;
};

/// Line and column from 1; the column counts characters, not bytes.
struct TextPosition {
  int line = 0, column = 0;
};
TextPosition positionOf(std::string_view text, std::size_t offset);

/// The positions of several offsets of a text: of ascending ones in one pass.
class TextPositions {
 public:
  explicit TextPositions(std::string_view text);
  TextPosition at(std::size_t offset);

 private:
  void restart();

  std::string_view text_;
  std::size_t place_ = 0;  ///< of `position_`
  TextPosition position_;
};

/// Parses one document. Throws YamlError for invalid YAML and for what experiment files do not
/// support: anchors, aliases, tags, several documents, tabs as indentation, text that is not UTF-8.
/// An empty text is an empty map.
YamlNode parseYaml(const std::string& text);

/// Parses the text of one value, such as an override's: a scalar or a flow list or map. Throws
/// YamlError.
YamlNode parseYamlValue(const std::string& text);

/// Sets begin and end of every node of a parsed tree; parseYaml() calls it. Throws YamlError for a
/// quote that is not closed.
void findSpans(YamlNode& root, std::string_view text);

}  // namespace lockstep::config
