#pragma once

#include <filesystem>
#include <string>

namespace lockstep::run_folder {

/// Makes a folder with mode 0700 where others may write beside it (/tmp). Throws Error when it
/// cannot be made, is a link, or another user's; `what` it is for and the `remedy` are in the
/// message.
void ensurePrivateFolder(const std::filesystem::path& folder, const std::string& what,
                         const std::string& remedy);

/// Whether it is a folder of this user's and no link.
bool isOwnFolder(const std::filesystem::path& folder);

}  // namespace lockstep::run_folder
