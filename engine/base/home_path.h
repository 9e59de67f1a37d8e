#pragma once

#include <optional>
#include <string>

namespace lockstep::base {

/// A path whose `~` or `~user` at the start is that home folder, as a shell has it; any other path
/// as it is. Nothing when there is no such user. `./~` stands for a folder of that name.
std::optional<std::string> expandHome(const std::string& path);

}  // namespace lockstep::base
