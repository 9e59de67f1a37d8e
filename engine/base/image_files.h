#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_identity.h"

namespace lockstep::base {

/// The images in a folder tree.
struct ImageFiles {
  std::vector<std::filesystem::path> files;    ///< in the order of their paths
  std::vector<std::string> errors;             ///< unreadable folders and invalid names
  std::vector<std::filesystem::path> skipped;  ///< files without an image extension
};

/// The images (by file extension) in a folder and below it, without hidden files and folders and
/// without the folder `excluded`. Symlinks are followed; a folder that several lead to counts once.
/// Throws UserError when the folder itself cannot be read.
ImageFiles imagesBelow(const std::filesystem::path& folder,
                       const std::optional<base::FileIdentity>& excluded = std::nullopt);

}  // namespace lockstep::base
