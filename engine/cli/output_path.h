#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file_identity.h"

namespace lockstep::cli {

/// What a command reads: none of its outputs may take its place. Files are told apart by what they
/// are, not by their names, so that links and other spellings count.
class Inputs {
 public:
  /// `name` is what messages call it: `--gt`. An empty path is none.
  void add(const std::filesystem::path& file, const std::string& name);
  /// All images in a folder and below it.
  void addImages(const std::filesystem::path& folder, const std::string& name);

  /// The name of the input that this file is, or one of whose images it is.
  std::optional<std::string> nameOf(const std::filesystem::path& file) const;
  /// The name of the images that lie in this very folder.
  std::optional<std::string> nameOfImagesIn(const std::filesystem::path& folder) const;

 private:
  struct Input {
    std::filesystem::path path;
    std::string name;
  };
  std::vector<Input> files_, imageFolders_;
};

/// A folder for a command's own files; goes with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Where a command's result goes: a file that it replaces in one step, or what is no file and is
/// written into (`-` and /dev/stdout: standard output; a FIFO, a terminal, /dev/null).
class OutputFile {
 public:
  /// Finds out now, before the work, whether that can succeed. Refuses to replace inputs, what
  /// belongs to a run, and experiment files. `option` begins the message. Throws Error (mendable).
  OutputFile(const std::string& path, const std::string& option, const Inputs& inputs);

  /// Where a worker puts the result; then call handOn().
  const std::filesystem::path& workerFile();
  void handOn() const;
  /// Or the result itself.
  void write(std::string_view content) const;

  /// Then nothing else belongs there.
  bool isStandardOutput() const;
  /// For messages: the path, or `standard output`.
  std::string name() const;
  /// Whether both are the same, however they were spelt.
  bool isSameAs(const OutputFile& other) const;
  /// Whether this path would be its file, however it is spelt.
  bool isAt(const std::filesystem::path& path) const;

 private:
  void refuseToReplace(const std::string& what, const Inputs& inputs) const;

  std::string given_;
  std::filesystem::path target_;   ///< without links
  std::optional<int> descriptor_;  ///< that is written into
  bool isReplaced_ = true;         ///< else it is written into
  std::optional<TemporaryFolder> folder_;
  std::filesystem::path workerFile_;  ///< in `folder_`
};

/// Absolute path of a folder that will be put there whole; finds out now whether that can succeed.
/// `option` begins the message. Throws Error (mendable).
std::filesystem::path checkNewFolder(const std::string& path, const std::string& option);
/// The same for a folder that files go into: it is made. Refuses one that the images of the command
/// lie in.
std::filesystem::path makeOutputFolder(const std::string& path, const std::string& option,
                                       const Inputs& inputs);
/// Throws Error (mendable), begun with `what`, for a path inside a run folder that belongs to the
/// run.
void refuseNamesOfRuns(const std::filesystem::path& path, const std::string& what);

}  // namespace lockstep::cli
