#include "engine/config/load.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <system_error>
#include <tuple>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/home_path.h"
#include "engine/base/input_file.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/config/field_values.h"
#include "engine/config/fields.h"
#include "engine/config/other_tools.h"
#include "engine/config/value_text.h"
#include "engine/config/yaml_tree.h"

namespace lockstep::config {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFileBytes = 1'000'000;
/// Further errors are left out until these are fixed.
constexpr std::size_t kMaxIssues = 100;

struct Source {
  std::string shown;  ///< the file's name as given by the user
  std::string text;
  fs::path folder;  ///< absolute; paths in the file are relative to it
};

fs::path absoluteFolderOf(const fs::path& file) {
  std::error_code failure;
  return fs::absolute(file, failure).parent_path();
}

std::string noSuchUser(const std::string& written) {
  return written + ": there is no user " + written.substr(1, written.find('/') - 1) +
         "; for a folder whose name begins with ~ write ./" + written;
}

/// A path with its home folder expanded, made absolute relative to `folder`, without a trailing
/// slash.
std::string absolutePath(const std::string& expanded, const fs::path& folder) {
  fs::path path = (folder / expanded).lexically_normal();
  if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
  return path.string();
}

/// Of line ends that the YAML parser does not take as such; npos: there is none.
std::size_t loneCarriageReturn(const std::string& text) {
  std::size_t at = text.find('\r');
  while (at != std::string::npos && at + 1 < text.size() && text[at + 1] == '\n')
    at = text.find('\r', at + 1);
  return at;
}

/// Names of the keys and sub-sections right below a section: "optimizer, base_lr, …".
std::string keysOf(const std::string& section) {
  std::string list;
  std::string last;
  const std::string prefix = section.empty() ? "" : section + ".";
  for (const Field& field : fields()) {
    if (!field.key.starts_with(prefix)) continue;
    const std::string name =
        field.key.substr(prefix.size(), field.key.find('.', prefix.size()) - prefix.size());
    if (name == last) continue;
    list += (list.empty() ? "" : ", ") + name;
    last = name;
  }
  return list;
}

/// What is wrong with "base_lr 0.01" where keys are expected; "": it does not begin with a key or a
/// section of `section` and a space.
std::string missingColon(const std::string& section, const std::string& written) {
  const std::size_t space = written.find_first_of(" \t");
  if (space == std::string::npos) return {};
  const std::string key = written.substr(0, space);
  const std::string whole = section.empty() ? key : section + "." + key;
  if (findField(whole) == nullptr && !isSection(whole)) return {};
  const std::size_t value = written.find_first_not_of(" \t", space);
  return "the ':' after " + key + " is missing: write '" + key + ": " + written.substr(value) + "'";
}

/// A message about a key that is not in the field table. section: dotted, "" for the top level;
/// written: the key as in the file; value: its node, which shows whether a section or a value was
/// meant; separator: between a key and its value.
ValueError unknownKey(const std::string& section, const std::string& written, const YamlNode& value,
                      const char* separator = ": ") {
  if (written == "<<") {
    return {
        "merge keys are not supported in experiment files: write the keys here, or share them with "
        "'base:'",
        {}};
  }
  if (std::string text = missingColon(section, written); !text.empty()) return {text, {}};
  const std::string key = section.empty() ? written : section + "." + written;
  const std::size_t dot = written.find('.');
  const bool isWhole = findField(key) != nullptr || findField(written) != nullptr ||
                       isSection(key) || isSection(written);
  if (dot != std::string::npos && isWhole) {
    return {"dotted keys are for --set; here write '" + written.substr(0, dot) +
                ":' and below it '" + written.substr(dot + 1) + ":'",
            {}};
  }
  if (const auto here = keyHere(key, &value))
    return {"unknown key; " + here->text(separator), here->key};
  if (isDetectron2Key(key))
    return {"unknown key; remove it: detectron2's key has no counterpart here", {}};
  const bool isMap = value.kind == YamlNode::Kind::Map;
  std::string nearest = isMap ? nearestSection(key) : nearestKey(key, &value);
  if (nearest.empty()) nearest = isMap ? nearestKey(key) : nearestSection(key);
  if (nearest.empty()) {
    const std::string where = section.empty() ? "the top level" : section;
    return {"unknown key; " + where + " has " + keysOf(section), {}};
  }
  return {"unknown key; did you mean " + nearest + "?", nearest};
}

class Loader {
 public:
  void loadFile(const fs::path& file) {
    std::string text;
    if (const std::string error = read(file, text); !error.empty()) {
      isIncomplete_ = true;
      addIssue({.file = file.string(), .text = error});
      return;
    }
    loadText(std::move(text), file);
  }

