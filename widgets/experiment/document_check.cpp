#include "widgets/experiment/document_check.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/config/edit.h"
#include "engine/config/fields.h"
#include "engine/config/issue_text.h"
#include "engine/config/value_text.h"
#include "engine/config/yaml_tree.h"

namespace lockstep::widgets {
namespace {

using config::YamlNode;

std::string inFlowStyle(const YamlNode& list) {
  std::string text;
  for (const YamlNode& item : list.items) text += (text.empty() ? "" : ", ") + item.text;
  return "[" + text + "]";
}

std::string formText(const YamlNode& node, const std::string& text) {
  if (node.kind == YamlNode::Kind::Scalar) return node.text;
  if (node.kind == YamlNode::Kind::List && !node.isFlow) return inFlowStyle(node);
  return text.substr(node.begin, node.end - node.begin);
}

/// The byte range of a node of the tree.
struct Span {
  std::size_t begin = 0, end = 0;
  bool isOfKey = false;
};
using Spans = std::map<std::pair<int, int>, Span>;  ///< by line and column

class TreeReader {
 public:
  TreeReader(const std::string& text, DocumentState& state, Spans& spans)
      : text_(text), positions_(text), state_(state), spans_(spans) {}

  void read(const YamlNode& map, const std::string& prefix) {
    for (std::size_t i = 0; i < map.items.size(); ++i) {
      const YamlNode &keyNode = map.keys[i], &value = map.items[i];
      const std::string key = prefix + keyNode.text;
      // In the order of the text, so that finding their positions takes one pass.
      add(keyNode, true);
      // A block begins where its first key does: that position is the key's.
      if (value.kind != YamlNode::Kind::Map || value.isFlow) add(value, false);
      state_.keys.push_back({keyNode.begin, std::max(keyNode.end, value.end), key});
      if (value.kind == YamlNode::Kind::Map) {
        read(value, key + ".");
      } else if (config::findField(key) != nullptr && !value.isEmptyNull()) {
        state_.given.emplace(key, GivenValue{formText(value, text_), lineOf(value.begin)});
      }
      if (value.kind == YamlNode::Kind::List) {
        for (const YamlNode& item : value.items) add(item, false);
      }
    }
  }

 private:
  int lineOf(std::size_t offset) { return positions_.at(offset).line; }

  void add(const YamlNode& node, bool isOfKey) {
    const config::TextPosition position = positions_.at(node.begin);
    spans_[{position.line, position.column}] = {node.begin, node.end, isOfKey};
  }

