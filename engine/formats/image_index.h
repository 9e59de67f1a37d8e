#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/source.h"

namespace lockstep::formats {

/// The image files in a folder and below, by name.
class ImageIndex {
 public:
  /// Files in a folder called `skipped` are no images of the dataset (label images).
  explicit ImageIndex(const fs::path& folder, const std::string& skipped = {});

  const std::vector<fs::path>& all() const { return all_; }
  /// The files with this name, which may have folders before it; if there is none, those whose name
  /// but for the extension is the same.
  std::vector<fs::path> find(const std::string& name) const;
  /// Why there is no such file or not only one; empty: there is one.
  std::string problemWith(const std::string& name) const;
  /// The only one. Throws Error with problemWith().
  fs::path only(const std::string& name) const;
  std::vector<fs::path> withStem(const std::string& stem) const;

 private:
  std::vector<fs::path> all_;
  std::multimap<std::string, fs::path> byName_, byStem_;
};

bool isImageFile(const fs::path& file);

/// Files below a folder (or the file itself) with one of these extensions, in lower case with the
/// dot, in the order of their paths. Hidden files and folders are left out.
std::vector<fs::path> filesBelow(const fs::path& folder,
                                 const std::vector<std::string>& extensions);

/// The part that a path names by one of its folders or its file: `train`, `valid`, `test2017`.
std::optional<Part> partOf(const fs::path& relative);

std::string lowerCase(std::string text);

}  // namespace lockstep::formats
