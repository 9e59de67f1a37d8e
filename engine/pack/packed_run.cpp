#include "engine/pack/packed_run.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/base/shortened_text.h"

namespace lockstep::pack {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
/// Of a manifest that names each of 100,000 images.
constexpr std::int64_t kMaxManifestBytes = 64 << 20;
constexpr std::int64_t kMaxRunInfoBytes = 1 << 20;
constexpr const char* kRunInfoName = "run.json";

/// A path below the run folder that a packed run may have.
bool isOfRun(const fs::path& member) {
  constexpr std::array kFolders = {"source", "evaluations", "predictions", "checkpoints", "images"};
  constexpr std::array kFiles = {kRunInfoName, "config.yaml", "notes.json", "bad_images.jsonl",
                                 "annotations.json"};
  if (member.empty() || member.is_absolute() || !member.has_filename() ||
      member != member.lexically_normal() || *member.begin() == "..")
    return false;
  const std::string first = member.begin()->string();
  const auto isFirst = [&](const char* name) { return first == name; };
  const bool isAlone = std::next(member.begin()) == member.end();
  if (!isAlone) return std::ranges::any_of(kFolders, isFirst);
  return std::ranges::any_of(kFiles, isFirst) || first.starts_with("events.out.tfevents.");
}

/// The members of a tar, one after the other.
class TarReader {
 public:
  explicit TarReader(const fs::path& file) : file_(file) {
    std::error_code error;
    bytes_ = static_cast<std::int64_t>(fs::file_size(file, error));
    if (error) throw UserError(file.string() + ": " + error.message());
    if (::access(file.c_str(), R_OK) != 0)
      throw UserError(file.string() + ": " + std::strerror(errno));
    // Of other formats and of compressed ones nothing is read.
    ::archive_read_support_format_tar(archive_.get());
    if (::archive_read_open_filename(archive_.get(), file.c_str(), kReadBytes) != ARCHIVE_OK)
      failAsDamaged();
  }

  /// False at the end.
  bool next() {
    const int result = ::archive_read_next_header(archive_.get(), &entry_);
    if (result == ARCHIVE_EOF) return false;
    // ARCHIVE_WARN: the name is not in the characters of the locale; it is taken as bytes.
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) failAsDamaged();
    const char* name = ::archive_entry_pathname(entry_);
    member_ = name == nullptr ? "" : name;
    const bool isFile = ::archive_entry_filetype(entry_) == AE_IFREG &&
                        ::archive_entry_hardlink(entry_) == nullptr &&
                        ::archive_entry_symlink(entry_) == nullptr;
    if (!isFile) refuse("is not a file");
    // A file with holes is larger than its tar.
    sizes_ += std::clamp<std::int64_t>(size(), 0, bytes_);
    if (size() < 0 || size() > bytes_ || sizes_ > bytes_)
      fail(shownMember() + " does not fit in it");
    if (::archive_entry_sparse_count(entry_) > 0) refuse("has holes");
    return true;
  }
  const std::string& member() const { return member_; }
  std::int64_t size() const { return ::archive_entry_size(entry_); }

  std::string text() {
    std::string content(static_cast<std::size_t>(size()), '\0');
    std::size_t held = 0;
    while (held < content.size()) {
      const la_ssize_t count =
          ::archive_read_data(archive_.get(), content.data() + held, content.size() - held);
      if (count <= 0) failAsDamaged();
      held += static_cast<std::size_t>(count);
    }
    return content;
  }

  /// As a new file, of this time. Returns the checksum of its bytes.
  std::uint32_t extract(const fs::path& target) {
    const base::FileDescriptor file(
        ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.isOpen()) {
      if (errno == EEXIST) refuse("is there twice");
      refuse(std::string("cannot be unpacked (") + std::strerror(errno) + ")");
    }
    std::string block(kReadBytes, '\0');
    std::uint32_t checksum = 0;
    for (std::int64_t left = size(); left > 0;) {
      const la_ssize_t count = ::archive_read_data(archive_.get(), block.data(), block.size());
      if (count <= 0) failAsDamaged();
      const std::string_view bytes(block.data(), static_cast<std::size_t>(count));
      checksum = base::crc32c(bytes, checksum);
      write(file.get(), bytes, target);
      left -= count;
    }
    const std::array<timespec, 2> times{
        timespec{0, UTIME_NOW},
        timespec{::archive_entry_mtime(entry_), ::archive_entry_mtime_nsec(entry_)}};
    ::futimens(file.get(), times.data());
    return checksum;
  }

