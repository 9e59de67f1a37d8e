#include "engine/base/file_version.h"

#include <sys/stat.h>

#include <algorithm>

namespace lockstep::base {

FileVersion FileVersion::of(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return {};
  return {facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec,
          static_cast<std::int64_t>(facts.st_size), facts.st_ino};
}

FileVersion FileVersion::of(const std::vector<std::filesystem::path>& files) {
  FileVersion all;
  for (const std::filesystem::path& file : files) {
    const FileVersion one = of(file);
    if (!one.exists()) continue;
    all.changedNs = std::max(all.changedNs, one.changedNs);
    all.bytes = std::max<std::int64_t>(all.bytes, 0) + one.bytes;
    all.inode ^= one.inode;
  }
  return all;
}

}  // namespace lockstep::base