  void loadText(std::string text, const fs::path& file) {
    apply({file.string(), std::move(text), absoluteFolderOf(file)}, file);
  }

  void applyOverrides(const std::vector<std::string>& overrides) {
    for (const std::string& override : overrides) applyOverride(override);
  }

  LoadedExperiment finish(const fs::path& file) {
    result_.isComplete = !isIncomplete_;
    const bool isMetricGiven = result_.origins.contains("evaluation.best_metric");
    if (!result_.experiment.model.masks && !isMetricGiven)
      result_.experiment.evaluation.bestMetric = kBestBoxMetric;
    if (result_.isComplete) addCrossChecks(file);
    sortIssues();
    return std::move(result_);
  }

 private:
  /// Fills text, or returns why it cannot be read.
  static std::string read(const fs::path& file, std::string& text) {
    try {
      text = readExperimentFile(file);
    } catch (const Error& error) {
      const std::string message = error.what();
      const std::string prefix = file.string() + ": ";
      return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
    }
    return {};
  }

  bool isFull() const { return result_.issues.size() > kMaxIssues; }

  void addIssue(ConfigIssue issue) {
    if (result_.issues.size() == kMaxIssues) {
      issue.text = "more errors follow; fix those above first";
      issue.suggestion.clear();
    }
    if (!isFull()) result_.issues.push_back(std::move(issue));
  }

  void addIssue(const Source& source, std::size_t offset, const std::string& key,
                ValueError error) {
    const TextPosition position = positionOf(source.text, offset);
    addIssue({.file = source.shown,
              .line = position.line,
              .column = position.column,
              .key = key,
              .text = std::move(error.text),
              .suggestion = std::move(error.suggestion)});
  }

  /// Applies the file's base, then its own keys.
  void apply(const Source& source, const fs::path& file) {
    result_.files.push_back(file);
    result_.texts.push_back(source.text);
    if (const std::size_t at = loneCarriageReturn(source.text); at != std::string::npos) {
      isIncomplete_ = true;
      addIssue(
          source, at, "",
          {"a line ends with a carriage return alone: save the file with line ends \\n or \\r\\n",
           {}});
      return;
    }
    YamlNode root;
    try {
      root = parseYaml(source.text);
    } catch (const YamlError& error) {
      isIncomplete_ = true;
      addIssue(source, error.offset, "", {error.text, {}});
      return;
    }
    const YamlNode* baseNode = root.find("base");
    if (baseNode != nullptr && baseNode->kind == YamlNode::Kind::Scalar &&
        !baseNode->text.empty()) {
      applyBase(source, file, *baseNode);
    }
    applyMap(source, root, "");
  }

  void applyBase(const Source& source, const fs::path& file, const YamlNode& node) {
    const std::optional<std::string> expanded = base::expandHome(node.text);
    const fs::path baseFile =
        (file.parent_path() / expanded.value_or(node.text)).lexically_normal();
    std::string text, error;
    if (!expanded) {
      error = noSuchUser(node.text);
    } else if (const std::string chain = loopThrough(baseFile); !chain.empty()) {
      error = "circular inheritance: " + chain;
    } else if (error = read(baseFile, text); !error.empty()) {
      error = baseFile.string() + ": " + error;
      if (fs::path(*expanded).is_relative())
        error += "; a base path is relative to the folder of the file that names it, " +
                 absoluteFolderOf(file).string();
    }
    if (!error.empty()) {
      isIncomplete_ = true;
      addIssue(source, node.begin, "base", {error, {}});
      return;
    }
    apply({baseFile.string(), std::move(text), absoluteFolderOf(baseFile)}, baseFile);
  }

  /// `a.yaml → b.yaml → a.yaml` when `file` is already being read, else "".
  std::string loopThrough(const fs::path& file) const {
    std::string chain;
    for (const fs::path& open : result_.files) {
      std::error_code failure;
      const bool isSame = open.lexically_normal() == file || fs::equivalent(open, file, failure);
      if (chain.empty() && !isSame) continue;
      chain += (chain.empty() ? "" : " → ") + open.string();
    }
    return chain.empty() ? chain : chain + " → " + file.string();
  }