  /// Throws if the member is not as it was packed. `number`: from 0, after the manifest.
  void requireChecksum(const Manifest& manifest, std::size_t number, std::uint32_t checksum) const {
    if (manifest.checksums.empty()) return;  // of an older version
    if (number >= manifest.checksums.size() || manifest.checksums[number] != checksum)
      fail(shownMember() + " has other bytes than were packed");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(file_.string() + ": " + shownMember() + " " + what +
                ": the file is damaged, or not a packed run; pack the run again");
  }
  [[noreturn]] void failAsDamaged() const {
    const char* reason = ::archive_error_string(archive_.get());
    fail(reason != nullptr ? reason : "it ends too early");
  }
  [[noreturn]] void failAsIncomplete() const { fail("it has not all members"); }

 private:
  std::string shownMember() const {
    return member_.empty() ? "a member without a name" : base::shortened(member_);
  }
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(file_.string() + ": is damaged or incomplete (" + reason +
                "): copy it again, or pack the run again");
  }
  static void write(int descriptor, std::string_view bytes, const fs::path& target) {
    try {
      base::writeToDescriptor(descriptor, bytes, target);
    } catch (const Error& error) {
      throw Error(std::string(error.what()) +
                  ": a packed run is unpacked in the temporary folder; free space, or set TMPDIR");
    }
  }

  fs::path file_;
  std::int64_t bytes_ = 0;
  std::int64_t sizes_ = 0;  ///< of the members until now
  std::unique_ptr<archive, int (*)(archive*)> archive_{::archive_read_new(), ::archive_read_free};
  archive_entry* entry_ = nullptr;  ///< of archive_
  std::string member_;
};

Manifest manifestAtStart(TarReader& tar, const fs::path& file) {
  if (!tar.next() || tar.member() != kManifestName || tar.size() > kMaxManifestBytes)
    throw UserError(file.string() +
                    ": is not a packed run: its first member is not manifest.json; lockstep-engine "
                    "pack makes one");
  try {
    return readManifest(tar.text());
  } catch (const Error& error) {
    throw UserError(file.string() + ": " + error.what());
  }
}

void requireMembers(const Manifest& manifest, const fs::path& folder, const fs::path& file) {
  for (const char* name : {kRunInfoName, "config.yaml"})
    if (!fs::exists(folder / name))
      throw Error(file.string() + ": is incomplete: it has no " + name + "; pack the run again");
  for (const auto& [path, member] : manifest.datasetFiles)
    if (!isOfRun(member))
      throw Error(file.string() + ": its manifest names " + base::shortened(member.string()) +
                  ", which no packed run has; pack the run again");
  if (manifest.weightsStep &&
      !fs::exists(run_folder::Layout(folder).checkpoint(*manifest.weightsStep) /
                  "model.safetensors"))
    throw Error(file.string() + ": is incomplete: it has no weights; pack the run again");
}

}  // namespace

bool isPackedRun(const fs::path& path) {
  std::error_code ignored;
  return path.extension() == ".lockstep" && fs::is_regular_file(path, ignored);
}

run_folder::RunInfo readPackedRunInfo(const fs::path& file) {
  TarReader tar(file);
  const Manifest manifest = manifestAtStart(tar, file);
  for (std::size_t number = 0; tar.next(); ++number) {
    if (tar.member() != kRunInfoName) continue;
    if (tar.size() > kMaxRunInfoBytes) tar.refuse("is too large");
    const std::string text = tar.text();
    tar.requireChecksum(manifest, number, base::crc32c(text));
    return run_folder::parseRunInfo(text, file.string() + ": " + kRunInfoName);
  }
  tar.failAsIncomplete();
}

PackedRun::PackedRun(const fs::path& file) : folder_("lockstep-packed-") {
  TarReader tar(file);
  manifest_ = manifestAtStart(tar, file);
  std::size_t members = 0;
  for (; tar.next(); ++members) {
    if (!isOfRun(tar.member())) tar.refuse("is not a file of a run");
    const fs::path target = folder_.path() / tar.member();
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    if (error) tar.refuse("cannot be unpacked (" + error.message() + ")");
    tar.requireChecksum(manifest_, members, tar.extract(target));
  }
  if (members != manifest_.members) tar.failAsIncomplete();
  requireMembers(manifest_, folder_.path(), file);
}

std::optional<fs::path> PackedRun::weights() const {
  if (!manifest_.weightsStep) return std::nullopt;
  return layout().checkpoint(*manifest_.weightsStep) / "model.safetensors";
}

}  // namespace lockstep::pack
