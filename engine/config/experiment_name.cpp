#include "engine/config/experiment_name.h"

#include <algorithm>
#include <cctype>

namespace lockstep::config {

std::string nameAfterFolder(const std::filesystem::path& folder) {
  std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  std::string name = whole.filename().string();
  std::ranges::replace_if(
      name,
      [](char c) {
        return !(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-');
      },
      '-');
  const bool isName = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                      name != "null" && name != "true" && name != "false";
  return isName ? name : "data-" + name;
}

}  // namespace lockstep::config