  void applyMap(const Source& source, const YamlNode& map, const std::string& section) {
    std::map<std::string, std::size_t> seen;
    for (std::size_t index = 0; index < map.items.size() && !isFull(); ++index) {
      const YamlNode &keyNode = map.keys[index], &value = map.items[index];
      const std::string key = (section.empty() ? "" : section + ".") + keyNode.text;
      const auto [first, isNew] = seen.emplace(keyNode.text, keyNode.begin);
      if (!isNew) {
        const TextPosition position = positionOf(source.text, first->second);
        addIssue(source, keyNode.begin, shortened(key),
                 {"is given twice, here and at line " + std::to_string(position.line) +
                      ", column " + std::to_string(position.column) + "; remove one of them",
                  {}});
      }
      applyItem(source, section, keyNode, value);
    }
  }

  void applyItem(const Source& source, const std::string& section, const YamlNode& keyNode,
                 const YamlNode& value) {
    const std::string key = (section.empty() ? "" : section + ".") + keyNode.text;
    const bool isDotted = keyNode.text.find('.') != std::string::npos;
    const Field* field = findField(key);
    if (field != nullptr && !isDotted) {
      applyValue(source, *field, keyNode, value);
    } else if (isSectionOfDetectron2(key, value)) {
      applyMap(source, value, key);
    } else if (!isSection(key) || isDotted) {
      addIssue(source, keyNode.begin, shortened(key),
               unknownKey(section, shortened(keyNode.text), value));
    } else if (value.kind == YamlNode::Kind::Map) {
      applyMap(source, value, key);
    } else if (std::string text = missingColon(key, value.text); !text.empty()) {
      addIssue(source, value.begin, key, {std::move(text), {}});
    } else if (value.kind != YamlNode::Kind::Null) {
      addIssue(source, value.begin, key,
               {describeKind(value) + "; expected a section with the keys " + keysOf(key), {}});
    }
  }

  /// Each of its keys is an issue.
  static bool isSectionOfDetectron2(const std::string& key, const YamlNode& value) {
    if (value.kind != YamlNode::Kind::Map || !isDetectron2Key(key)) return false;
    const auto here = keyHere(key);
    return !here || here->advice.empty();
  }

  void applyValue(const Source& source, const Field& field, const YamlNode& keyNode,
                  const YamlNode& value) {
    const std::size_t offset = value.isEmptyNull() ? keyNode.begin : value.begin;
    ValueError error = assign(field, value, source.folder);
    if (!error.text.empty()) {
      addIssue(source, offset, field.key, std::move(error));
      return;
    }
    const TextPosition position = positionOf(source.text, offset);
    result_.origins[field.key] = {source.shown, position.line, position.column};
  }

  ValueError assign(const Field& field, const YamlNode& value, const fs::path& folder) {
    if (ValueError error = pythonError(field, value); !error.text.empty()) return error;
    const bool isPath = field.type == FieldType::Path && field.key != "base" &&
                        value.kind == YamlNode::Kind::Scalar && !value.text.empty();
    if (!isPath) return field.assignNode(result_.experiment, value);
    if (isUrl(value.text)) {
      return {shortened(value.text) + ": " +
                  (field.key == "model.weights" ? kWeightsUrlError
                                                : "URLs are not supported; download the files"),
              {}};
    }
    const std::optional<std::string> expanded = base::expandHome(value.text);
    if (!expanded) return {noSuchUser(value.text), {}};
    YamlNode absolute = value;
    absolute.text = absolutePath(*expanded, folder);
    return field.assignNode(result_.experiment, absolute);
  }

  void applyOverride(const std::string& override) {
    const std::size_t equals = override.find('=');
    const std::string key(trimmed(override.substr(0, equals)));
    ValueError error;
    const Field* field = findField(key);
    if (equals == std::string::npos) {
      error.text = "expected KEY=VALUE, such as solver.max_steps=200";
    } else if (field == nullptr && isSection(key)) {
      error.text = "is a section; set its keys one by one: " + keysOf(key);
    } else if (field == nullptr) {
      error = unknownOverride(key, override.substr(equals + 1));
    } else if (key == "base") {
      error.text = "cannot be overridden: set it in the file";
    } else {
      error = assignOverride(*field, override.substr(equals + 1));
    }
    if (error.text.empty()) {
      result_.origins[key] = {kOverrideFile, 0, 0};
    } else {
      addIssue({.file = kOverrideFile,
                .key = shortened(key),
                .text = std::move(error.text),
                .suggestion = std::move(error.suggestion)});
    }
  }

