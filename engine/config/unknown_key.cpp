#include "engine/config/unknown_key.h"

namespace lockstep::config {

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

std::string missingColon(const std::string& section, const std::string& written) {
  const std::size_t space = written.find_first_of(" \t");
  if (space == std::string::npos) return {};
  const std::string key = written.substr(0, space);
  const std::string whole = section.empty() ? key : section + "." + key;
  if (findField(whole) == nullptr && !isSection(whole)) return {};
  const std::size_t value = written.find_first_not_of(" \t", space);
  return "the ':' after " + key + " is missing: write '" + key + ": " + written.substr(value) + "'";
}

ValueError unknownKey(const std::string& section, const std::string& written,
                      const YamlNode& value) {
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
  const bool isMap = value.kind == YamlNode::Kind::Map;
  std::string nearest = isMap ? nearestSection(key) : nearestKey(key);
  if (nearest.empty()) nearest = isMap ? nearestKey(key) : nearestSection(key);
  if (nearest.empty()) {
    const std::string where = section.empty() ? "the top level" : section;
    return {"unknown key; " + where + " has " + keysOf(section), {}};
  }
  return {"unknown key; did you mean " + nearest + "?", nearest};
}

}  // namespace lockstep::config
