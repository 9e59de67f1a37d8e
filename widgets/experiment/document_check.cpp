#include "widgets/experiment/document_check.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/config/edit.h"
#include "engine/config/fields.h"
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

/// A place of the tree that faults can be at.
struct Spot {
  std::size_t begin = 0, end = 0;
  bool isOfKey = false;
};
using Spots = std::map<std::pair<int, int>, Spot>;

class TreeReader {
 public:
  TreeReader(const std::string& text, DocumentState& state, Spots& spots)
      : text_(text), state_(state), spots_(spots) {}

  void read(const YamlNode& map, const std::string& prefix) {
    for (std::size_t i = 0; i < map.items.size(); ++i) {
      const YamlNode &keyNode = map.keys[i], &value = map.items[i];
      const std::string key = prefix + keyNode.text;
      add(keyNode, true);
      state_.keys.push_back({keyNode.begin, std::max(keyNode.end, value.end), key});
      if (value.kind == YamlNode::Kind::Map) {
        read(value, key + ".");
      } else if (config::findField(key) != nullptr && !value.isEmptyNull()) {
        state_.given.emplace(key, GivenValue{formText(value, text_), lineOf(value.begin)});
      }
      if (value.kind == YamlNode::Kind::List) {
        for (const YamlNode& item : value.items) add(item, false);
      }
      // A block begins where its first key does: that place is the key's.
      if (value.kind != YamlNode::Kind::Map || value.isFlow) add(value, false);
    }
  }

 private:
  int lineOf(std::size_t offset) const { return config::placeOf(text_, offset).line; }

  void add(const YamlNode& node, bool isOfKey) {
    const config::TextPlace place = config::placeOf(text_, node.begin);
    spots_[{place.line, place.column}] = {node.begin, node.end, isOfKey};
  }

  const std::string& text_;
  DocumentState& state_;
  Spots& spots_;
};

/// Bytes of the word at a line and column (characters, from 1): where the YAML itself is broken
/// there is no tree.
Spot wordAt(const std::string& text, int line, int column) {
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

std::string placeText(const config::ConfigIssue& issue, bool isHere) {
  const std::string file = isHere ? "" : std::filesystem::path(issue.file).filename().string();
  if (issue.line == 0) return file;
  const std::string place = std::to_string(issue.line) + ":" + std::to_string(issue.column);
  return file.empty() ? place : file + ":" + place;
}

DocumentFault faultOf(const config::ConfigIssue& issue, const std::string& file,
                      const std::string& text, const Spots& spots) {
  DocumentFault fault;
  fault.isError = issue.severity == config::ConfigIssue::Severity::Error;
  fault.isHere = issue.file.empty() || issue.file == file;
  fault.place = placeText(issue, fault.isHere);
  fault.key = issue.key;
  fault.text = issue.text;
  if (!fault.isHere) return fault;
  fault.proposal = issue.proposal;
  fault.line = issue.line;
  if (issue.line == 0) return fault;
  const auto known = spots.find({issue.line, issue.column});
  const Spot spot = known != spots.end() ? known->second : wordAt(text, issue.line, issue.column);
  fault.begin = spot.begin;
  fault.end = spot.end;
  fault.isOfKey = spot.isOfKey;
  return fault;
}

/// A fault of an inherited file is marked where it is inherited.
void placeAtBase(DocumentState& state) {
  const auto base = state.given.find("base");
  if (base == state.given.end()) return;
  for (DocumentFault& fault : state.faults) {
    if (!fault.isHere) fault.line = base->second.line;
  }
}

std::string parentOf(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string lastPartOf(const std::string& key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

std::string keyAt(const DocumentState& state, std::size_t place) {
  std::string key;
  for (const KeySpan& span : state.keys) {
    if (span.begin <= place && place <= span.end) key = span.key;
  }
  return key;
}

std::shared_ptr<const DocumentState> checkDocument(const std::string& text,
                                                   const std::string& file) {
  auto state = std::make_shared<DocumentState>();
  state->loaded = config::loadExperimentText(text, file);
  Spots spots;
  try {
    TreeReader(text, *state, spots).read(config::parseYaml(text), "");
  } catch (const config::YamlFault&) {
    state->isReadable = false;  // the loader has reported it
  }
  for (const config::ConfigIssue& issue : state->loaded.issues) {
    state->faults.push_back(faultOf(issue, file, text, spots));
  }
  if (state->loaded.isWhole) {  // else a file that cannot be read may name the data
    for (const config::ConfigIssue& issue : config::missingData(state->loaded.experiment))
      state->faults.push_back(faultOf(issue, file, text, spots));
  }
  placeAtBase(*state);
  return state;
}

std::string applyProposal(const std::string& text, const DocumentFault& fault) {
  if (fault.proposal.empty() || fault.end > text.size()) throw Error("there is nothing to replace");
  const bool moves = fault.isOfKey && parentOf(fault.proposal) != parentOf(fault.key);
  if (moves) {
    const auto span = config::findValue(text, fault.key);
    if (!span) throw Error(fault.key + " is no longer in the text");
    const std::string value = text.substr(span->begin, span->end - span->begin);
    return config::setValue(config::removeValue(text, fault.key), fault.proposal, value);
  }
  const std::string with = fault.isOfKey ? lastPartOf(fault.proposal) : fault.proposal;
  return text.substr(0, fault.begin) + with + text.substr(fault.end);
}

}  // namespace lockstep::widgets
