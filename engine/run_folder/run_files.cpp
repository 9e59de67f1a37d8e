#include "engine/run_folder/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/coco/files/image_names.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::run_folder {
namespace {

/// Opening a FIFO would wait for its writer.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

bool isServedFolder(const fs::path& name) {
  return name == "evaluations" || name == "predictions" || name == "source";
}

/// No component is empty, "." or "..".
bool isPlain(const fs::path& path) {
  return path == path.lexically_normal() && path.has_filename() &&
         std::none_of(path.begin(), path.end(), [](const auto& name) { return name == ".."; });
}

[[noreturn]] void throwUnreadable(const fs::path& path) {
  throw UserError(path.string() +
                  (errno == ELOOP || errno == ENOTDIR
                       ? ": is not sent: its path has a symlink, or a file instead of a folder"
                       : std::string(": ") + std::strerror(errno)));
}

/// Folder by folder, so that no symlink in between is followed, also not one made meanwhile.
base::FileDescriptor openBelow(const fs::path& folder, const fs::path& path) {
  base::FileDescriptor at(::open(folder.c_str(), kOpenFlags | O_DIRECTORY));
  for (auto name = path.begin(); at.isOpen() && name != path.end(); ++name) {
    const int isFolder = std::next(name) == path.end() ? 0 : O_DIRECTORY;
    at =
        base::FileDescriptor(::openat(at.get(), name->c_str(), kOpenFlags | O_NOFOLLOW | isFolder));
  }
  if (!at.isOpen()) throwUnreadable(path);
  return at;
}

std::string readAt(const base::FileDescriptor& file, std::int64_t offset, const fs::path& path) {
  std::string data(protocol::kMaxFilePartBytes, '\0');
  std::size_t held = 0;
  while (held < data.size()) {
    const ssize_t count = ::pread(file.get(), data.data() + held, data.size() - held,
                                  static_cast<off_t>(offset + static_cast<std::int64_t>(held)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throwUnreadable(path);
    if (count == 0) break;
    held += static_cast<std::size_t>(count);
  }
  data.resize(held);
  return data;
}

}  // namespace

protocol::EngineMessage RunFiles::answer(const protocol::FileRequest& request) {
  try {
    return protocol::Ok{request.id, read(request)};
  } catch (const std::exception& error) {
    return protocol::ErrorReply{request.id, error.what()};
  }
}

protocol::FilePart RunFiles::read(const protocol::FileRequest& request) {
  const fs::path path = request.path;
  const base::FileDescriptor file = open(path);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) throwUnreadable(path);
  if (!S_ISREG(facts.st_mode)) throw UserError(path.string() + ": is not a file");
  if (facts.st_size > kMaxBytes) {
    throw UserError(path.string() + ": is not sent: it has " + std::to_string(facts.st_size >> 20) +
                    " MiB, and the limit is " + std::to_string(kMaxBytes >> 20) + " MiB");
  }
  return {
      facts.st_size,
      static_cast<double>(facts.st_mtim.tv_sec) + static_cast<double>(facts.st_mtim.tv_nsec) * 1e-9,
      readAt(file, request.offset, path)};
}

base::FileDescriptor RunFiles::open(const fs::path& path) {
  if (path.empty()) throw UserError("the request for a file names none");
  const bool isInRun = path == "config.yaml" ||
                       (path.is_relative() && isPlain(path) && isServedFolder(*path.begin()));
  if (isInRun) return openBelow(layout_.folder(), path);
  if (packed_) {
    const auto member = packed_->find(path);
    if (member == packed_->end())
      throw UserError(base::shortened(path.string()) + ": is not in the packed run");
    return openBelow(layout_.folder(), member->second);
  }
  if (isAnswer(path)) return openBelow(answers_, path.filename());
  if (!isPlain(path) || path.is_relative() || !isOfDataset(path)) {
    throw UserError(base::shortened(path.string()) +
                    ": is not sent: it is neither config.yaml, nor in evaluations/, "
                    "predictions/ or source/, nor an answer, nor an image or annotation file of "
                    "the run's dataset");
  }
  base::FileDescriptor file(::open(path.c_str(), kOpenFlags));
  if (!file.isOpen()) throwUnreadable(path);
  return file;
}

bool RunFiles::isAnswer(const fs::path& path) const {
  const std::string number = path.stem().string();
  return !answers_.empty() && path.parent_path() == answers_ && path.extension() == ".json" &&
         number.find_first_not_of("0123456789") == std::string::npos;
}

/// The validation part first: its annotation file is the smaller one.
bool RunFiles::isOfDataset(const fs::path& path) {
  if (!parts_) {
    const config::DatasetConfig dataset = readRunExperiment(layout_).dataset;
    parts_.emplace();
    for (const config::DatasetSplit& split : {dataset.val, dataset.train})
      if (!split.annotations.empty()) parts_->push_back({split.images, split.annotations});
  }
  return std::any_of(parts_->begin(), parts_->end(), [&](Part& part) {
    if (path == part.annotations.lexically_normal()) return true;
    const fs::path name = path.lexically_relative(part.images.lexically_normal());
    if (name.empty() || *name.begin() == "..") return false;
    if (!part.names) part.names = coco::loadImageNames(part.annotations);
    return part.names->contains(name.string());
  });
}

}  // namespace lockstep::run_folder
