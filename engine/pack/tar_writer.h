#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct archive;

namespace lockstep::pack {

/// Writes an uncompressed tar (GNU), with the same bytes for the same content: members belong to
/// nobody. The file appears whole or not at all: it is written beside its target, which must
/// not exist at finish(). All throw Error.
class TarWriter {
 public:
  explicit TarWriter(const std::filesystem::path& target);
  /// That is written until finish(), beside the target.
  const std::filesystem::path& temporaryFile() const { return temporary_; }
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;
  ~TarWriter();

  void addText(const std::string& member, std::string_view content, double modified);
  /// The bytes that the file has now; it may grow meanwhile.
  void addFile(const std::string& member, const std::filesystem::path& file);
  /// CRC-32C of each member until now.
  const std::vector<std::uint32_t>& checksums() const { return checksums_; }
  /// The first member, which was added as text, gets this content of the same length at finish().
  void replaceFirst(std::string content);
  void finish();

 private:
  void beginMember(const std::string& member, std::int64_t bytes, double modified);
  void write(std::string_view bytes);
  void writeFirst() const;
  [[noreturn]] void fail() const;

  std::filesystem::path target_, temporary_;
  std::vector<std::uint32_t> checksums_;
  std::string first_;  ///< empty: as it was added
  std::unique_ptr<archive, int (*)(archive*)> archive_;
};

}  // namespace lockstep::pack
