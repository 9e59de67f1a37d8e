#include "engine/config/experiment_name.h"

#include <cctype>

namespace lockstep::config {

std::string nameAfterFolder(const std::filesystem::path& folder) {
  std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  std::string name;
  for (const char c : whole.filename().string()) {
    const bool isKept =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
    if (isKept) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';  // once for the bytes of a letter
    }
  }
  if (name.ends_with('-')) name.pop_back();
  const bool isName = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                      name != "null" && name != "true" && name != "false";
  if (isName) return name;
  return name.empty() ? "data" : "data-" + name;
}

}  // namespace lockstep::config
