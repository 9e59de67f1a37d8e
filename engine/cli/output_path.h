#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file_identity.h"
#include "engine/base/temporary_folder.h"

namespace lockstep::cli {

/// The input files of a command, none of which its outputs may overwrite. Files are compared by
/// device and inode, so that links and other spellings of a path are recognised.
class Inputs {
 public:
  /// `name` is for messages: `--gt`. An empty path is ignored.
  void add(const std::filesystem::path& file, const std::string& name);
  /// All images in a folder and below it.
  void addImages(const std::filesystem::path& folder, const std::string& name);

  /// The name of the input that this file is, or `an image of NAME`.
  std::optional<std::string> nameOf(const std::filesystem::path& file) const;
  /// The name of the images whose folder this is.
  std::optional<std::string> nameOfImagesIn(const std::filesystem::path& folder) const;

 private:
  struct Input {
    std::filesystem::path path;
    std::string name;
  };
  std::vector<Input> files_, imageFolders_;
};

/// Where a command's result goes: a regular file, replaced atomically, or something else that is
/// written to (`-` and /dev/stdout: standard output; a FIFO, a terminal, /dev/null).
class OutputFile {
 public:
  /// Checks now, before the work, whether writing can succeed. Refuses to replace inputs, files of
  /// a run, and experiment files. `option` begins the error message. Throws UserError.
  OutputFile(const std::string& path, const std::string& option, const Inputs& inputs);

  /// The file that a worker writes the result to; call writeWorkerResult() afterwards.
  const std::filesystem::path& workerFile();
  void writeWorkerResult() const;
  /// Writes a result that no worker wrote.
  void write(std::string_view content) const;

  /// If so, nothing else may be printed there.
  bool isStandardOutput() const;
  /// For messages: the path, or `standard output`.
  std::string name() const;
  /// Whether both write to the same file, however the paths are spelt.
  bool isSameAs(const OutputFile& other) const;
  /// Whether it writes to this path, however the path is spelt.
  bool isAt(const std::filesystem::path& path) const;

 private:
  void refuseToReplace(const std::string& what, const Inputs& inputs) const;

  std::string given_;
  std::filesystem::path target_;   ///< symlinks resolved
  std::optional<int> descriptor_;  ///< to write to
  bool isReplaced_ = true;         ///< else it is written to
  std::optional<base::TemporaryFolder> folder_;
  std::filesystem::path workerFile_;  ///< in `folder_`
};

/// Absolute path of a folder to be created atomically; checks now whether that can succeed. Throws
/// UserError, which names no option: the window shows it as well.
std::filesystem::path checkNewFolder(const std::string& path);
/// The same for a folder that files are written into, which is created now. Refuses the folder of
/// an input's images. `option` begins the error message.
std::filesystem::path makeOutputFolder(const std::string& path, const std::string& option,
                                       const Inputs& inputs);
/// Throws UserError, starting with `what`, for a path in a run folder that belongs to the run.
void refuseNamesOfRuns(const std::filesystem::path& path, const std::string& what);

}  // namespace lockstep::cli
