#include "engine/cli/image_files.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/cli/input_path.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
using base::FileIdentity;
namespace {

bool isImageName(const fs::path& file) {
  const std::string extension = base::lowerCase(file.extension().native());
  constexpr std::array kExtensions = {".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"};
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

class Walk {
 public:
  Walk(const fs::path& root, const std::optional<FileIdentity>& leftOut) {
    for (const auto& identity : {FileIdentity::of(root), leftOut}) {
      if (identity) seen_.insert(*identity);
    }
    lookInto(root);
  }

  ImageFiles found;

 private:
  void lookInto(const fs::path& folder) {
    std::vector<fs::path> entries = entriesOf(folder);
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      if (!entry.filename().string().starts_with(".")) take(entry);
    }
  }

  /// A link that leads nowhere counts as a file: whoever opens it says so.
  void take(const fs::path& entry) {
    std::error_code ignored;
    if (!fs::is_directory(entry, ignored)) {
      takeFile(entry);
      return;
    }
    const auto identity = FileIdentity::of(entry);
    if (identity && !seen_.insert(*identity).second) return;
    try {
      lookInto(entry);
    } catch (const Error& fault) {
      found.faults.emplace_back(fault.what());
    }
  }

  void takeFile(const fs::path& file) {
    if (!isImageName(file)) {
      found.passedOver.push_back(file);
    } else if (!base::isUtf8(file.native())) {
      found.faults.push_back(file.string() + ": the name is not UTF-8: rename the file");
    } else {
      found.files.push_back(file);
    }
  }

  std::unordered_set<FileIdentity> seen_;
};

}  // namespace

ImageFiles imagesBelow(const fs::path& folder, const std::optional<FileIdentity>& leftOut) {
  return std::move(Walk(folder, leftOut).found);
}

}  // namespace lockstep::cli
