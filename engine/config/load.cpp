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
#include "engine/config/field_values.h"
#include "engine/config/fields.h"
#include "engine/config/unknown_key.h"
#include "engine/config/value_text.h"
#include "engine/config/yaml_tree.h"

namespace lockstep::config {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFileBytes = 1'000'000;
/// More faults than a person reads at once; the rest shows when these are mended.
constexpr std::size_t kMostIssues = 100;
constexpr const char* kOverrideFile = "--set";

/// A file being read: its text, and its name as the user knows it.
struct Source {
  std::string shown;
  std::string text;
  fs::path folder;  ///< absolute; paths in the file are relative to it
};

fs::path absoluteFolderOf(const fs::path& file) {
  std::error_code failure;
  return fs::absolute(file, failure).parent_path();
}

std::string noSuchUser(const std::string& written) {
  return written + ": there is no user " + written.substr(1, written.find('/') - 1) +
         "; a folder whose name begins so is written ./" + written;
}

/// A path, its home expanded, made absolute from `folder`, without a slash at its end.
std::string absolutePath(const std::string& expanded, const fs::path& folder) {
  fs::path path = (folder / expanded).lexically_normal();
  if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
  return path.string();
}

class Loader {
 public:
  void loadFile(const fs::path& file) {
    std::string text;
    if (const std::string fault = read(file, text); !fault.empty()) {
      isIncomplete_ = true;
      addIssue({.file = file.string(), .text = fault});
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
    result_.isWhole = !isIncomplete_;
    if (result_.isWhole) addCrossChecks(file);
    sortIssues();
    return std::move(result_);
  }

 private:
  /// Fills text, or says why it cannot.
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

  bool isFull() const { return result_.issues.size() > kMostIssues; }

  void addIssue(ConfigIssue issue) {
    if (result_.issues.size() == kMostIssues) {
      issue.text = "and more faults from here on; mend those above first";
      issue.proposal.clear();
    }
    if (!isFull()) result_.issues.push_back(std::move(issue));
  }

  void addIssue(const Source& source, std::size_t offset, const std::string& key,
                ValueFault fault) {
    const TextPlace place = placeOf(source.text, offset);
    addIssue({.file = source.shown,
              .line = place.line,
              .column = place.column,
              .key = key,
              .text = std::move(fault.text),
              .proposal = std::move(fault.proposal)});
  }

  /// The file's base, then its own keys over it.
  void apply(const Source& source, const fs::path& file) {
    result_.files.push_back(file);
    YamlNode root;
    try {
      root = parseYaml(source.text);
    } catch (const YamlFault& fault) {
      isIncomplete_ = true;
      addIssue(source, fault.offset, "", {fault.text, {}});
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
    std::string text, fault;
    if (!expanded) {
      fault = noSuchUser(node.text);
    } else if (const std::string chain = loopThrough(baseFile); !chain.empty()) {
      fault = "the files inherit from each other in a circle: " + chain;
    } else if (fault = read(baseFile, text); !fault.empty()) {
      fault = baseFile.string() + ": " + fault;
      if (fs::path(*expanded).is_relative())
        fault += "; a base is looked for from the folder of the file that names it, " +
                 absoluteFolderOf(file).string();
    }
    if (!fault.empty()) {
      isIncomplete_ = true;
      addIssue(source, node.begin, "base", {fault, {}});
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
        const TextPlace place = placeOf(source.text, first->second);
        addIssue(source, keyNode.begin, shortened(key),
                 {"is given twice, here and in line " + std::to_string(place.line) + ", column " +
                      std::to_string(place.column) + "; remove one of them",
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
    } else if (!isSection(key) || isDotted) {
      addIssue(source, keyNode.begin, shortened(key),
               unknownKey(section, shortened(keyNode.text), value));
    } else if (value.kind == YamlNode::Kind::Map) {
      applyMap(source, value, key);
    } else if (value.kind != YamlNode::Kind::Null) {
      addIssue(source, value.begin, key,
               {describeKind(value) + "; a section of keys is wanted: " + keysOf(key), {}});
    }
  }

  void applyValue(const Source& source, const Field& field, const YamlNode& keyNode,
                  const YamlNode& value) {
    const std::size_t offset = value.isEmptyNull() ? keyNode.begin : value.begin;
    ValueFault fault = assign(field, value, source.folder);
    if (!fault.text.empty()) {
      addIssue(source, offset, field.key, std::move(fault));
      return;
    }
    const TextPlace place = placeOf(source.text, offset);
    result_.origins[field.key] = {source.shown, place.line, place.column};
  }

  ValueFault assign(const Field& field, const YamlNode& value, const fs::path& folder) {
    const bool isPath = field.type == FieldType::Path && field.key != "base" &&
                        value.kind == YamlNode::Kind::Scalar && !value.text.empty();
    if (!isPath) return field.assignNode(result_.experiment, value);
    const std::optional<std::string> expanded = base::expandHome(value.text);
    if (!expanded) return {noSuchUser(value.text), {}};
    YamlNode absolute = value;
    absolute.text = absolutePath(*expanded, folder);
    return field.assignNode(result_.experiment, absolute);
  }

  void applyOverride(const std::string& override) {
    const std::size_t equals = override.find('=');
    const std::string key(trimmed(override.substr(0, equals)));
    ValueFault fault;
    const Field* field = findField(key);
    if (equals == std::string::npos) {
      fault.text = "is not KEY=VALUE, such as solver.max_steps=200";
    } else if (field == nullptr && isSection(key)) {
      fault.text = "is a section; set its keys one by one: " + keysOf(key);
    } else if (field == nullptr) {
      fault = unknownOverride(key);
    } else if (key == "base") {
      fault.text = "cannot be overridden: name it in the file";
    } else {
      fault = assignOverride(*field, override.substr(equals + 1));
    }
    if (fault.text.empty()) {
      result_.origins[key] = {kOverrideFile, 0, 0};
    } else {
      addIssue({.file = kOverrideFile,
                .key = shortened(key),
                .text = std::move(fault.text),
                .proposal = std::move(fault.proposal)});
    }
  }

  static ValueFault unknownOverride(const std::string& key) {
    const std::size_t dot = key.rfind('.');
    const bool isInSection = dot != std::string::npos && isSection(key.substr(0, dot));
    return isInSection ? unknownKey(key.substr(0, dot), key.substr(dot + 1), {})
                       : unknownKey("", key, {});
  }

  ValueFault assignOverride(const Field& field, const std::string& value) {
    try {
      return assign(field, valueNode(field, value), absoluteFolderOf("--set"));
    } catch (const YamlFault& fault) {
      return {shortened(value) + ": " + fault.text, {}};
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

  /// This file, its bases, overrides; in each by place, what has no place last.
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
  bool isIncomplete_ =
      false;  ///< a file could not be read, so that checks across keys would mislead
};

}  // namespace

std::string ConfigIssue::format() const {
  std::string where = file;
  if (line > 0) where += ":" + std::to_string(line) + ":" + std::to_string(column);
  if (!key.empty()) where += (where.empty() ? "" : ": ") + key;
  return where + (where.empty() ? "" : ": ") + (severity == Severity::Warning ? "warning: " : "") +
         text;
}

bool LoadedExperiment::hasErrors() const {
  return std::any_of(issues.begin(), issues.end(), [](const ConfigIssue& issue) {
    return issue.severity == ConfigIssue::Severity::Error;
  });
}

void LoadedExperiment::throwIfFaulty() const {
  std::string lines;
  for (const ConfigIssue& issue : issues) {
    if (issue.severity != ConfigIssue::Severity::Error) continue;
    lines += (lines.empty() ? "" : "\n") + issue.format();
  }
  if (!lines.empty()) throw base::mendable(lines);
}

std::string readExperimentFile(const fs::path& file) {
  std::string fault = base::inputFileFault(file, "an experiment file");
  std::error_code failure;
  if (fault.empty() && fs::file_size(file, failure) > kLargestFileBytes && !failure) {
    fault = "is larger than 1 MB: not an experiment file";
  }
  if (!fault.empty()) throw base::mendable(file.string() + ": " + fault);
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
