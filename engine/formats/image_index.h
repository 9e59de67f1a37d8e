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
  /// Files in folders with the names `skipped` are no images of the dataset (label images).
  explicit ImageIndex(const fs::path& folder, const std::vector<std::string>& skipped = {});

  const std::vector<fs::path>& all() const { return all_; }
  /// The files with this name, which may have folders before it; if there is none, those whose name
  /// but for the extension of an image is the same.
  std::vector<fs::path> find(const std::string& name) const;
  /// The image that the annotation file `file` names. Of several with this name those in a folder
  /// called `folder` are chosen, if there are any (a CVAT subset), then those next to `file`, then
  /// those in folders of the same names, then those of its part. Throws Error unless one is left.
  fs::path only(const std::string& name, const fs::path& file,
                const std::string& folder = {}) const;
  /// `a.b` is the stem of `a.b.png`.
  std::vector<fs::path> withStem(const std::string& stem) const;
  fs::path onlyWithStem(const std::string& stem, const fs::path& file) const;
  /// The images of `found` that fit the annotation file best, chosen as by only().
  std::vector<fs::path> nearest(std::vector<fs::path> found, const fs::path& file,
                                const std::string& folder = {}) const;

 private:
  fs::path folder_;
  std::vector<fs::path> all_;
  std::multimap<std::string, fs::path> byName_, byStem_;
};

/// `its image a.png is missing`, or is there several times.
std::string imageProblem(const std::string& name, const std::vector<fs::path>& found);

/// With slashes for the backslashes of other systems.
std::string withSlashes(std::string path);

/// Judges by the extension.
bool isImageName(const fs::path& file);

/// False also for a path that cannot be looked at.
bool isFile(const fs::path& path);

/// Files below a folder (or the file itself) with one of these extensions, in lower case with the
/// dot, in the order of their paths. Hidden files and folders are left out, folders that cannot be
/// read, and folders that a link leads to a second time.
std::vector<fs::path> filesBelow(const fs::path& folder,
                                 const std::vector<std::string>& extensions);

/// The part that a path names by one of its components: `train`, `valid`, `test2017`.
std::optional<Part> partOf(const fs::path& relative);

/// The lines of a text file without line ends and byte order mark.
std::vector<std::string> linesOf(const fs::path& file);
/// Also throws Error unless the file is valid Unicode.
std::vector<std::string> nameLinesOf(const fs::path& file);

}  // namespace lockstep::formats
