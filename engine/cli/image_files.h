#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_identity.h"

namespace lockstep::cli {

/// What a folder tree holds of images.
struct ImageFiles {
  std::vector<std::filesystem::path> files;       ///< in the order of their paths
  std::vector<std::string> faults;                ///< what cannot be looked at or named, and why
  std::vector<std::filesystem::path> passedOver;  ///< files whose endings are no images'
};

/// The images (by their endings) in a folder and below it. Hidden files and folders are left out,
/// and the folder `leftOut`. Links are followed; a folder that several lead to counts once. Throws
/// Error (mendable) when the folder itself cannot be read.
ImageFiles imagesBelow(const std::filesystem::path& folder,
                       const std::optional<base::FileIdentity>& leftOut = std::nullopt);

}  // namespace lockstep::cli