  const std::string& text_;
  config::TextPositions positions_;
  DocumentState& state_;
  Spans& spans_;
};

/// Byte range of the word at a line and column (characters, from 1), for text that is not valid
/// YAML and so has no tree.
Span wordAt(const std::string& text, int line, int column) {
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos) return {};
  const auto isLineEnd = [&](std::size_t i) {
    return i >= text.size() || text[i] == '\n' || text[i] == '\r';
  };
  for (int i = 1; i < column && !isLineEnd(at); ++i) {
    ++at;
    while (!isLineEnd(at) && base::isUtf8Continuation(text[at])) ++at;
  }
  std::size_t end = at;
  while (!isLineEnd(end) && std::string_view(" \t:,]}#").find(text[end]) == std::string_view::npos)
    ++end;
  if (end == at && !isLineEnd(at)) ++end;
  return {at, end, false};
}

/// The name of a file for one who edits `shown`: with its folders, seen from there, if both files
/// have the same name, as every imported experiment.yaml.
std::string nameFrom(const std::filesystem::path& shown, const std::filesystem::path& file) {
  const bool isNamesake = file.filename() == shown.filename();
  return (isNamesake ? file.lexically_proximate(shown.parent_path()) : file.filename()).string();
}

std::string positionText(const config::ConfigIssue& issue, const std::string& shown, bool isHere) {
  const std::string file = isHere ? "" : nameFrom(shown, issue.file);
  if (issue.line == 0) return file;
  const std::string position = std::to_string(issue.line) + ":" + std::to_string(issue.column);
  return file.empty() ? position : file + ":" + position;
}

DocumentIssue documentIssue(const config::ConfigIssue& loaded, const std::string& file,
                            const std::string& text, const Spans& spans) {
  DocumentIssue issue;
  issue.isError = loaded.severity == config::ConfigIssue::Severity::Error;
  issue.isHere = loaded.file.empty() || loaded.file == file;
  issue.position = positionText(loaded, file, issue.isHere);
  issue.key = loaded.key;
  issue.text = loaded.text;
  if (!issue.isHere) return issue;
  issue.suggestion = loaded.suggestion;
  issue.line = loaded.line;
  if (loaded.line == 0) return issue;
  const auto node = spans.find({loaded.line, loaded.column});
  const Span span = node != spans.end() ? node->second : wordAt(text, loaded.line, loaded.column);
  issue.begin = span.begin;
  issue.end = span.end;
  issue.isOfKey = span.isOfKey;
  return issue;
}

/// Whether the text is a YAML list or single value, which is not an experiment: as the value of a
/// key it can be parsed.
bool isListOrValue(const std::string& text) {
  std::string nested = "value:\n ";
  for (const char character : text) {
    nested += character;
    if (character == '\n') nested += ' ';
  }
  try {
    const YamlNode root = config::parseYaml(nested);
    return root.items.size() == 1 && root.items.front().kind != YamlNode::Kind::Map;
  } catch (const config::YamlError&) {
    return false;
  }
}

/// Shows the issues of an inherited file at the line that inherits it.
void placeAtBase(DocumentState& state) {
  const auto base = state.given.find("base");
  if (base == state.given.end()) return;
  for (DocumentIssue& issue : state.issues) {
    if (!issue.isHere) issue.line = base->second.line;
  }
}

std::string parentOf(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

/// A path as it is, of YAML text.
std::string plainPath(const std::string& yaml) {
  return yaml == "null" ? "" : config::parseYamlValue(yaml).text;
}

/// Where a key is in the text, or the innermost of its sections that is there; nullptr: nowhere.
const KeySpan* spanOf(const DocumentState& state, std::string key) {
  for (; !key.empty(); key = parentOf(key)) {
    const auto found = std::ranges::find(state.keys, key, &KeySpan::key);
    if (found != state.keys.end()) return &*found;
  }
  return nullptr;
}

/// Places an issue without a line at its key, at its key's section or, if the value is inherited,
/// where the text inherits; that of a default that is nowhere in the text keeps no line.
void placeAtKey(DocumentIssue& issue, const DocumentState& state, const std::string& text) {
  if (!issue.isHere || issue.line > 0 || issue.key.empty()) return;
  const KeySpan* span = spanOf(state, issue.key);
  if (span == nullptr && state.loaded.origins.contains(issue.key)) span = spanOf(state, "base");
  if (span == nullptr) return;
  const config::TextPosition at = config::positionOf(text, span->begin);
  issue.line = at.line;
  issue.position = std::to_string(at.line) + ":" + std::to_string(at.column);
  if (span->key != issue.key) return;
  issue.begin = span->begin;
  issue.end = span->end;
}

/// The path whose file the engine could not read, and what is wrong with it.
std::optional<config::ConfigIssue> issueOfPath(const std::string& line,
                                               const config::Experiment& experiment) {
  for (const config::Field& field : config::fields()) {
    if (field.type != config::FieldType::Path) continue;
    const std::string path = plainPath(field.text(experiment));
    if (path.empty() || !line.starts_with(path)) continue;
    const std::string_view rest = std::string_view(line).substr(path.size());
    if (rest.starts_with(":") || rest.starts_with("/"))
      return config::ConfigIssue{.key = field.key, .text = line};
  }
  return std::nullopt;
}

/// Loads once more what the text inherits from, to tell what each of its values replaces.
void addInherited(DocumentState& state, const std::string& file) {
  const auto base = state.given.find("base");
  config::LoadedExperiment inherited;
  if (base != state.given.end())
    inherited =
        config::loadExperimentText("base: " + config::writeText(base->second.text) + "\n", file);
  for (auto& [key, given] : state.given) {
    const config::Field& field = *config::findField(key);
    if (key == "base") continue;
    given.inherited = field.text(inherited.experiment);
    const auto own = state.loaded.origins.find(key);
    const bool isTaken = own != state.loaded.origins.end() && own->second.file == file;
    given.repeats = isTaken && given.inherited == field.text(state.loaded.experiment);
    const auto origin = inherited.origins.find(key);
    if (origin != inherited.origins.end()) given.inheritedFrom = placeText(origin->second, file);
  }
}

bool isOfDataPath(const config::ConfigIssue& issue) {
  return issue.key.starts_with("dataset.") &&
         (issue.key.ends_with(".images") || issue.key.ends_with(".annotations"));
}

std::string lastNameOf(const std::string& key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

std::string placeText(const config::Origin& origin, const std::string& shown) {
  return nameFrom(shown, origin.file) + ":" + std::to_string(origin.line);
}

std::string keyAt(const DocumentState& state, std::size_t place) {
  std::string key;
  for (const KeySpan& span : state.keys) {
    if (span.begin <= place && place <= span.end) key = span.key;
  }
  return key;
}

std::shared_ptr<const DocumentState> checkDocument(const std::string& text, const std::string& file,
                                                   bool isDataPending) {
  auto state = std::make_shared<DocumentState>();
  state->loaded = config::loadExperimentText(text, file);
  if (isDataPending) std::erase_if(state->loaded.issues, isOfDataPath);
  Spans spans;
  try {
    TreeReader(text, *state, spans).read(config::parseYaml(text), "");
  } catch (const config::YamlError&) {
    state->isReadable = false;  // the loader has reported it
    state->isOtherYaml = isListOrValue(text);
  }
  for (const config::ConfigIssue& issue : state->loaded.issues) {
    state->issues.push_back(documentIssue(issue, file, text, spans));
  }
  if (state->loaded.isComplete) {  // otherwise a file that could not be read may name the data
    for (const config::ConfigIssue& issue : config::missingData(state->loaded.experiment))
      state->issues.push_back(documentIssue(issue, file, text, spans));
  }
  placeAtBase(*state);
  for (DocumentIssue& issue : state->issues) placeAtKey(issue, *state, text);
  addInherited(*state, file);
  return state;
}

std::shared_ptr<const DocumentState> withFound(const DocumentState& state,
                                               const std::string& messages,
                                               const std::string& text) {
  auto all = std::make_shared<DocumentState>(state);
  std::erase_if(all->issues, &DocumentIssue::isFound);
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    auto found = config::parseIssue(line);
    if (!found || found->key.empty()) found = issueOfPath(line, state.loaded.experiment);
    if (!found) continue;
    DocumentIssue issue{.isError = found->severity == config::ConfigIssue::Severity::Error,
                        .isFound = true,
                        .key = found->key,
                        .text = found->text};
    const auto isSame = [&](const DocumentIssue& known) {
      return known.key == issue.key && known.text == issue.text;
    };
    if (std::ranges::any_of(all->issues, isSame)) continue;
    placeAtKey(issue, state, text);
    all->issues.push_back(std::move(issue));
  }
  return all;
}

std::string applySuggestion(const std::string& text, const DocumentIssue& issue) {
  if (issue.suggestion.empty() || issue.end > text.size()) throw Error("nothing to replace");
  const bool moves = issue.isOfKey && parentOf(issue.suggestion) != parentOf(issue.key);
  if (moves) {
    const auto span = config::findValue(text, issue.key);
    if (!span) throw Error(issue.key + " is no longer in the text");
    const std::string value = text.substr(span->begin, span->end - span->begin);
    return config::setValue(config::removeValue(text, issue.key), issue.suggestion, value);
  }
  const std::string with = issue.isOfKey ? lastNameOf(issue.suggestion) : issue.suggestion;
  return text.substr(0, issue.begin) + with + text.substr(issue.end);
}

}  // namespace lockstep::widgets
