#include "engine/config/moved_paths.h"

#include <string_view>

#include "engine/config/edit.h"
#include "engine/config/fields.h"
#include "engine/config/value_text.h"
#include "engine/config/yaml_tree.h"

namespace lockstep::config {
namespace {

namespace fs = std::filesystem;

/// The node of a dotted key, or nullptr.
const YamlNode* nodeOf(const YamlNode& root, std::string_view key) {
  const YamlNode* node = &root;
  while (node != nullptr) {
    const std::size_t dot = key.find('.');
    node = node->kind == YamlNode::Kind::Map ? node->find(key.substr(0, dot)) : nullptr;
    if (dot == std::string_view::npos) return node;
    key.remove_prefix(dot + 1);
  }
  return nullptr;
}

/// Whether the path is relative to the file's folder; a path that begins with `~` is not.
bool isRelative(const YamlNode* node) {
  return node != nullptr && node->kind == YamlNode::Kind::Scalar && !node->text.empty() &&
         node->text[0] != '~' && fs::path(node->text).is_relative();
}

}  // namespace

MovedPaths movePaths(const std::string& text, const fs::path& from, const fs::path& to) {
  MovedPaths moved{text, {}};
  if (from.lexically_normal() == to.lexically_normal()) return moved;
  YamlNode root;
  try {
    root = parseYaml(text);
  } catch (const YamlError&) {
    return moved;
  }
  for (const Field& field : fields()) {
    if (field.type != FieldType::Path) continue;
    const YamlNode* node = nodeOf(root, field.key);
    if (!isRelative(node)) continue;
    const fs::path file = (from / node->text).lexically_normal();
    std::string written = file.lexically_relative(to.lexically_normal()).string();
    if (written[0] == '~') written = "./" + written;
    if (written == node->text) continue;
    moved.text = setValue(moved.text, field.key, writeText(written));
    moved.keys.push_back(field.key);
  }
  return moved;
}

}  // namespace lockstep::config
