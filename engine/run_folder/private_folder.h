#pragma once

#include <filesystem>
#include <string>

namespace lockstep::run_folder {

/// Creates a folder with mode 0700 in a parent that other users can write to (/tmp). Throws Error
/// when it cannot be created, is a symlink or belongs to another user; the message names its
/// purpose `what` and the `remedy`.
void ensurePrivateFolder(const std::filesystem::path& folder, const std::string& what,
                         const std::string& remedy);

/// `parent`/lockstep-UID: this user's own in a parent of all users. Creates nothing.
std::filesystem::path userFolder(const std::filesystem::path& parent = "/tmp");

/// Whether it is a folder of this user, and not a symlink.
bool isOwnFolder(const std::filesystem::path& folder);

}  // namespace lockstep::run_folder
