#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/protocol/messages.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// The files of a run that its clients may read, for those on another machine. Relative to the run
/// folder: config.yaml and what is in evaluations/, predictions/ and source/, nothing through a
/// symlink. Absolute: the answers of its engine, and what the dataset of its config.yaml names,
/// which are the images that an annotation file lists and the annotation files, without which the
/// images have no names. Nothing else. Of a packed run, those of the dataset that it has.
class RunFiles {
 public:
  /// Larger files are refused.
  static constexpr std::int64_t kMaxBytes = 256 << 20;

  /// socket: of its engine; empty: none runs.
  explicit RunFiles(Layout layout, const fs::path& socket = {})
      : layout_(std::move(layout)), answers_(socket.empty() ? socket : answersFolder(socket)) {}
  /// datasetFiles: by the path that config.yaml leads to, the path in the run folder.
  RunFiles(Layout layout, std::map<fs::path, fs::path> datasetFiles)
      : layout_(std::move(layout)), packed_(std::move(datasetFiles)) {}

  /// Ok with the part of the file that was asked for, or the error. Blocks for as long as the disk
  /// does; the first request for an image reads annotation files.
  protocol::EngineMessage answer(const protocol::FileRequest& request);

 private:
  struct Part {
    fs::path images, annotations;
    std::optional<std::unordered_set<std::string>> names{};  ///< of its images; nullopt: not read
  };
  protocol::FilePart read(const protocol::FileRequest& request);
  base::FileDescriptor open(const fs::path& path);
  bool isAnswer(const fs::path& path) const;
  bool isOfDataset(const fs::path& path);

  Layout layout_;
  std::optional<std::map<fs::path, fs::path>> packed_{};
  fs::path answers_;                        ///< folder; empty: none
  std::optional<std::vector<Part>> parts_;  ///< nullopt: config.yaml was not read yet
};

}  // namespace lockstep::run_folder
