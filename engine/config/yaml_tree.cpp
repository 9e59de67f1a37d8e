#include "engine/config/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/config/value_text.h"

namespace lockstep::config {
namespace {

/// Experiment files nest four deep; a limit keeps every recursion over the tree shallow.
constexpr std::size_t kMaxDepth = 50;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

/// Builds the tree from yaml-cpp's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::size_t firstByte) : firstByte_(firstByte) {}

  YamlNode takeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(nodeAt(mark, YamlNode::Kind::Null));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw YamlError{offsetOf(mark),
                    "aliases (*name) are not supported in experiment files: write the value again, "
                    "or share it with 'base:'"};
  }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    throw YamlError{
        offsetOf(mark),
        "anchors (&" + name + ") are not supported in experiment files: remove the anchor"};
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    refuseTag(mark, tag);
    YamlNode node = nodeAt(mark, YamlNode::Kind::Scalar);
    node.text = value;
    node.isQuoted = tag == "!";
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value style) override {
    open(mark, tag, YamlNode::Kind::List, style);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    open(mark, tag, YamlNode::Kind::Map, style);
  }
  void OnMapEnd() override { close(); }

 private:
  std::size_t offsetOf(const YAML::Mark& mark) const {
    return firstByte_ + static_cast<std::size_t>(std::max(mark.pos, 0));
  }

  YamlNode nodeAt(const YAML::Mark& mark, YamlNode::Kind kind) const {
    YamlNode node;
    node.kind = kind;
    node.begin = node.end = offsetOf(mark);
    return node;
  }

  void refuseTag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw YamlError{offsetOf(mark),
                    "tags (!name) are not supported in experiment files: write the plain value"};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YamlNode::Kind kind,
            YAML::EmitterStyle::value style) {
    refuseTag(mark, tag);
    if (openNodes_.size() >= kMaxDepth) throw YamlError{offsetOf(mark), "is nested too deeply"};
    YamlNode node = nodeAt(mark, kind);
    node.isFlow = style == YAML::EmitterStyle::Flow;
    openNodes_.push_back(std::move(node));
  }

  void close() {
    YamlNode node = std::move(openNodes_.back());
    openNodes_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (openNodes_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = openNodes_.back();
    const bool isKey =
        parent.kind == YamlNode::Kind::Map && parent.keys.size() == parent.items.size();
    if (isKey && node.kind != YamlNode::Kind::Scalar) {
      throw YamlError{node.begin, "a key must be a plain word"};
    }
    (isKey ? parent.keys : parent.items).push_back(std::move(node));
  }

  std::size_t firstByte_;
  YamlNode root_;
  std::vector<YamlNode> openNodes_;
};

void refuseBinary(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const auto byte = static_cast<unsigned char>(text[offset]);
    const bool isControl =
        (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
    if (isControl) throw YamlError{offset, "contains binary data: not an experiment file"};
    const std::size_t length = base::utf8CharacterLength(text, offset);
    if (length == 0) throw YamlError{offset, "is not UTF-8 text: save the file as UTF-8"};
    offset += length;
  }
}

void refuseTabs(std::string_view text) {
  for (std::size_t lineBegin = 0; lineBegin < text.size();) {
    const std::size_t lineEnd = std::min(text.find('\n', lineBegin), text.size());
    const std::string_view line = text.substr(lineBegin, lineEnd - lineBegin);
    const std::size_t content = line.find_first_not_of(" \t\r");
    const std::size_t tab = line.find('\t');
    if (content != std::string_view::npos && line[content] != '#' && tab < content) {
      throw YamlError{lineBegin + tab, "a tab in the indentation: YAML needs spaces"};
    }
    lineBegin = lineEnd + 1;
  }
}