  static ValueError unknownOverride(const std::string& key, const std::string& value) {
    const std::size_t dot = key.rfind('.');
    const bool isInSection = dot != std::string::npos && isSection(key.substr(0, dot));
    const std::string section = isInSection ? key.substr(0, dot) : "";
    return unknownKey(section, isInSection ? key.substr(dot + 1) : key, overrideNode(value), "=");
  }

  /// The value of an unknown key.
  static YamlNode overrideNode(const std::string& value) {
    try {
      return parseYamlValue(value);
    } catch (const YamlError&) {
      YamlNode node;
      node.kind = YamlNode::Kind::Scalar;
      node.text = value;
      return node;
    }
  }

  ValueError assignOverride(const Field& field, const std::string& value) {
    try {
      return assign(field, valueNode(field, value), absoluteFolderOf("--set"));
    } catch (const YamlError& error) {
      return {shortened(value) + ": " + error.text, {}};
    }
  }

  void addCrossChecks(const fs::path& file) {
    for (ConfigIssue& issue : crossChecks(result_.experiment)) {
      const bool isKnown =
          std::any_of(result_.issues.begin(), result_.issues.end(),
                      [&](const ConfigIssue& other) { return other.key == issue.key; });
      if (isKnown) continue;
      const auto origin = result_.origins.find(issue.key);
      issue.file = file.string();
      if (origin != result_.origins.end()) {
        issue.file = origin->second.file;
        issue.line = origin->second.line;
        issue.column = origin->second.column;
      }
      result_.issues.push_back(std::move(issue));
    }
  }

  /// In the order: this file, its bases, overrides; within each by line, those without a line last.
  void sortIssues() {
    const auto rank = [&](const ConfigIssue& issue) {
      const auto found =
          std::find(result_.files.begin(), result_.files.end(), fs::path(issue.file));
      const int line = issue.line == 0 ? std::numeric_limits<int>::max() : issue.line;
      return std::make_tuple(issue.file == kOverrideFile, found - result_.files.begin(), line,
                             issue.column);
    };
    std::stable_sort(result_.issues.begin(), result_.issues.end(),
                     [&](const ConfigIssue& a, const ConfigIssue& b) { return rank(a) < rank(b); });
  }

  LoadedExperiment result_;
  bool isIncomplete_ = false;  ///< a file could not be read: cross-checks would mislead
};

}  // namespace

std::string ConfigIssue::format() const {
  std::string where = file;
  if (line > 0) where += ":" + std::to_string(line) + ":" + std::to_string(column);
  if (!key.empty()) where += (where.empty() ? "" : ": ") + key;
  return where + (where.empty() ? "" : ": ") + (severity == Severity::Warning ? "warning: " : "") +
         text;
}

bool isUrl(const std::string& path) { return path.find("://") != std::string::npos; }

bool LoadedExperiment::hasErrors() const {
  return std::any_of(issues.begin(), issues.end(), [](const ConfigIssue& issue) {
    return issue.severity == ConfigIssue::Severity::Error;
  });
}

void LoadedExperiment::throwOnError() const {
  std::string lines;
  for (const ConfigIssue& issue : issues) {
    if (issue.severity != ConfigIssue::Severity::Error) continue;
    lines += (lines.empty() ? "" : "\n") + issue.format();
  }
  if (!lines.empty()) throw UserError(lines);
}

std::string readExperimentFile(const fs::path& file) {
  std::string error = base::inputFileError(file, "an experiment file");
  std::error_code failure;
  if (error.empty() && fs::file_size(file, failure) > kLargestFileBytes && !failure) {
    error = "is larger than 1 MB: not an experiment file";
  }
  if (!error.empty()) throw UserError(file.string() + ": " + error);
  return base::readFile(file);
}

LoadedExperiment loadExperiment(const fs::path& file, const std::vector<std::string>& overrides) {
  Loader loader;
  loader.loadFile(file);
  loader.applyOverrides(overrides);
  return loader.finish(file);
}

LoadedExperiment loadExperimentText(const std::string& text, const fs::path& file,
                                    const std::vector<std::string>& overrides) {
  Loader loader;
  loader.loadText(text, file);
  loader.applyOverrides(overrides);
  return loader.finish(file);
}

}  // namespace lockstep::config
