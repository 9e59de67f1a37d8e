#include "engine/base/image_files.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/utf8.h"

namespace lockstep::base {
namespace fs = std::filesystem;
namespace {

bool isImageName(const fs::path& file) {
  const std::string extension = base::lowerCase(file.extension().native());
  constexpr std::array kExtensions = {".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp"};
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

class Walk {
 public:
  Walk(const fs::path& root, const std::optional<FileIdentity>& excluded) {
    for (const auto& identity : {FileIdentity::of(root), excluded}) {
      if (identity) seen_.insert(*identity);
    }
    visitFolder(root);
  }

  ImageFiles found;

 private:
  void visitFolder(const fs::path& folder) {
    std::vector<fs::path> entries = entriesOf(folder);
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      if (!entry.filename().string().starts_with(".")) visit(entry);
    }
  }

  /// A broken symlink counts as a file: opening it reports the error.
  void visit(const fs::path& entry) {
    std::error_code ignored;
    if (!fs::is_directory(entry, ignored)) {
      visitFile(entry);
      return;
    }
    const auto identity = FileIdentity::of(entry);
    if (identity && !seen_.insert(*identity).second) return;
    try {
      visitFolder(entry);
    } catch (const Error& error) {
      found.errors.emplace_back(error.what());
    }
  }

  void visitFile(const fs::path& file) {
    if (!isImageName(file)) {
      found.skipped.push_back(file);
    } else if (!base::isUtf8(file.native())) {
      found.errors.push_back(file.string() + ": the name is not UTF-8: rename the file");
    } else {
      found.files.push_back(file);
    }
  }

  std::unordered_set<FileIdentity> seen_;
};

}  // namespace

ImageFiles imagesBelow(const fs::path& folder, const std::optional<FileIdentity>& excluded) {
  return std::move(Walk(folder, excluded).found);
}

}  // namespace lockstep::base