/// Plain explanations of yaml-cpp's most frequent messages.
std::string explainSyntax(const std::string& message) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kWords{{
      {"illegal map value",
       "unexpected ':': is the ':' missing in the line above, or is the indentation wrong? Text "
       "that contains ': ' needs quotes"},
      {"end of map flow not found", "a '}' or a ',' is missing"},
      {"end of sequence flow not found", "a ']' or a ',' is missing"},
      {"end of map not found",
       "this line does not belong to the mapping above: check its indentation and that it is 'key: "
       "value'"},
      {"end of sequence not found",
       "this line does not belong to the list above: check its indentation"},
      {"illegal EOF in scalar", "a quote is not closed"},
      {"illegal flow end", "a closing bracket without an opening one"},
      {"illegal block entry", "an unexpected '- ': a list cannot begin here"},
      {"illegal map key", "an unexpected key: check the indentation"},
      {"unknown token", "a value that begins with this character needs quotes"},
  }};
  for (const auto& [theirs, ours] : kWords) {
    if (message == theirs) return std::string(ours);
  }
  if (message.find("alias") != std::string::npos || message.find("anchor") != std::string::npos) {
    return "anchors (&name) and aliases (*name) are not supported in experiment files";
  }
  if (message.find("recursion") != std::string::npos || message.find("Deep") != std::string::npos) {
    return "is nested too deeply";
  }
  return "is not YAML: " + message;
}

void refuseSecondDocument(YAML::Parser& parser, std::size_t firstByte) {
  if (!parser) return;
  TreeBuilder rest(firstByte);
  if (!parser.HandleNextDocument(rest)) return;
  const YamlNode second = rest.takeRoot();
  throw YamlError{second.begin, "a second YAML document begins here: a file holds one experiment"};
}

YamlNode parseEvents(const std::string& text) {
  const std::size_t firstByte = text.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0;
  std::istringstream stream(text);
  TreeBuilder builder(firstByte);
  try {
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) refuseSecondDocument(parser, firstByte);
  } catch (const YAML::Exception& error) {
    const std::size_t offset = firstByte + static_cast<std::size_t>(std::max(error.mark.pos, 0));
    throw YamlError{std::min(offset, text.size()), explainSyntax(error.msg)};
  }
  return builder.takeRoot();
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t index = 0; index < keys.size() && index < items.size(); ++index) {
    if (keys[index].text == key) return &items[index];
  }
  return nullptr;
}

TextPosition positionOf(std::string_view text, std::size_t offset) {
  return TextPositions(text).at(offset);
}

TextPositions::TextPositions(std::string_view text) : text_(text) { restart(); }

void TextPositions::restart() {
  place_ = text_.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0;
  position_ = {1, 1};
}

TextPosition TextPositions::at(std::size_t offset) {
  if (offset < place_) restart();
  for (const std::size_t end = std::min(offset, text_.size()); place_ < end; ++place_) {
    if (text_[place_] == '\n') {
      position_ = {position_.line + 1, 1};
    } else if (!base::isUtf8Continuation(text_[place_])) {
      ++position_.column;
    }
  }
  return position_;
}

YamlNode parseYaml(const std::string& text) {
  refuseBinary(text);
  refuseTabs(text);
  YamlNode root = parseEvents(text);
  findSpans(root, text);
  if (root.isEmptyNull()) root.kind = YamlNode::Kind::Map;
  if (root.kind != YamlNode::Kind::Map) {
    throw YamlError{root.begin,
                    "an experiment file must be a YAML mapping, for example 'name: my_run'"};
  }
  return root;
}

YamlNode parseYamlValue(const std::string& text) {
  static constexpr std::string_view kKey = "v: ";
  refuseBinary(text);
  const std::string_view value = trimmed(text);
  if (value.find('\n') != std::string_view::npos) throw YamlError{0, "has more than one line"};
  const std::string line = std::string(kKey) + std::string(value) + "\n";
  YamlNode root;
  try {
    root = parseEvents(line);
    findSpans(root, line);
  } catch (YamlError& error) {
    error.offset -= std::min(error.offset, kKey.size());
    throw;
  }
  if (root.kind != YamlNode::Kind::Map || root.items.size() != 1) {
    throw YamlError{0, "is not one value"};
  }
  return std::move(root.items.front());
}

}  // namespace lockstep::config
