#pragma once

#include <filesystem>
#include <string>

#include "engine/base/file_descriptor.h"

namespace lockstep::serve {

/// The files of one folder that requests may name. Neither `..` nor links lead out of it.
class ImageFiles {
 public:
  /// Throws UserError where the folder cannot be opened.
  explicit ImageFiles(const std::filesystem::path& folder);
  /// The content. Throws HttpError: 403 for a name that leads out, 404, 413, 503 where the
  /// machine is at fault.
  std::string read(const std::string& name, std::size_t mostBytes) const;

 private:
  base::FileDescriptor folder_;
};

}  // namespace lockstep::serve
