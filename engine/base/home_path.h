#pragma once

#include <optional>
#include <string>

namespace lockstep::base {

/// Expands a leading `~` or `~user` to the home folder, as a shell does; other paths are returned
/// unchanged. nullopt for an unknown user. `./~` names a folder called `~`.
std::optional<std::string> expandHome(const std::string& path);

}  // namespace lockstep::base
